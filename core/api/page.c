// SPDX-License-Identifier: Apache-2.0
// Paging: the three parameters of every list, and the envelope around its items. A page knows that there is more
// because the store was asked for one row beyond the limit; that row is never written.
#include "api/page.h"

#include <string.h>

#include "api/call.h"
#include "base/hash.h"
#include "base/mem.h"

enum { NUMBER_AT = 8 }; // a number stands in the last eight bytes of a position, big-endian

/// What a cursor of this list is bound to: all that decides which rows there are and in which order.
static struct digest scope_of(const struct api_call *call) {
  struct hash hash;
  hash_init(&hash);
  hash_field(&hash, str_c(call->route->operation));
  hash_field(&hash, (struct str){(const char *)call->tenant.bytes, sizeof call->tenant.bytes});
  hash_field(&hash, (struct str){(const char *)call->path_id.bytes, sizeof call->path_id.bytes});
  hash_field(&hash, call->page.oldest_first ? STR("asc") : STR("desc"));
  const struct route_param *params = call->route->params;
  for (size_t i = 0; params && params[i].name; i++) {
    hash_field(&hash, str_present(call->params[i]) ? str_c(params[i].name) : STR(""));
    hash_field(&hash, call->params[i]);
  }
  return hash_final(&hash);
}

static struct str digest_str(const struct digest *digest) {
  return (struct str){(const char *)digest->bytes, sizeof digest->bytes};
}

static bool read_limit(struct page *page, struct str limit, struct err *err) {
  int64_t number = PAGE_DEFAULT;
  if (str_present(limit) && (!canonical_int(limit, &number) || number < 1 || number > PAGE_MAX))
    return err_set_at(err, ERR_BAD_REQUEST, "limit", "Expected an integer from 1 to %d.", PAGE_MAX);
  page->limit = (int)number;
  return true;
}

static bool read_order(struct page *page, struct str order, bool oldest_first_by_default, struct err *err) {
  page->oldest_first = str_present(order) ? str_eq(order, STR("asc")) : oldest_first_by_default;
  return !str_present(order) || page->oldest_first || str_eq(order, STR("desc")) ||
         err_set_at(err, ERR_BAD_REQUEST, "order", "Expected asc or desc.");
}

bool page_read(struct api_call *call, struct str limit, struct str order, struct str cursor,
               bool oldest_first_by_default, struct err *err) {
  struct page *page = &call->page;
  if (!read_limit(page, limit, err) || !read_order(page, order, oldest_first_by_default, err)) return false;
  if (!str_present(cursor)) return true;
  struct digest scope = scope_of(call);
  page->after_present = cursor_read(call->config->cursor_key, digest_str(&scope), cursor, page->after);
  return page->after_present ||
         err_set_at(err, ERR_BAD_REQUEST, "cursor",
                    "The cursor is not one of this list: it goes with the route, tenant, filters and order it was "
                    "answered for. Start again without it.");
}

struct id page_after_id(const struct page *page) {
  struct id id = {{0}};
  if (page->after_present) memcpy(id.bytes, page->after, sizeof id.bytes);
  return id;
}

int64_t page_after_number(const struct page *page, int64_t otherwise) {
  if (!page->after_present) return otherwise;
  uint64_t number = 0;
  for (size_t i = NUMBER_AT; i < sizeof page->after; i++) number = number << 8 | page->after[i];
  return (int64_t)number;
}

void page_begin(struct page_writer *pw, struct api_call *call) {
  *pw = (struct page_writer){.call = call};
  jw_object(&call->out, NULL);
  jw_array(&call->out, "items");
}

/// A page is full by items or by bytes: a thousand large outputs in one answer would hold up everybody else. It has one
/// item at least, and once full it stays so.
static bool has_room(struct page_writer *pw) {
  bool full = pw->count == pw->call->page.limit;
  bool heavy = pw->count > 0 && pw->call->out.buf->len >= PAGE_BYTES;
  if (full || heavy) pw->more = true;
  if (!pw->more) pw->count++;
  return !pw->more;
}

bool page_item_id(struct page_writer *pw, struct id position) {
  if (!has_room(pw)) return false;
  memcpy(pw->last, position.bytes, sizeof pw->last);
  return true;
}

bool page_item_number(struct page_writer *pw, int64_t position) {
  if (!has_room(pw)) return false;
  uint64_t number = (uint64_t)position;
  memset(pw->last, 0, sizeof pw->last);
  for (size_t i = sizeof pw->last; i > NUMBER_AT; number >>= 8) pw->last[--i] = (uint8_t)(number & 0xff);
  return true;
}

void page_end(struct page_writer *pw) {
  struct json_writer *out = &pw->call->out;
  jw_array_end(out);
  if (pw->more) {
    struct digest scope = scope_of(pw->call);
    char cursor[CURSOR_TEXT_MAX];
    cursor_write(pw->call->config->cursor_key, digest_str(&scope), pw->last, cursor);
    jw_c(out, "cursor", cursor);
  }
  jw_bool(out, "has_more", pw->more);
  jw_object_end(out);
}
