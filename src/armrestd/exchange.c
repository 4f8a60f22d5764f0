/*
 * Answers (exchange.h). Input: the result of a handler. Output: a response of the library, with the headers
 * that every answer has. An error becomes a problem document with the sentence that the command would print.
 */
#include "armrestd/exchange.h"

#include "armrestd/routes.h"
#include "armrestd/sentence.h"
#include "cmd/listing/listing.h"
#include "util/mem.h"
#include "util/nearest.h"
#include "util/units.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { PARAMS_MAX = 32 };

const char *exchange_query(const struct exchange *x, const char *name)
{
	return MHD_lookup_connection_value(x->http, MHD_GET_ARGUMENT_KIND, name);
}

const char *exchange_header(const struct exchange *x, const char *name)
{
	return MHD_lookup_connection_value(x->http, MHD_HEADER_KIND, name);
}

/* The parameters that have been seen, for a parameter that comes twice. */
struct seen {
	const struct exchange *x;
	unsigned given[PARAMS_MAX];
	struct err *err;
	int rc;
};

static int unknown(const struct route *r, const char *name, struct err *err)
{
	const char *words[PARAMS_MAX], *near;
	size_t n = 0;

	for (const struct route_param *p = r->params; p && p->name && n < PARAMS_MAX; p++)
		words[n++] = p->name;
	near = n ? nearest_word(name, words, n) : NULL;
	if (near)
		return err_set(err, -EINVAL, "unknown parameter '%.64s'; did you mean '%s'?", name,
			       near);
	return err_set(err, -EINVAL, "unknown parameter '%.64s': see /openapi.json", name);
}

static int see(struct seen *s, const char *name, const char *value)
{
	const struct route *r = s->x->route;
	size_t i = 0;

	while (r->params && r->params[i].name && strcmp(r->params[i].name, name) != 0)
		i++;
	if (!r->params || !r->params[i].name)
		return unknown(r, name, s->err);
	if (!value || !*value)
		return err_set(s->err, -EINVAL, "%s: needs a value", name);
	assert(i < PARAMS_MAX);
	if (s->given[i]++)
		return err_set(s->err, -EINVAL, "%s: given twice", name);
	return 0;
}

static enum MHD_Result see_param(void *arg, enum MHD_ValueKind kind, const char *name,
				 const char *value)
{
	struct seen *s = arg;

	(void)kind;
	s->rc = see(s, name ? name : "", value);
	return s->rc == 0 ? MHD_YES : MHD_NO;
}

int exchange_check_query(const struct exchange *x, struct err *err)
{
	struct seen s = {.x = x, .err = err};

	MHD_get_connection_values(x->http, MHD_GET_ARGUMENT_KIND, see_param, &s);
	return s.rc;
}

int exchange_number(const struct exchange *x, const char *name, int64_t least, int64_t most,
		    int64_t *ret, struct err *err)
{
	const char *text = exchange_query(x, name);
	int rc = text ? parse_int(text, least, most, ret, err) : 0;

	return rc < 0 ? err_prefix(err, -EINVAL, "%s", name) : 0;
}

int exchange_flag(const struct exchange *x, const char *name, bool *ret, struct err *err)
{
	int64_t value = 0;
	int rc = exchange_number(x, name, 0, 1, &value, err);

	*ret = value;
	return rc;
}

char *exchange_text(const struct exchange *x, const char *name)
{
	const char *text = exchange_query(x, name);

	return (char *)(uintptr_t)(text ? text : "");
}

int exchange_body(const struct exchange *x, json_t **ret_root, const char *what, struct err *err)
{
	const char *text = x->body.len ? (const char *)x->body.data : "";
	json_error_t bad;
	json_t *root = json_loadb(text, x->body.len, JSON_REJECT_DUPLICATES, &bad);

	*ret_root = json_is_object(root) ? root : NULL;
	if (*ret_root)
		return 0;
	json_decref(root);
	return err_set(err, -EINVAL, "the body is not a JSON object with %s%s%s", what,
		       root ? "" : ": ", root ? "" : bad.text);
}

int exchange_ask(struct exchange *x, enum msg_type type, const void *request, enum msg_type want,
		 void *ret_message, struct err *err)
{
	int rc = connection_ask(x->c, type, request, want, x->arena, 0, ret_message, err);

	/* the controller ended the session: the token was revoked, for example */
	if (rc == -EPERM && connection_fd(x->c) < 0)
		return -EACCES;
	return rc;
}

int exchange_ask_ok(struct exchange *x, enum msg_type type, const void *request, const char *done,
		    struct err *err)
{
	const Armada__OkReply *r;
	int rc = exchange_ask(x, type, request, MSG_OK, &r, err);

