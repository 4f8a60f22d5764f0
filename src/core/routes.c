/* The one table of requests, and the one of permissions (S8, S11). */
#include "core/request.h"
#include "util/mem.h"

#include <stdarg.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What a caller is to an object. Bits. */
enum relation {
	IS_ANYBODY = 1,
	IS_ADMIN = 2,
	IS_JOB_OWNER = 4,
	IS_QUEUE_OWNER = 8,
	IS_QUEUE_OPEN = 16, /* the queue names no owners: anybody may submit */
};

static const unsigned allowed[VERB_COUNT] = {
	[VERB_NONE] = 0,
	[VERB_SUBMIT] = IS_ADMIN | IS_QUEUE_OWNER | IS_QUEUE_OPEN,
	[VERB_WATCH] = IS_ANYBODY,
	[VERB_CANCEL] = IS_ADMIN | IS_JOB_OWNER | IS_QUEUE_OWNER,
	[VERB_SECRET] = IS_ADMIN | IS_JOB_OWNER,
	[VERB_STEP] = IS_JOB_OWNER,
	[VERB_QUEUE] = IS_ADMIN,
	[VERB_ADMIN] = IS_ADMIN,
};

static const struct route {
	enum msg_type type;
	enum role role;
	enum verb verb; /* asked of the caller before the handler runs; NONE: the handler asks */
	void (*handler)(struct core *c, const void *message);
} routes[] = {
/* clang-format off */
#define ROUTE(type, role, verb, fn) \
	{ MSG_##type, ROLE_##role, VERB_##verb, fn }
	ROUTE(PING,		CLIENT, WATCH,	req_ping),
	ROUTE(SUBMIT,		CLIENT, NONE,	req_submit),
	ROUTE(CANCEL,		CLIENT, NONE,	req_cancel),
	ROUTE(HOLD,		CLIENT, NONE,	req_hold),
	ROUTE(REQUEUE,		CLIENT, NONE,	req_requeue),
	ROUTE(UPDATE_JOB,	CLIENT, NONE,	req_update_job),
	ROUTE(LIST_JOBS,	CLIENT, WATCH,	req_list_jobs),
	ROUTE(HISTORY,		CLIENT, WATCH,	req_history),
	ROUTE(SHOW_JOB,		CLIENT, WATCH,	req_show_job),
	ROUTE(WAIT_JOB,		CLIENT, WATCH,	req_wait_job),
	ROUTE(STEP,		CLIENT, NONE,	req_step),
	ROUTE(EXPLAIN,		CLIENT, WATCH,	req_explain),
	ROUTE(ROUND,		CLIENT, WATCH,	req_round),
	ROUTE(EXTEND_LEASE,	CLIENT, ADMIN,	req_extend_lease),
	ROUTE(LIST_NODES,	CLIENT, WATCH,	req_list_nodes),
	ROUTE(UPDATE_NODE,	CLIENT, ADMIN,	req_update_node),
	ROUTE(QUEUE,		CLIENT, QUEUE,	req_queue),
	ROUTE(LIST_QUEUES,	CLIENT, WATCH,	req_list_queues),
	ROUTE(RECONFIGURE,	CLIENT, ADMIN,	req_reconfigure),
	ROUTE(SHUTDOWN,		CLIENT, ADMIN,	req_shutdown),
	ROUTE(REGISTER_NODE,	AGENT,	NONE,	req_register_node),
	ROUTE(HEARTBEAT,	AGENT,	NONE,	req_heartbeat),
	ROUTE(REPORTS,		AGENT,	NONE,	req_reports),
#undef ROUTE
	/* clang-format on */
};

bool caller_is_admin(const struct core *c, const struct caller *who)
{
	for (size_t i = 0; i < c->policy->admin_count; i++)
		if (c->policy->admin_uids[i] == who->uid)
			return true;
	for (size_t i = 0; i < c->policy->admin_gid_count; i++)
		for (size_t g = 0; g < who->gid_count; g++)
			if (c->policy->admin_gids[i] == who->gids[g])
				return true;
	return false;
}

static bool owns_queue(const struct caller *who, const struct queue *q)
{
	for (size_t i = 0; who->user && i < q->owner_count; i++)
		if (strcmp(q->owners[i], who->user) == 0)
			return true;
	for (size_t i = 0; i < q->group_owner_count; i++)
		for (size_t g = 0; g < who->group_count; g++)
			if (strcmp(q->group_owners[i], who->groups[g]) == 0)
				return true;
	return false;
}

bool may(const struct core *c, const struct caller *who, enum verb verb, const struct job *j,
	 const struct queue *q)
{
	unsigned is = IS_ANYBODY;

	if (j && !q)
		q = j->queue;
	if (caller_is_admin(c, who))
		is |= IS_ADMIN;
	if (j && j->user->uid == who->uid)
		is |= IS_JOB_OWNER;
	if (q && owns_queue(who, q))
		is |= IS_QUEUE_OWNER;
	if (q && !q->owner_count && !q->group_owner_count)
		is |= IS_QUEUE_OPEN;
	return (allowed[verb] & is) != 0;
}

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

	for (size_t i = 0; i < ARRAY_SIZE(routes); i++) {
		const struct route *r = &routes[i];

		if (r->type != c->in->type)
			continue;
		if (r->role != who->role)
			break;
		if (r->verb != VERB_NONE && !may(c, who, r->verb, NULL, NULL)) {
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
