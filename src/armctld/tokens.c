/*
 * Tokens and gateways (tokens.h). Input: the text of a token, or a gateway and the user that it names.
 * Output: the token of the state, or a refusal. Caveat: the pointer to a token is valid until the next input
 * of the core.
 */
#include "armctld/tokens.h"

#include "core/view/rights.h"
#include "util/clock.h"
#include "util/mem.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

const struct token *tokens_find(const struct ctld *c, const char *text, struct err *err)
{
	struct token_record r;
	const struct token *t;

	if (token_read(text, strlen(text), core_cluster_id(c->core), c->key.public, &r, err) < 0)
		return NULL;
	t = token_check(core_state(c->core), &r, clock_us(CLOCK_REALTIME));
	sodium_memzero(&r, sizeof(r));
	if (!t)
		err_set(err, -EPERM, "the token was revoked, or has expired");
	return t;
}

const struct token *tokens_valid(const struct ctld *c, uint64_t number)
{
	const struct token *t = token_find(core_state(c->core), number);

	return t && t->expires_us > clock_us(CLOCK_REALTIME) ? t : NULL;
}

static bool is_among(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; name && i < count; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return false;
}

static bool is_listed(const struct conf_gateway *g, const struct policy *p,
		      const struct caller *who)
{
	if (is_among(who->user, g->users, g->user_count))
		return true;
	if (!who->user || who->uid == 0 || rights_is_admin(&p->core, who))
		return false;
	for (size_t i = 0; i < who->group_count; i++)
		if (is_among(who->groups[i], g->groups, g->group_count))
			return true;
	return false;
}

int tokens_vouches(const struct ctld *c, uint32_t gateway_uid, const struct caller *who,
		   struct err *err)
{
	bool is_gateway = false;

	for (size_t i = 0; i < c->conf->gateway_count; i++) {
		if (c->policy->gateway_uids[i] != gateway_uid)
			continue;
		is_gateway = true;
		if (is_listed(&c->conf->gateways[i], c->policy, who))
			return 0;
	}
	if (!is_gateway)
		return err_set(err, -EPERM,
			       "uid %u may not act for other users without their tokens: see "
			       "gateways in armada.conf",
			       gateway_uid);
	return err_set(err, -EPERM,
		       "the gateway of uid %u may not act for user %s: see gateways in armada.conf",
		       gateway_uid, who->user ? who->user : "without a name");
}

void tokens_apply(struct ctld *c, const struct effect *e)
{
	CLEANUP_ARENA struct arena *arena = NULL;
	CLEANUP_BUF struct buf packed = {0};
	Armada__CreateTokenReply *r;
	char text[TOKEN_TEXT];

	if (!e->conn) {
		sessions_check_tokens(c->sessions);
		return;
	}
	arena = arena_new(0);
	r = msg_unpack_own(&armada__create_token_reply__descriptor, e->body, e->len, arena);
	token_write(&e->token, core_cluster_id(c->core), c->key.secret, text);
	r->token = text;
	msg_pack(r, &packed);
	sessions_send(c->sessions, e->conn, MSG_CREATE_TOKEN_REPLY, e->request, packed.data,
		      packed.len);
	sodium_memzero(text, sizeof(text));
}
