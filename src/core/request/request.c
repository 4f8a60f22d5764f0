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

static void refuse_scope(struct txn *txn, const struct caller *who, enum verb verb)
{
	const char *words = "";

	for (size_t i = 0; i < TOKEN_VERBS; i++)
		if (who->scope->verbs & 1u << i)
			words = arena_printf(txn->arena, "%s%s%s", words, words[0] ? "," : "",
					     token_words[i]);
	if (verb == VERB_TOKEN)
		reply_refuse(txn, 4, "a token may not make, list or revoke tokens");
	else
		reply_refuse(txn, 4, "the scope of this token does not allow it: its verbs are %s",
			     words);
}

void route_message(struct txn *txn)
{
	const struct caller *who = txn->in->caller;
	const struct request *r = request_of(txn->in->type);

	if (!r || r->right.role != who->role) {
		reply_refuse(txn, 4, "this request is not allowed on this kind of connection");
		return;
	}
	if (!rights_in_scope(who, r->right.verb)) {
		refuse_scope(txn, who, r->right.verb);
		return;
	}
	if (r->right.verb != VERB_NONE && r->right.of == OF_NOTHING &&
	    !rights_may(txn, who, r->right.verb, NULL, NULL)) {
		reply_refuse(txn, 4, "%s may not do this: only %s", name_of(who),
			     r->right.verb == VERB_CONTROLLER
				     ? "another controller may"
				     : "administrators may (admins in armada.conf)");
		return;
	}
	txn->by = who->role == ROLE_CLIENT ? who->user : NULL;
	r->handler(txn, txn->in->message);
	txn->by = NULL;
}
