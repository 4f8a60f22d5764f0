/*
 * CREATE_TOKEN, LIST_TOKENS, REVOKE_TOKENS: the tokens of the caller; an administrator may list and revoke
 * those of all.
 *
 * The client chooses the secret of a token, so the core needs no randomness. The record has its digest. The
 * shell signs the token when the record is durable, and ends the sessions of a token that is revoked
 * (EFFECT_TOKEN).
 */
#include "core/admission/bounds.h"
#include "core/request/request.h"
#include "core/txn/emit.h"
#include "core/txn/reply.h"
#include "core/view/no_such.h"
#include "core/view/rights.h"
#include "util/mem.h"
#include "util/plural.h"

#include <string.h>

enum {
	EXIT_USAGE = 2,
	EXIT_UNKNOWN = 3,
	EXIT_DENIED = 4,
	DEFAULT_DAYS = 30,
	MOST_DAYS = 366,
	DAY_S = 86400,
	LABEL_MAX = 100,
	LISTED_MAX = 20000,
};

static Armada__TokenRow *row_of(const struct token *t, struct arena *a)
{
	Armada__TokenRow *row = arena_alloc(a, sizeof(*row));

	armada__token_row__init(row);
	row->number = t->number;
	row->user = t->user;
	row->verbs = arena_alloc(a, TOKEN_VERBS * sizeof(*row->verbs));
	for (size_t i = 0; i < TOKEN_VERBS; i++)
		if (t->verbs & 1u << i)
			row->verbs[row->n_verbs++] = (char *)token_words[i];
	if (t->queue)
		row->queue = t->queue;
	if (t->label)
		row->label = t->label;
	row->created_us = t->created_us;
	row->expires_us = t->expires_us;
	return row;
}

/* True if the request was refused. */
static bool refuse(struct txn *txn, const Armada__CreateTokenRequest *m, uint32_t *ret_verbs)
{
	const char *unknown = token_verbs_of(m->verbs, m->n_verbs, ret_verbs);
	struct err err;

	if (!txn->in->caller->user)
		reply_refuse(txn, EXIT_DENIED,
			     "uid %u has no name on the controller, so it gets no token",
			     txn->in->caller->uid);
	else if (m->secret.len != TOKEN_SECRET)
		reply_refuse(txn, EXIT_USAGE, "the secret of a token has %d bytes", TOKEN_SECRET);
	else if (unknown)
		reply_refuse(
			txn, EXIT_USAGE,
			"'%s' is not a verb of tokens; expected watch, script, submit, cancel, "
			"update, preempt, step, queue or admin",
			unknown);
	else if (m->queue[0] && !queue_find(txn->state, m->queue))
		reply_refuse(txn, EXIT_UNKNOWN, "%s", no_such_queue(txn, m->queue));
	else if (strlen(m->label) > LABEL_MAX)
		reply_refuse(txn, EXIT_USAGE, "label: longer than %d bytes", LABEL_MAX);
	else if (m->lifetime_s < 0 || m->lifetime_s > MOST_DAYS * DAY_S)
		reply_refuse(txn, EXIT_USAGE, "a token expires after 1 s to %d days", MOST_DAYS);
	else if (bounds_admit_token(txn, &err) < 0)
		reply_refuse(txn, EXIT_FULL, "%s", err.text);
	else
		return false;
	return true;
}

void req_create_token(struct txn *txn, const Armada__CreateTokenRequest *m)
{
	Armada__CreateTokenReply r = ARMADA__CREATE_TOKEN_REPLY__INIT;
	const struct caller *who = txn->in->caller;
	Armada__TokenMade *made;
	Armada__Event *ev;
	struct effect *e;
	uint32_t verbs;

	if (refuse(txn, m, &verbs))
		return;
	ev = emit_make(txn, ARMADA__EVENT__KIND_TOKEN_MADE, &made);
	made->number = txn->state->next_token;
	made->uid = who->uid;
	made->gid = who->gid;
	made->user = arena_strdup(txn->arena, who->user);
	made->digest.data = arena_alloc(txn->arena, TOKEN_DIGEST);
	made->digest.len = TOKEN_DIGEST;
	token_digest(m->secret.data, made->digest.data);
	made->verbs = verbs;
	made->queue = m->queue;
	made->label = m->label;
	made->created_us = txn->now_us;
	made->expires_us = txn->now_us + (m->lifetime_s ? m->lifetime_s : DEFAULT_DAYS * DAY_S) *
						 INT64_C(1000000);
	emit_event(txn, ev);
	r.row = row_of(token_find(txn->state, made->number), txn->arena);
	e = effect_later_with(txn, EFFECT_TOKEN, MSG_CREATE_TOKEN_REPLY, &r);
	e->token = (struct token_record){
		.number = made->number, .uid = made->uid, .expires_us = made->expires_us};
	memcpy(e->token.secret, m->secret.data, TOKEN_SECRET);
}

void req_list_tokens(struct txn *txn, const Armada__ListTokensRequest *m)
{
	Armada__ListTokensReply r = ARMADA__LIST_TOKENS_REPLY__INIT;
	const struct caller *who = txn->in->caller;
	size_t count = HASH_COUNT(txn->state->tokens);

	if (m->all && !rights_is_admin(txn->policy, who)) {
		reply_refuse(txn, EXIT_DENIED,
			     "only administrators may list the tokens of all users");
		return;
	}
	r.rows = arena_alloc(txn->arena, count * sizeof(*r.rows));
	for (const struct token *t = txn->state->tokens; t && r.n_rows < LISTED_MAX; t = t->hh.next)
		if ((m->all || t->uid == who->uid) && t->expires_us > txn->now_us)
			r.rows[r.n_rows++] = row_of(t, txn->arena);
	reply(txn, MSG_LIST_TOKENS_REPLY, &r);
}

/* A token of somebody else does not exist for a user. */
static const struct token *find_own(const struct txn *txn, uint64_t number)
{
	const struct token *t = token_find(txn->state, number);
	const struct caller *who = txn->in->caller;

	return t && (t->uid == who->uid || rights_is_admin(txn->policy, who)) ? t : NULL;
}

void req_revoke_tokens(struct txn *txn, const Armada__RevokeTokensRequest *m)
{
	const char *by = txn->in->caller->user;
	size_t revoked = 0;

	for (size_t i = 0; i < m->n_numbers; i++)
		if (!find_own(txn, m->numbers[i])) {
			reply_refuse(txn, EXIT_UNKNOWN, "there is no token %" PRIu64 " of yours",
				     m->numbers[i]);
			return;
		}
	for (size_t i = 0; i < m->n_numbers; i++) {
		Armada__TokenRevoked *gone;
		Armada__Event *ev;

		if (!find_own(txn, m->numbers[i])) /* named twice */
			continue;
		ev = emit_make(txn, ARMADA__EVENT__KIND_TOKEN_REVOKED, &gone);
		gone->number = m->numbers[i];
		gone->by = arena_strdup(txn->arena, by ? by : "");
		emit_event(txn, ev);
		effect_add(txn, EFFECT_TOKEN)->token.number = m->numbers[i];
		revoked++;
	}
	reply_ok(txn, "%zu %s revoked", revoked, plural(revoked, "token is", "tokens are"));
}
