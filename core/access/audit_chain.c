// SPDX-License-Identifier: Apache-2.0
// The formula of the ledger's hash chain, in one place for those who append and those who verify. It hashes texts
// rather than machine integers for what people quote (seq, id, time), so that an exported ledger can be checked with
// nothing but this formula and a SHA-256 tool.
#include "access/audit_chain.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"

static struct str bytes_of(const void *bytes, size_t len) {
  return (struct str){bytes, len};
}

struct digest audit_chain_hash(struct id tenant, int64_t seq, const struct audit_row *row) {
  char seq_text[24];
  int seq_len = snprintf(seq_text, sizeof seq_text, "%" PRId64, seq);
  struct id_text id = id_format(row->id);

  struct hash hash;
  hash_init(&hash);
  hash_field(&hash, bytes_of(row->previous_hash.bytes, DIGEST_BYTES));
  hash_field(&hash, bytes_of(tenant.bytes, sizeof tenant.bytes));
  hash_field(&hash, bytes_of(seq_text, (size_t)seq_len));
  hash_field(&hash, bytes_of(id.text, ID_TEXT_LEN));
  if (row->occurred_at >= 0) {
    struct clock_text time = clock_format(row->occurred_at);
    hash_field(&hash, bytes_of(time.text, CLOCK_TEXT_LEN));
  } else {
    hash_field(&hash, STR(""));
  }
  hash_field(&hash, row->actor);
  hash_field(&hash, row->action);
  hash_field(&hash, row->target);
  hash_field(&hash, row->details);
  return hash_final(&hash);
}
