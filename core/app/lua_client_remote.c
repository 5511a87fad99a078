// SPDX-License-Identifier: Apache-2.0
// Requests to a server. The token goes to that server and nowhere else: redirects are not followed, a proxy is not used
// for this machine, and certificates are checked.
#include <poll.h>
#include <stdlib.h>
#include <strings.h>

#include "app/lua_client.h"
#include "app/lua_curl.h"
#include "base/mem.h"

enum { CONNECT_TIMEOUT_MS = 10000, ADDRESS_MAX_BYTES = 4096, HEADER_MAX_BYTES = 8192 };

struct client_remote {
  struct curl_api curl;
  CURLM *multi;
  CURL *easy;
  char *server; ///< without a slash at the end
  char *token;  ///< or NULL
  struct client_address address;
};

// One request under way.
struct exchange {
  struct client_remote *client;
  const struct client_request *request;
  struct client_answer *answer;
  struct curl_slist *headers;
  char reason[CURL_ERROR_SIZE];
  bool is_stream, known;
};

static bool is_loopback(const char *host) {
  if (strcasecmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0) return true;
  return strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == strlen(host);
}

static bool part_present(const struct curl_api *curl, CURLU *url, CURLUPart part) {
  char *text = NULL;
  bool present = curl->url_get(url, part, &text, 0) == CURLUE_OK;
  curl->free(text);
  return present;
}

static bool read_address(struct client_remote *client, CURLU *url, const char *server, struct err *err) {
  const struct curl_api *curl = &client->curl;
  char *scheme = NULL, *host = NULL;
  bool ok = curl->url_set(url, CURLUPART_URL, server, 0) == CURLUE_OK &&
            curl->url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
            curl->url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
            (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0) && !part_present(curl, url, CURLUPART_USER) &&
            !part_present(curl, url, CURLUPART_QUERY) && !part_present(curl, url, CURLUPART_FRAGMENT);
  if (ok)
    client->address = (struct client_address){.loopback = is_loopback(host), .encrypted = scheme[4] == 's'};
  else
    err_set_at(err, ERR_BAD_REQUEST, "--server", "'%s' is no server address; one looks like http://127.0.0.1:8440.",
               server);
  curl->free(scheme);
  curl->free(host);
  return ok;
}

static bool check_address(struct client_remote *client, const char *server, struct err *err) {
  CURLU *url = client->curl.url();
  if (!url) return err_set(err, ERR_UNAVAILABLE, "libcurl could not be set up.");
  bool ok = read_address(client, url, server, err);
  client->curl.url_cleanup(url);
  return ok;
}

static bool is_header_text(const char *text) {
  for (; *text; text++)
    if (*text < 0x21 || *text > 0x7e) return false;
  return true;
}

static char *without_last_slashes(const char *server) {
  struct str text = str_c(server);
  while (text.len > 0 && text.data[text.len - 1] == '/') text.len--;
  return mem_strdup(text);
}

bool client_remote_open(const char *server, const char *token, struct client_remote **ret_client, struct err *err) {
  struct curl_api curl;
  if (!curl_api_load(&curl, err)) return false;
  struct client_remote *client = mem_zalloc(sizeof *client);
  client->curl = curl;
  bool ok = curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  if (ok) {
    client->easy = curl.easy_init();
    client->multi = curl.multi_init();
  }
  if (!ok || !client->easy || !client->multi) {
    ok = err_set(err, ERR_UNAVAILABLE, "libcurl could not be set up.");
  } else if (token && !is_header_text(token)) {
    ok = err_set_at(err, ERR_BAD_REQUEST, "--token", "A token has neither blanks nor control characters.");
  } else {
    ok = check_address(client, server, err);
  }
  if (!ok) {
    client_remote_close(client);
    return false;
  }
  client->server = without_last_slashes(server);
  client->token = token ? mem_strdup(str_c(token)) : NULL;
  *ret_client = client;
  return true;
}

struct client_address client_remote_address(const struct client_remote *client) {
  return client->address;
}

void client_remote_close(struct client_remote *client) {
  if (!client) return;
  if (client->easy) client->curl.easy_cleanup(client->easy);
  if (client->multi) client->curl.multi_cleanup(client->multi);
  client->curl.global_cleanup();
  free(client->server);
  free(client->token);
  free(client);
}

/// Whether this answer is an event stream, decided at its first byte.
static bool goes_to_events(struct exchange *exchange) {
  if (!exchange->known) {
    exchange->known = true;
    long status = 0;
    char *type = NULL;
    const struct curl_api *curl = &exchange->client->curl;
    curl->easy_getinfo(exchange->client->easy, CURLINFO_RESPONSE_CODE, &status);
    curl->easy_getinfo(exchange->client->easy, CURLINFO_CONTENT_TYPE, &type);
    exchange->is_stream =
        exchange->request->events && status == 200 && type && strncasecmp(type, "text/event-stream", 17) == 0;
  }
  return exchange->is_stream;
}

static size_t take_bytes(char *bytes, size_t size, size_t count, void *ctx) {
  struct exchange *exchange = ctx;
  struct str piece = {bytes, size * count};
  bool taken = goes_to_events(exchange) ? sse_feed(exchange->request->events, piece)
                                        : buf_add_str(exchange->answer->body, piece);
  return taken ? piece.len : 0;
}

