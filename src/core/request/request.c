#include "core/request/request.h"

#include "core/txn/reply.h"
#include "core/view/rights.h"
#include "util/mem.h"

/* The cast is safe: the decoder made a message of the type that the row names. */
#define CALL(message, type, role, verb, object, handler)                                           \
	static void call_##handler(struct txn *txn, const void *m)                                 \
	{                                                                                          \
		handler(txn, m);                                                                   \
	}
REQUEST_TABLE(CALL)
#undef CALL

static const struct request {
	struct right right;
	void (*handler)(struct txn *txn, const void *m);
} requests[] = {
#define ROW(message, type, role, verb, object, handler)                                            \
	{{MSG_##message, ROLE_##role, VERB_##verb, OF_##object}, call_##handler},
	REQUEST_TABLE(ROW)
#undef ROW
};

static const struct request *request_of(enum msg_type type)
{
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		if (requests[i].right.type == type)
			return &requests[i];
	return NULL;
}

const struct right *right_of(enum msg_type type)
{
	const struct request *r = request_of(type);

	return r ? &r->right : NULL;
}

static const char *name_of(const struct caller *who)
{
	return who->user ? who->user : "this user";
}

void route_message(struct txn *txn)
{
	const struct caller *who = txn->in->caller;
	const struct request *r = request_of(txn->in->type);

	if (!r || r->right.role != who->role) {
		reply_refuse(txn, 4, "this request is not allowed on this kind of connection");
		return;
	}
	if (r->right.verb != VERB_NONE && r->right.of == OF_NOTHING &&
	    !rights_may(txn, who, r->right.verb, NULL, NULL)) {
		reply_refuse(txn, 4,
			     "%s may not do this: only administrators may (admins in armada.conf)",
			     name_of(who));
		return;
	}
	txn->by = who->role == ROLE_CLIENT ? who->user : NULL;
	r->handler(txn, txn->in->message);
	txn->by = NULL;
}
