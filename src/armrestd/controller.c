/*
 * Routes of the controller itself: what actl ping, copies, reconfigure, takeover, shutdown, log, license and
 * token do, and the numbers and the health of the gateway.
 */
#include "armrestd/metrics.h"
#include "armrestd/rest.h"
#include "armrestd/routes.h"
#include "cmd/actl/log.h"
#include "cmd/actl/ping.h"
#include "cmd/actl/reconfigure.h"
#include "cmd/actl/token.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

enum { SECRET = 32, WORDS_MAX = 64, TOTAL_MAX = 1000000000 };

#define ROWS(list) ((const void *const *)(list))

int show_cluster(struct exchange *x, struct err *err)
{
	Armada__PingRequest q = ARMADA__PING_REQUEST__INIT;
	Armada__ControllersRequest of = ARMADA__CONTROLLERS_REQUEST__INIT;
	const Armada__ControllersReply *c;
	const Armada__PingReply *r;
	int rc = exchange_ask(x, MSG_PING, &q, MSG_PING_REPLY, &r, err);

	if (rc == 0)
		rc = exchange_ask(x, MSG_CONTROLLERS, &of, MSG_CONTROLLERS_REPLY, &c, err);
	if (rc < 0)
		return rc;
	x->json = ping_json(r, c);
	json_object_set_new(x->json, "started", json_integer(r->started_us));
	json_object_set_new(x->json, "time", json_integer(r->time_us));
	json_object_set_new(x->json, "log_record", json_integer((json_int_t)r->log_seq));
	json_object_set_new(x->json, "stale", json_integer((json_int_t)r->stale));
	json_object_set_new(x->json, "nodes_not_limited", json_integer(r->nodes_not_limited));
	json_object_set_new(x->json, "nodes_cpus_weaker", json_integer(r->nodes_cpus_weaker));
	json_object_set_new(x->json, "problem",
			    r->problem[0] ? json_string(r->problem) : json_null());
	return 0;
}

int reconfigure(struct exchange *x, struct err *err)
{
	Armada__ReconfigureRequest q = ARMADA__RECONFIGURE_REQUEST__INIT;
	const Armada__ReconfigureReply *r;
	bool dry_run;
	int rc = exchange_flag(x, "dry_run", &dry_run, err);

	if (rc < 0)
		return rc;
	if (!dry_run)
		return exchange_ask_ok(x, MSG_RECONFIGURE, &q, "Configuration read again", err);
	q.dry_run = true;
	rc = exchange_ask(x, MSG_RECONFIGURE, &q, MSG_RECONFIGURE_REPLY, &r, err);
	if (rc < 0)
		return rc;
	x->json = listing_json_new();
	json_object_set_new(x->json, "changes",
			    listing_json(&change_listing, ROWS(r->changes), r->n_changes));
	return 0;
}

int take_over(struct exchange *x, struct err *err)
{
	Armada__TakeoverRequest q = ARMADA__TAKEOVER_REQUEST__INIT;

	q.name = exchange_text(x, "name");
	return exchange_ask_ok(x, MSG_TAKEOVER, &q, "The lead is given up", err);
}

int change_copy(struct exchange *x, struct err *err)
{
	Armada__CopyChangeRequest q = ARMADA__COPY_CHANGE_REQUEST__INIT;
	bool member;
	int rc = exchange_flag(x, "member", &member, err);

	if (rc < 0)
		return rc;
	q.name = exchange_text(x, "name");
	q.member = member;
	return exchange_ask_ok(x, MSG_COPY_CHANGE, &q, "The set of copies is changed", err);
}

int shut_down(struct exchange *x, struct err *err)
{
	Armada__ShutdownRequest q = ARMADA__SHUTDOWN_REQUEST__INIT;

	return exchange_ask_ok(x, MSG_SHUTDOWN, &q, "The controller stops; jobs continue", err);
}

static int ask_log(struct exchange *x, char **words, size_t count, struct err *err)
{
	Armada__LogLevelsRequest q = ARMADA__LOG_LEVELS_REQUEST__INIT;
	const Armada__LogLevelsReply *r;
	int rc;

	q.set = words;
	q.n_set = count;
	rc = exchange_ask(x, MSG_LOG_LEVELS, &q, MSG_LOG_LEVELS_REPLY, &r, err);
	if (rc < 0)
		return rc;
	x->json = listing_json_new();
	json_object_set_new(x->json, log_listing.key,
			    listing_json(&log_listing, ROWS(r->rows), r->n_rows));
	return 0;
}

int show_log(struct exchange *x, struct err *err)
{
	return ask_log(x, NULL, 0, err);
}

/* {"net": "debug"}: a member for each area. */
int set_log(struct exchange *x, struct err *err)
{
	char *words[WORDS_MAX];
	json_t *root = NULL, *value;
	const char *area;
	size_t count = 0;
	int rc = exchange_body(x, &root, "areas and their levels", err);

	if (rc < 0)
		return rc;
	json_object_foreach(root, area, value)
	{
		if (!json_is_string(value) || count == WORDS_MAX)
			rc = err_set(err, -EINVAL, "%.64s: expected a level, such as \"debug\"",
				     area);
		else
			words[count++] =
				arena_printf(x->arena, "%s=%s", area, json_string_value(value));
	}
	if (rc == 0 && !count)
		rc = err_set(err, -EINVAL, "no level given: {\"net\": \"debug\"}");
	if (rc == 0)
		rc = ask_log(x, words, count, err);
	json_decref(root);
	return rc;
}

