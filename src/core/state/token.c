/*
 * Tokens (token.h): a table by number. Input: events of tokens, records that were read from tokens.
 * Output: the token of a record, and what its scope allows. Caveat: the scope never allows more than its
 * user may; core/view/rights.c asks both.
 */
#include "core/state/write.h"

#include "core/state/token.h"

#include "core/state/state.h"
#include "util/mem.h"

#include <sodium.h>
#include <string.h>

const char *const token_words[TOKEN_VERBS] = {
	[TOKEN_WATCH] = "watch",   [TOKEN_SCRIPT] = "script", [TOKEN_SUBMIT] = "submit",
	[TOKEN_CANCEL] = "cancel", [TOKEN_UPDATE] = "update", [TOKEN_PREEMPT] = "preempt",
	[TOKEN_STEP] = "step",     [TOKEN_QUEUE] = "queue",   [TOKEN_ADMIN] = "admin",
};

/* The word that gives each verb of the table of rights; -1: every token has it, -2: none has it. */
static const int word_of[VERB_COUNT] = {
	[VERB_NONE] = -2,
	[VERB_LOOK] = -1,
	[VERB_SUBMIT] = TOKEN_SUBMIT,
	[VERB_WATCH] = TOKEN_WATCH,
	[VERB_CANCEL] = TOKEN_CANCEL,
	[VERB_RELEASE] = TOKEN_CANCEL,
	[VERB_UPDATE] = TOKEN_UPDATE,
	[VERB_REPRIORITISE] = TOKEN_UPDATE,
	[VERB_PREEMPT] = TOKEN_PREEMPT,
	[VERB_PREEMPT_SAFE] = TOKEN_PREEMPT,
	[VERB_SECRET] = TOKEN_SCRIPT,
	[VERB_STEP] = TOKEN_STEP,
	[VERB_QUEUE_MANAGE] = TOKEN_QUEUE,
	[VERB_QUEUE] = TOKEN_QUEUE,
	[VERB_TOKEN] = -2,
	[VERB_ADMIN] = TOKEN_ADMIN,
	[VERB_CONTROLLER] = -2,
};

const char *token_verbs_of(char *const *words, size_t count, uint32_t *ret_verbs)
{
	*ret_verbs = count ? 0 : (1u << TOKEN_VERBS) - 1 - (1u << TOKEN_ADMIN);
	for (size_t i = 0; i < count; i++) {
		size_t k = 0;

		while (k < TOKEN_VERBS && strcmp(words[i], token_words[k]) != 0)
			k++;
		if (k == TOKEN_VERBS)
			return words[i];
		*ret_verbs |= 1u << k;
	}
	return NULL;
}

bool token_allows(const struct token_scope *scope, enum verb verb)
{
	int word = word_of[verb];

	if (!scope || word == -1)
		return true;
	return word >= 0 && scope->verbs & 1u << word;
}

bool token_sees_jobs(const struct token_scope *scope)
{
	static const uint32_t of_jobs = 1u << TOKEN_WATCH | 1u << TOKEN_CANCEL |
					1u << TOKEN_UPDATE | 1u << TOKEN_PREEMPT | 1u << TOKEN_STEP;

	return !scope || scope->verbs & of_jobs;
}

bool token_allows_in(const struct token_scope *scope, enum verb verb, const char *queue)
{
	if (verb == VERB_WATCH)
		return token_sees_jobs(scope);
	if (!token_allows(scope, verb))
		return false;
	if (!scope || !scope->queue || verb == VERB_LOOK)
		return true;
	return queue && strcmp(queue, scope->queue) == 0;
}

struct token *token_find(const struct state *state, uint64_t number)
{
	struct token *t;

	HASH_FIND(hh, state->tokens, &number, sizeof(number), t);
	return t;
}

struct token *token_check(const struct state *state, const struct token_record *r, int64_t now_us)
{
	struct token *t = token_find(state, r->number);
	uint8_t digest[TOKEN_DIGEST];

	token_digest(r->secret, digest);
	if (!t || t->uid != r->uid || t->expires_us <= now_us ||
	    sodium_memcmp(t->digest, digest, sizeof(digest)) != 0)
		return NULL;
	return t;
}

uint64_t tokens_of(const struct state *state, uint32_t uid, int64_t now_us)
{
	uint64_t n = 0;

	for (const struct token *t = state->tokens; t; t = t->hh.next)
		n += t->uid == uid && t->expires_us > now_us;
	return n;
}

void token_drop(struct state *state, struct token *t)
{
	HASH_DEL(state->tokens, t);
	free(t->user);
	free(t->label);
	free(t->queue);
	free(t);
}

void token_add(struct state *state, const Armada__TokenMade *m)
{
	struct token *t, *next;

	HASH_ITER (hh, state->tokens, t, next)
		if (t->expires_us <= m->created_us)
			token_drop(state, t);
	t = xcalloc(1, sizeof(*t));
	t->number = m->number;
	t->uid = m->uid;
	t->gid = m->gid;
	t->user = xstrdup(m->user);
	t->label = m->label[0] ? xstrdup(m->label) : NULL;
	t->queue = m->queue[0] ? xstrdup(m->queue) : NULL;
	t->verbs = m->verbs;
	memcpy(t->digest, m->digest.data,
	       m->digest.len < TOKEN_DIGEST ? m->digest.len : TOKEN_DIGEST);
	t->created_us = m->created_us;
	t->expires_us = m->expires_us;
	HASH_ADD(hh, state->tokens, number, sizeof(t->number), t);
	if (state->next_token <= t->number)
		state->next_token = t->number + 1;
}
