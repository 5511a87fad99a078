// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text limits in UTF-8 bytes. Over-long text is cut at a code point boundary and the answer lists it, or refused in
// strict mode.
enum {
  NAME_MAX_BYTES = 200,     ///< names, step keys, variants, subject kinds
  REF_MAX_BYTES = 1024,     ///< references and descriptions
  INPUT_MAX_BYTES = 8192,   ///< step inputs and mock resources
  OUTPUT_MAX_BYTES = 65536, ///< mock responses and step outputs
};

/// Largest seed: the integers that survive as JSON numbers everywhere (RFC 8785, section 3.2.2.3).
#define SEED_MAX ((INT64_C(1) << 53) - 1)

/// What one run may record. A run that goes over it ends with reason `evidence_limit`.
enum { EVIDENCE_MAX_BYTES = 256 * 1024 * 1024 };
