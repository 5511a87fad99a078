// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/id.h"
#include "base/json_writer.h"
#include "base/str.h"

struct api_call;

enum { PAGE_DEFAULT = 100, PAGE_MAX = 1000, PAGE_BYTES = 4 * 1024 * 1024 };

/// Where a list goes on. A position is 16 bytes: an id, or a number in the last eight.
struct page {
  int limit; ///< 1 to PAGE_MAX
  bool oldest_first;
  bool after_present; ///< a cursor was given
  uint8_t after[16];  ///< the position of the last item of the page before
};

struct id page_after_id(const struct page *page); ///< zero when no cursor was given
int64_t page_after_number(const struct page *page, int64_t otherwise);

/// A list being written: page_begin, then for each row page_item (false: the page is full, the row is not to be
/// written) followed by the item's JSON, then page_end. Ask the store for limit + 1 rows, so that has_more is known.
struct page_writer {
  struct api_call *call;
  int count;
  bool more;
  uint8_t last[16];
};
void page_begin(struct page_writer *pw, struct api_call *call);
bool page_item_id(struct page_writer *pw, struct id position);
bool page_item_number(struct page_writer *pw, int64_t position);
void page_end(struct page_writer *pw); ///< closes the document; the caller then answers with call_ok

/// Reads limit, order and cursor of a paged route's query into call->page. Called by dispatch.
bool page_read(struct api_call *call, struct str limit, struct str order, struct str cursor,
               bool oldest_first_by_default, struct err *err);

/// Cursors: base64url(position ‖ MAC). The MAC binds the position to route, tenant, filters and order.
enum { CURSOR_TEXT_MAX = 48 };
void cursor_write(const uint8_t key[32], struct str scope, const uint8_t position[16], char ret_text[CURSOR_TEXT_MAX]);
bool cursor_read(const uint8_t key[32], struct str scope, struct str text, uint8_t ret_position[16]);
