// SPDX-License-Identifier: Apache-2.0
// libcurl brings some thirty libraries with it, and linking them takes longer than most commands take as a whole. It is
// therefore loaded when a command first talks to a server, and never by a command that works on the data directory.
#include "app/lua_curl.h"

#include <stddef.h>

#include "base/library.h"

// The name that belongs to the header above (the library's ABI version).
static const char library[] = "libcurl.so.4";

bool curl_api_load(struct curl_api *ret_api, struct err *err) {
#define ENTRY(member, symbol)                                                                                          \
  { symbol, offsetof(struct curl_api, member) }
  static const struct library_symbol symbols[] = {
      ENTRY(global_init, "curl_global_init"),
      ENTRY(global_cleanup, "curl_global_cleanup"),
      ENTRY(easy_init, "curl_easy_init"),
      ENTRY(easy_cleanup, "curl_easy_cleanup"),
      ENTRY(easy_reset, "curl_easy_reset"),
      ENTRY(easy_setopt, "curl_easy_setopt"),
      ENTRY(easy_getinfo, "curl_easy_getinfo"),
      ENTRY(easy_strerror, "curl_easy_strerror"),
      ENTRY(multi_init, "curl_multi_init"),
      ENTRY(multi_cleanup, "curl_multi_cleanup"),
      ENTRY(multi_add_handle, "curl_multi_add_handle"),
      ENTRY(multi_remove_handle, "curl_multi_remove_handle"),
      ENTRY(multi_perform, "curl_multi_perform"),
      ENTRY(multi_poll, "curl_multi_poll"),
      ENTRY(multi_info_read, "curl_multi_info_read"),
      ENTRY(multi_strerror, "curl_multi_strerror"),
      ENTRY(slist_append, "curl_slist_append"),
      ENTRY(slist_free_all, "curl_slist_free_all"),
      ENTRY(url, "curl_url"),
      ENTRY(url_cleanup, "curl_url_cleanup"),
      ENTRY(url_set, "curl_url_set"),
      ENTRY(url_get, "curl_url_get"),
      ENTRY(free, "curl_free"),
  };
#undef ENTRY
  struct curl_api api = {0};
  if (!library_load(library, symbols, sizeof symbols / sizeof *symbols, &api, err))
    return err_wrap(err, "--server needs libcurl");
  *ret_api = api;
  return true;
}