static void add_header(struct exchange *exchange, const char *name, struct str value) {
  if (!str_present(value)) return;
  AUTO(buf_done) struct buf line;
  buf_init(&line, HEADER_MAX_BYTES);
  buf_addf(&line, "%s: %.*s", name, STR_ARG(value));
  exchange->headers = exchange->client->curl.slist_append(exchange->headers, buf_str(&line).data);
}

static void set_headers(struct exchange *exchange) {
  const struct client_request *request = exchange->request;
  add_header(exchange, "Accept", request->events ? STR("text/event-stream") : STR("application/json"));
  add_header(exchange, "Content-Type", str_present(request->body) ? STR("application/json") : STR(""));
  add_header(exchange, "Expect", STR("")); // an empty one keeps curl from sending its own
  add_header(exchange, "X-Olivares-Tenant", request->tenant);
  add_header(exchange, "Last-Event-ID", request->last_event_id);
  exchange->client->curl.easy_setopt(exchange->client->easy, CURLOPT_HTTPHEADER, exchange->headers);
}

static void set_method(const struct curl_api *curl, CURL *easy, const struct client_request *request) {
  if (request->method != HTTP_GET) {
    struct str body = str_present(request->body) ? request->body : STR("");
    curl->easy_setopt(easy, CURLOPT_POST, 1L);
    curl->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.len);
    curl->easy_setopt(easy, CURLOPT_POSTFIELDS, body.data);
  }
  curl->easy_setopt(easy, CURLOPT_CUSTOMREQUEST, http_method_name(request->method));
}

static void set_up(struct exchange *exchange, const char *url) {
  const struct client_remote *client = exchange->client;
  const struct curl_api *curl = &client->curl;
  CURL *easy = client->easy;
  curl->easy_reset(easy);
  curl->easy_setopt(easy, CURLOPT_URL, url);
  curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl->easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_TIMEOUT_MS);
  curl->easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl->easy_setopt(easy, CURLOPT_USERAGENT, "olivares/" OLIVARES_VERSION);
  curl->easy_setopt(easy, CURLOPT_ERRORBUFFER, exchange->reason);
  curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_bytes);
  curl->easy_setopt(easy, CURLOPT_WRITEDATA, exchange);
  if (client->address.loopback) curl->easy_setopt(easy, CURLOPT_PROXY, "");
  if (client->token) {
    curl->easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
    curl->easy_setopt(easy, CURLOPT_XOAUTH2_BEARER, client->token);
  }
  set_method(curl, easy, exchange->request);
  set_headers(exchange);
}

static enum client_end fail(const struct client_remote *client, const char *reason, struct err *err) {
  err_set(err, ERR_UNAVAILABLE, "No answer from %s: %s.", client->server, reason);
  return CLIENT_FAILED;
}

/// What the finished transfer came to.
static enum client_end conclude(struct exchange *exchange, CURLcode code, struct err *err) {
  struct client_remote *client = exchange->client;
  if (exchange->request->events && exchange->request->events->ended)
    return fail(client, "its event stream could not be read to the end", err);
  if (exchange->answer->body->over) return fail(client, "it is larger than this program reads", err);
  if (code != CURLE_OK)
    return fail(client, exchange->reason[0] ? exchange->reason : client->curl.easy_strerror(code), err);
  long status = 0;
  client->curl.easy_getinfo(client->easy, CURLINFO_RESPONSE_CODE, &status);
  exchange->answer->status = (unsigned)status;
  return CLIENT_ANSWERED;
}

static enum client_end drive(struct exchange *exchange, struct err *err) {
  struct client_remote *client = exchange->client;
  const struct curl_api *curl = &client->curl;
  struct curl_waitfd interrupt = {.fd = exchange->request->interrupt_fd, .events = CURL_WAIT_POLLIN};
  unsigned extra = interrupt.fd >= 0 ? 1 : 0;
  for (;;) {
    int running = 0, left = 0;
    CURLMcode code = curl->multi_perform(client->multi, &running);
    const CURLMsg *message = curl->multi_info_read(client->multi, &left);
    if (message && message->msg == CURLMSG_DONE) return conclude(exchange, message->data.result, err);
    interrupt.revents = 0;
    if (code == CURLM_OK) code = curl->multi_poll(client->multi, &interrupt, extra, 1000, NULL);
    if (code != CURLM_OK) return fail(client, curl->multi_strerror(code), err);
    if (interrupt.revents) return CLIENT_INTERRUPTED;
  }
}

enum client_end client_remote_send(struct client_remote *client, const struct client_request *request,
                                   struct client_answer *answer, struct err *err) {
  AUTO(buf_done) struct buf url;
  buf_init(&url, ADDRESS_MAX_BYTES + HEADER_MAX_BYTES);
  buf_addf(&url, "%s%.*s", client->server, STR_ARG(request->path));
  if (url.over) return fail(client, "the request's address is too long", err);
  struct exchange exchange = {.client = client, .request = request, .answer = answer};
  set_up(&exchange, buf_str(&url).data);
  enum client_end end = CLIENT_FAILED;
  CURLMcode code = client->curl.multi_add_handle(client->multi, client->easy);
  if (code == CURLM_OK) {
    end = drive(&exchange, err);
    client->curl.multi_remove_handle(client->multi, client->easy);
  } else {
    fail(client, client->curl.multi_strerror(code), err);
  }
  client->curl.slist_free_all(exchange.headers);
  return end;
}
