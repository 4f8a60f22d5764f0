/*
 * Tokens: what each may do, and the digest of its secret (proto/token.h). A token never changes; it ends
 * when its user or an administrator revokes it. One that has expired is forgotten when the next is made.
 */
#pragma once

#include "core/state/link.h"
#include "core/state/verb.h"
#include "proto/msg.h"
#include "proto/token.h"

#include <uthash.h>

struct state;

/* The words of a scope, in the log as bits; the numbers never change. */
enum token_verb {
	TOKEN_WATCH = 0,
	TOKEN_SCRIPT = 1,
	TOKEN_SUBMIT = 2,
	TOKEN_CANCEL = 3,
	TOKEN_UPDATE = 4,
	TOKEN_PREEMPT = 5,
	TOKEN_STEP = 6,
	TOKEN_QUEUE = 7,
	TOKEN_ADMIN = 8,
	TOKEN_VERBS,
};

/* What a caller with a token may do of that which its user may. */
struct token_scope {
	uint32_t verbs;    /* bits 1 << enum token_verb */
	const char *queue; /* submit to it, and change its jobs; NULL: all queues */
};

struct token {
	uint64_t number;
	uint32_t uid, gid;
	char *user;
	char *label; /* NULL: none */
	char *queue; /* NULL: all */
	uint32_t verbs;
	uint8_t digest[TOKEN_DIGEST];
	int64_t created_us, expires_us;
	UT_hash_handle hh;
};

/* "watch", "script" ... */
extern const char *const token_words[TOKEN_VERBS];
/* The bits of these words; the first unknown word is returned, else NULL. None: all except admin. */
const char *token_verbs_of(char *const *words, size_t count, uint32_t *ret_verbs);
/* True if the scope has the verb of the table of rights. scope NULL: no token, everything. */
bool token_allows(const struct token_scope *scope, enum verb verb);
/* True if jobs exist for it: each verb that changes a job includes that. */
bool token_sees_jobs(const struct token_scope *scope);
/* As token_allows, for a verb in a queue, or about a job of it. */
bool token_allows_in(const struct token_scope *scope, enum verb verb, const char *queue);

/* NULL: revoked, expired and forgotten, or never made. */
LINK(token) token_find(const struct state *state, uint64_t number);
/* The token of this record, if it is known, has this secret and has not expired at that time; or NULL. */
LINK(token) token_check(const struct state *state, const struct token_record *r, int64_t now_us);
/* The number of tokens of a user that have not expired. O(tokens). */
uint64_t tokens_of(const struct state *state, uint32_t uid, int64_t now_us);

#ifdef STATE_WRITES
void token_add(struct state *state, const Armada__TokenMade *m);
void token_drop(struct state *state, struct token *t);
#endif