	if (rc < 0)
		return rc;
	x->json = listing_json_new();
	json_object_set_new(x->json, "text", json_string(r->text[0] ? r->text : done));
	return 0;
}

/* The statuses of the errors of client/connection.h. */
static const struct {
	int rc;
	unsigned status;
	const char *title;
} statuses[] = {
	{-EINVAL, MHD_HTTP_BAD_REQUEST, "Bad request"},
	{-EACCES, MHD_HTTP_UNAUTHORIZED, "Not authenticated"},
	{-EPERM, MHD_HTTP_FORBIDDEN, "Not permitted"},
	{-ENOENT, MHD_HTTP_NOT_FOUND, "Not found"},
	{-E2BIG, HTTP_TOO_LARGE, "Too large"},
	{-ENOTSUP, MHD_HTTP_METHOD_NOT_ALLOWED, "Method not allowed"},
	{-EDQUOT, MHD_HTTP_TOO_MANY_REQUESTS, "Too many requests"},
	{-EAGAIN, MHD_HTTP_SERVICE_UNAVAILABLE, "Try again"},
	{-EBADE, 422, "Refused"}, /* the last: every other error */
};

static void add_headers(struct exchange *x, struct MHD_Response *r, unsigned status)
{
	char number[24];

	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(r, "Cache-Control", "no-store");
	MHD_add_response_header(r, "Content-Security-Policy", "default-src 'none'");
	if (x->close)
		MHD_add_response_header(r, "Connection", "close");
	if (x->location[0])
		MHD_add_response_header(r, "Location", x->location);
	if (x->size[0]) {
		MHD_add_response_header(r, "Armada-Offset", x->offset);
		MHD_add_response_header(r, "Armada-Size", x->size);
	}
	if (status == MHD_HTTP_UNAUTHORIZED)
		MHD_add_response_header(r, "WWW-Authenticate", "Bearer realm=\"armada\"");
	if (x->retry_after_s || status == MHD_HTTP_SERVICE_UNAVAILABLE) {
		snprintf(number, sizeof(number), "%u", x->retry_after_s ? x->retry_after_s : 1);
		MHD_add_response_header(r, "Retry-After", number);
	}
}

static enum MHD_Result send_text(struct exchange *x, unsigned status, const char *type,
				 const void *text, size_t len)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(len, (void *)(uintptr_t)text,
								 MHD_RESPMEM_MUST_COPY);
	enum MHD_Result rc;

	MHD_add_response_header(r, "Content-Type", type);
	add_headers(x, r, status);
	rc = MHD_queue_response(x->http, status, r);
	MHD_destroy_response(r);
	return rc;
}

static enum MHD_Result send_json(struct exchange *x, unsigned status, const char *type,
				 json_t *json)
{
	CLEANUP_FREE char *text = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);

	return send_text(x, status, type, text ? text : "{}", text ? strlen(text) : 2);
}

static enum MHD_Result problem(struct exchange *x, unsigned status, const char *title,
			       const char *detail)
{
	json_t *o = json_object();
	enum MHD_Result rc;

	json_object_set_new(o, "type", json_string("about:blank"));
	json_object_set_new(o, "title", json_string(title));
	json_object_set_new(o, "status", json_integer((json_int_t)status));
	json_object_set_new(o, "detail", sentence_json(detail));
	rc = send_json(x, status, "application/problem+json", o);
	json_decref(o);
	return rc;
}

enum MHD_Result exchange_problem(struct exchange *x, unsigned status, const char *detail)
{
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		if (statuses[i].status == status)
			return problem(x, status, statuses[i].title, detail);
	return problem(x, status, "Refused", detail);
}

enum MHD_Result exchange_answer(struct exchange *x, int rc, const struct err *err)
{
	size_t i = 0;

	if (rc < 0) {
		while (i + 1 < ARRAY_SIZE(statuses) && statuses[i].rc != rc)
			i++;
		return problem(x, statuses[i].status, statuses[i].title, err->text);
	}
	if (x->stream) {
		add_headers(x, x->stream, MHD_HTTP_OK);
		return MHD_queue_response(x->http, MHD_HTTP_OK, x->stream);
	}
	if (x->json)
		return send_json(x, x->status ? x->status : MHD_HTTP_OK, "application/json",
				 x->json);
	return send_text(x, x->status ? x->status : MHD_HTTP_OK,
			 x->type ? x->type : "text/plain; charset=utf-8",
			 x->text.data ? (const void *)x->text.data : "", x->text.len);
}
