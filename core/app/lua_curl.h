// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions are called through struct curl_api, where the type checking macros of libcurl's header can't be used.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stdbool.h>

#include "base/err.h"

/// The functions of libcurl that the CLI uses, with the types its header gives them.
struct curl_api {
  __typeof__(curl_global_init) *global_init;
  __typeof__(curl_global_cleanup) *global_cleanup;
  __typeof__(curl_easy_init) *easy_init;
  __typeof__(curl_easy_cleanup) *easy_cleanup;
  __typeof__(curl_easy_reset) *easy_reset;
  __typeof__(curl_easy_setopt) *easy_setopt;
  __typeof__(curl_easy_getinfo) *easy_getinfo;
  __typeof__(curl_easy_strerror) *easy_strerror;
  __typeof__(curl_multi_init) *multi_init;
  __typeof__(curl_multi_cleanup) *multi_cleanup;
  __typeof__(curl_multi_add_handle) *multi_add_handle;
  __typeof__(curl_multi_remove_handle) *multi_remove_handle;
  __typeof__(curl_multi_perform) *multi_perform;
  __typeof__(curl_multi_poll) *multi_poll;
  __typeof__(curl_multi_info_read) *multi_info_read;
  __typeof__(curl_multi_strerror) *multi_strerror;
  __typeof__(curl_slist_append) *slist_append;
  __typeof__(curl_slist_free_all) *slist_free_all;
  __typeof__(curl_url) *url;
  __typeof__(curl_url_cleanup) *url_cleanup;
  __typeof__(curl_url_set) *url_set;
  __typeof__(curl_url_get) *url_get;
  __typeof__(curl_free) *free;
};

/// Loads the library into the process, where it stays. ERR_UNAVAILABLE when it is not installed.
bool curl_api_load(struct curl_api *ret_api, struct err *err);
