// SPDX-License-Identifier: Apache-2.0
// POST /v1/setup: the first user. Whoever can read the data directory may do it: over HTTP that is shown by the
// one-time token in the file setup-token there, in process by being there. The file is read when it is needed and
// removed once the user is durable; a second setup is refused by the users table, whatever files there are.
#include "api/platform_setup.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "access/accounts.h"
#include "api/call.h"
#include "api/passwords.h"
#include "api/platform_documents.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/secret.h"
#include "sys/file.h"

enum { TOKEN_FILE_MAX_BYTES = 256 };

struct setup {
  const char *password_hash;
  struct user user;
  struct organization organization;
  char token[SECRET_TOKEN_MAX];
  int64_t expires_at;
};

static char *token_path(const struct api_call *call) {
  return path_join(call->config->data_dir, "setup-token");
}

static bool check_required(struct api_call *call) {
  bool required;
  return accounts_setup_required(call_reader(call), &required, &call->err) &&
         (required || err_set(&call->err, ERR_SETUP_COMPLETE,
                              "This engine is set up already; log in, or ask an admin for an account."));
}

/// In constant time for texts of one length; the length of a token is no secret.
static bool same(struct str a, struct str b) {
  return a.len == b.len && secret_equal(a.data, b.data, a.len);
}

static bool check_token(struct api_call *call) {
  if (call->exchange->request.local) return true;
  AUTO(mem_auto_free) char *path = token_path(call);
  AUTO(buf_done) struct buf kept = {0};
  struct err unreadable = {0};
  if (!file_read(path, TOKEN_FILE_MAX_BYTES, &kept, &unreadable))
    return err_set(&call->err, ERR_UNAVAILABLE,
                   "There is no setup token in the engine's data directory; restart the engine to have one made.");
  struct str rest = buf_str(&kept);
  struct str expected = str_cut(&rest, '\n'), sent = call_text(call, "token");
  return (expected.len > 0 && same(sent, expected)) ||
         err_set(&call->err, ERR_UNAUTHENTICATED,
                 "This is not the setup token; `olivares serve` prints it and keeps it in the file setup-token of its "
                 "data directory.");
}

static bool apply_setup(struct api_call *call, struct store_conn *conn, struct err *err) {
  struct setup *setup = call->state;
  return accounts_setup(conn, call->arena, call_text(call, "email"), setup->password_hash,
                        call_text(call, "organization"), call->now_ns, &setup->user, &setup->organization, err) &&
         login_record_success(conn, setup->user.id, call->now_ns, setup->token, &setup->expires_at, err);
}

static void reply_setup(struct api_call *call) {
  const struct setup *setup = call->state;
  AUTO(mem_auto_free) char *path = token_path(call);
  if (unlink(path) < 0 && errno != ENOENT)
    log_event(LOG_LEVEL_WARN, "setup.token_left", "path=%s message=\"%s\"", path, strerror(errno));
  struct json_writer *out = &call->out;
  jw_object(out, NULL);
  write_user(out, "user", &setup->user);
  write_organization(out, "organization", &setup->organization);
  jw_c(out, "token", setup->token);
  write_time(out, "expires_at", setup->expires_at);
  jw_object_end(out);
  call_ok(call);
}

static void with_hash(struct api_call *call, const char *hash) {
  ((struct setup *)call->state)->password_hash = hash;
  call_mutate(call, apply_setup, reply_setup);
}

void setup_create(struct api_call *call) {
  struct str password = call_text(call, "password");
  if (!check_required(call) || !check_token(call) || !email_check(call_text(call, "email"), &call->err) ||
      !password_check(password, &call->err)) {
    call_fail(call, &call->err);
    return;
  }
  call->state = arena_alloc(call->arena, sizeof(struct setup));
  password_hash(call, password, with_hash);
}
