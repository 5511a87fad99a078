// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/// What an untagged plain scalar means (YAML 1.2.2, section 10.3.2, the core schema). NUMBER_FAULT is a number that
/// JSON can't say: infinite, not a number, an integer beyond 64 bits.
enum yaml_kind {
  YAML_KIND_TEXT,
  YAML_KIND_NULL,
  YAML_KIND_BOOL,
  YAML_KIND_INT,
  YAML_KIND_REAL,
  YAML_KIND_NUMBER_FAULT
};

/// The value, in the member its kind names; the others are zero.
struct yaml_value {
  enum yaml_kind kind;
  bool truth;
  int64_t integer;
  double real;
};

struct yaml_value yaml_scalar_read(struct str text);

/// Appends the bytes that base64 (RFC 4648, section 4) stands for; white space is passed over. False, and `out` is of
/// no use, when the text is no base64 or the bytes don't fit.
bool yaml_binary_read(struct str text, struct buf *out);
