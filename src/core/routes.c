/* The one table of requests (S8); who may send them: core/rights.c. */
#include "core/request.h"
#include "util/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct route {
	enum msg_type type;
	void (*handler)(struct core *c, const void *message);
} routes[] = {
/* clang-format off */
#define ROUTE(type, fn) {MSG_##type, fn}
	ROUTE(PING,		req_ping),
	ROUTE(SUBMIT,		req_submit),
	ROUTE(CANCEL,		req_cancel),
	ROUTE(HOLD,		req_hold),
	ROUTE(REQUEUE,		req_requeue),
	ROUTE(PREEMPT,		req_preempt),
	ROUTE(UPDATE_JOB,	req_update_job),
	ROUTE(LIST_JOBS,	req_list_jobs),
	ROUTE(HISTORY,		req_history),
	ROUTE(SHOW_JOB,		req_show_job),
	ROUTE(WAIT_JOB,		req_wait_job),
	ROUTE(STEP,		req_step),
	ROUTE(EXPLAIN,		req_explain),
	ROUTE(ROUND,		req_round),
	ROUTE(SHARES,		req_shares),
	ROUTE(EXTEND_LEASE,	req_extend_lease),
	ROUTE(LIST_NODES,	req_list_nodes),
	ROUTE(UPDATE_NODE,	req_update_node),
	ROUTE(QUEUE,		req_queue),
	ROUTE(LIST_QUEUES,	req_list_queues),
	ROUTE(PERMISSIONS,	req_permissions),
	ROUTE(RECONFIGURE,	req_reconfigure),
	ROUTE(SHUTDOWN,		req_shutdown),
	ROUTE(REGISTER_NODE,	req_register_node),
	ROUTE(HEARTBEAT,	req_heartbeat),
	ROUTE(REPORTS,		req_reports),
#undef ROUTE
	/* clang-format on */
};

void reply(struct core *c, enum msg_type type, const void *message)
{
	effect_send(c, c->in->conn, c->in->request, type, message);
}

/* What did not fit was cut, perhaps within a character: no client reads such a text. */
static void end_whole(char *text)
{
	size_t len = strlen(text), at = len;

	while (at > 0 && len - at < 4 && ((unsigned char)text[at - 1] & 0xc0) == 0x80)
		at--;
	if (at > 0 && (unsigned char)text[at - 1] >= 0xc0) {
		unsigned char lead = text[at - 1];
		size_t want = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;

		if (len - (at - 1) < want)
			text[at - 1] = '\0';
	}
}

void reply_ok(struct core *c, const char *fmt, ...)
{
	Armada__OkReply m = ARMADA__OK_REPLY__INIT;
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	end_whole(text);
	m.text = text;
	reply(c, MSG_OK, &m);
}

void refuse(struct core *c, int code, const char *fmt, ...)
{
	Armada__ErrorReply m = ARMADA__ERROR_REPLY__INIT;
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	end_whole(text);
	m.code = code;
	m.text = text;
	reply(c, MSG_ERROR, &m);
}

static const char *name_of(const struct caller *who)
{
	return who->user ? who->user : "this user";
}

void route_message(struct core *c)
{
	const struct caller *who = c->in->caller;
	const struct right *right = right_of(c->in->type);

	for (size_t i = 0; right && right->role == who->role && i < ARRAY_SIZE(routes); i++) {
		const struct route *r = &routes[i];

		if (r->type != c->in->type)
			continue;
		if (right->verb != VERB_NONE && right->of == OF_NOTHING &&
		    !may(c, who, right->verb, NULL, NULL)) {
			refuse(c, 4,
			       "%s may not do this: only administrators may (admins in "
			       "armada.conf)",
			       name_of(who));
			return;
		}
		r->handler(c, c->in->message);
		return;
	}
	refuse(c, 4, "this request is not for this kind of connection");
}
