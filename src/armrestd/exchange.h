/*
 * One HTTP exchange: the request as it arrived, the user, and the answer.
 *
 * A handler of a route fills in the answer, or returns a negative errno with a sentence, which becomes a
 * problem document (RFC 9457). The errors are those of client/connection.h, so the sentence is that of the
 * command.
 */
#pragma once

#include "armrestd/users.h"
#include "util/arena.h"
#include "util/buf.h"

#include <jansson.h>
#include <microhttpd.h>

struct rest;
struct route;

/* ROWS_MAX: rows of an answer that has no pages */
enum { EXCHANGE_IDS = 2, ID_MAX = 256, ROWS_MAX = 10000 };
/* Releases of the library name it differently. */
enum { HTTP_TOO_LARGE = 413 };

struct exchange {
	struct rest *rest;
	struct MHD_Connection *http;
	const struct route *route;
	char ids[EXCHANGE_IDS][ID_MAX]; /* what stands for {...} in the path, decoded */
	struct buf body;
	bool too_large, crowded;
	struct arena *arena;

	struct rest_caller caller;
	struct rest_user *user; /* NULL: the route needs none */
	struct connection *c;   /* of the user, while the handler runs */

	/* the answer */
	unsigned status;
	json_t *json; /* NULL: text */
	struct buf text;
	const char *type;            /* of the text */
	struct MHD_Response *stream; /* instead of both */
	char location[64];
	char offset[24], size[24]; /* of a part of a file */
	unsigned retry_after_s;
	bool close; /* the connection, after the answer */
};

/* A value of the query; NULL: not given. */
const char *exchange_query(const struct exchange *x, const char *name);
const char *exchange_header(const struct exchange *x, const char *name);
/*
 * -EINVAL: a parameter of the query is unknown to the route, has no value, or comes twice. Ignoring one could
 * select more than was meant.
 */
int exchange_check_query(const struct exchange *x, struct err *err);
/* A whole number of the query in the range; otherwise -EINVAL. *ret stays if it is not given. */
int exchange_number(const struct exchange *x, const char *name, int64_t least, int64_t most,
		    int64_t *ret, struct err *err);
/* A flag of the query, 0 or 1; false if it is not given. */
int exchange_flag(const struct exchange *x, const char *name, bool *ret, struct err *err);
/* A value of the query, as members of messages take it; "" if it is not given. */
char *exchange_text(const struct exchange *x, const char *name);
/* The body, a JSON object; what: its members, for the message. -EINVAL: it is none. */
int exchange_body(const struct exchange *x, json_t **ret_root, const char *what, struct err *err);
/* Asks the controller as the user of the exchange; the reply is in the arena of the exchange. */
int exchange_ask(struct exchange *x, enum msg_type type, const void *request, enum msg_type want,
		 void *ret_message, struct err *err);
/* As exchange_ask(), for a request that is answered by a sentence; done: if it is empty. */
int exchange_ask_ok(struct exchange *x, enum msg_type type, const void *request, const char *done,
		    struct err *err);
/* Queues the answer, or the problem of rc. */
enum MHD_Result exchange_answer(struct exchange *x, int rc, const struct err *err);
/* A problem with a status of its own. */
enum MHD_Result exchange_problem(struct exchange *x, unsigned status, const char *detail);
