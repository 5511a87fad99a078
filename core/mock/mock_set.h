// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "mock/exact_index.h"
#include "mock/mock.h"

// What mock.h keeps opaque, for the files of this folder.

/// One mock as a set holds it; all text is the set's.
struct mock {
  struct mock_resource resource;
  struct str response;
  struct str place;
};

/// Immutable once mock_set_new has returned it.
struct mock_set {
  struct mock *mocks; // in order of precedence; owned
  size_t count;
  struct exact_index exact; // over the resources of `mocks`
  char *text;               // every text of every mock, end to end; owned
  struct digest *wholes;    // one for each cut resource; owned
  size_t bytes;
};