/* {"total": 10}, or {"total": "default"}. */
int set_resource(struct exchange *x, struct err *err)
{
	Armada__SetFloatingRequest q = ARMADA__SET_FLOATING_REQUEST__INIT;
	json_t *root = NULL, *total;
	int rc = exchange_body(x, &root, "total", err);

	if (rc < 0)
		return rc;
	total = json_object_get(root, "total");
	q.name = x->ids[0];
	q.reset = json_is_string(total) && strcmp(json_string_value(total), "default") == 0;
	q.total = json_integer_value(total);
	if (json_object_size(root) != 1 || (!q.reset && !json_is_integer(total)) || q.total < 0 ||
	    q.total > TOTAL_MAX)
		rc = err_set(err, -EINVAL,
			     "expected {\"total\": N} with a total of 0 to %d, or {\"total\": "
			     "\"default\"}",
			     TOTAL_MAX);
	if (rc == 0)
		rc = exchange_ask_ok(x, MSG_SET_FLOATING, &q, "Set", err);
	json_decref(root);
	return rc;
}

/* ---- tokens ---- */

/* The verbs of the body: a list of words, or none. */
static int read_verbs(const json_t *list, char **words, size_t *ret_count, struct err *err)
{
	size_t count = json_array_size(list);

	*ret_count = 0;
	if (!list)
		return 0;
	if (!count || count > WORDS_MAX)
		return err_set(err, -EINVAL, "verbs: must name at least one verb");
	for (size_t i = 0; i < count; i++) {
		words[i] = (char *)(uintptr_t)json_string_value(json_array_get(list, i));
		if (!words[i])
			return err_set(err, -EINVAL, "verbs: must be a list of strings");
	}
	*ret_count = count;
	return 0;
}

static int read_token(json_t *root, Armada__CreateTokenRequest *q, struct err *err)
{
	const json_t *verbs = NULL;
	const char *queue = "", *label = "", *expires = NULL;
	json_error_t bad;
	int64_t us = 0;
	int rc;

	if (json_unpack_ex(root, &bad, 0, "{s?o, s?s, s?s, s?s!}", "verbs", &verbs, "queue", &queue,
			   "label", &label, "expires", &expires) < 0)
		return err_set(err, -EINVAL,
			       "expected verbs (a list), queue, label and expires: %s", bad.text);
	rc = read_verbs(verbs, q->verbs, &q->n_verbs, err);
	if (rc == 0 && expires && (rc = parse_duration(expires, &us, err)) < 0)
		return err_prefix(err, -EINVAL, "expires");
	if (rc == 0 && expires && us < 1000000)
		return err_set(err, -EINVAL, "expires: must be at least a second");
	q->queue = (char *)(uintptr_t)queue;
	q->label = (char *)(uintptr_t)label;
	q->lifetime_s = us / 1000000;
	return rc;
}

/* For a peer of the Unix socket: a token never makes other tokens. */
int create_token(struct exchange *x, struct err *err)
{
	Armada__CreateTokenRequest q = ARMADA__CREATE_TOKEN_REQUEST__INIT;
	const Armada__CreateTokenReply *r;
	uint8_t secret[SECRET];
	char *words[WORDS_MAX];
	json_t *root = NULL;
	int rc = exchange_body(x, &root, "the scope of a token", err);

	q.verbs = words;
	if (rc == 0)
		rc = read_token(root, &q, err);
	randombytes_buf(secret, sizeof(secret));
	q.secret = (ProtobufCBinaryData){sizeof(secret), secret};
	if (rc == 0)
		rc = exchange_ask(x, MSG_CREATE_TOKEN, &q, MSG_CREATE_TOKEN_REPLY, &r, err);
	sodium_memzero(secret, sizeof(secret));
	json_decref(root);
	if (rc < 0)
		return rc;
	x->json = listing_json_new();
	json_object_set_new(x->json, "tokens", listing_json(&token_listing, ROWS(&r->row), 1));
	json_object_set_new(x->json, "token", json_string(r->token));
	x->status = MHD_HTTP_CREATED;
	return 0;
}

int revoke_token(struct exchange *x, struct err *err)
{
	Armada__RevokeTokensRequest q = ARMADA__REVOKE_TOKENS_REQUEST__INIT;
	uint64_t number;
	int64_t value;

	if (parse_int(x->ids[0], 1, INT64_MAX, &value, err) < 0)
		return err_prefix(err, -EINVAL, "%.64s: the number of a token", x->ids[0]);
	number = (uint64_t)value;
	q.numbers = &number;
	q.n_numbers = 1;
	return exchange_ask_ok(x, MSG_REVOKE_TOKENS, &q, "Revoked", err);
}

int show_configuration(struct exchange *x, struct err *err)
{
	(void)err;
	conf_show(x->rest->conf, false, &x->text);
	return 0;
}

int live(struct exchange *x, struct err *err)
{
	(void)err;
	buf_addstr(&x->text, "ok\n");
	return 0;
}

int metrics(struct exchange *x, struct err *err)
{
	const char *accept = exchange_header(x, "Accept");
	bool open = accept && strstr(accept, "application/openmetrics-text");

	(void)err;
	metrics_print(x->rest->metrics, open, &x->text);
	x->type = open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
		       : "text/plain; version=0.0.4; charset=utf-8";
	return 0;
}

/* The gateway asks as its own user, over a connection that no user has. */
int ready(struct exchange *x, struct err *err)
{
	Armada__PingRequest q = ARMADA__PING_REQUEST__INIT;
	struct connection *c = connection_like(x->rest->own);
	const Armada__PingReply *r;
	int rc = connection_ask(c, MSG_PING, &q, MSG_PING_REPLY, x->arena, 0, &r, err);

	connection_free(c);
	if (rc < 0)
		return -EAGAIN;
	buf_addstr(&x->text, "ok\n");
	return 0;
}
