/*
 * Tokens: their life in the state, and their scopes, for each request and for jobs of two queues. The
 * expected verbs of the requests are a table here, independent of core/state/token.c.
 */
#include "core/request/request.h"
#include "core/view/rights.h"
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

static const uint8_t cluster_id[16] = {7};

static const struct effect *effect_of(const struct test_world *w, enum effect_kind kind)
{
	for (size_t i = 0; i < w->out.effect_count; i++)
		if (w->out.effects[i].kind == kind)
			return &w->out.effects[i];
	return NULL;
}

/* Returns the record of the token; its number is 0 if the request was refused. */
static struct token_record make(struct test_world *w, uint32_t uid, const char *verb,
				const char *queue, int64_t lifetime_s)
{
	Armada__CreateTokenRequest m = ARMADA__CREATE_TOKEN_REQUEST__INIT;
	static uint8_t secret[TOKEN_SECRET];
	char *verbs[] = {(char *)verb};
	const struct effect *e;

	secret[0]++;
	m.secret = (ProtobufCBinaryData){sizeof(secret), secret};
	m.verbs = verbs;
	m.n_verbs = verb != NULL;
	m.queue = (char *)(queue ? queue : "");
	m.label = (char *)"a label";
	m.lifetime_s = lifetime_s;
	world_send(w, uid, MSG_CREATE_TOKEN, &m);
	e = effect_of(w, EFFECT_TOKEN);
	return e ? e->token : (struct token_record){0};
}

static void revoke(struct test_world *w, uint32_t uid, uint64_t number)
{
	Armada__RevokeTokensRequest m = ARMADA__REVOKE_TOKENS_REQUEST__INIT;

	m.numbers = &number;
	m.n_numbers = 1;
	world_send(w, uid, MSG_REVOKE_TOKENS, &m);
}

static size_t listed(struct test_world *w, uint32_t uid, bool all)
{
	Armada__ListTokensRequest m = ARMADA__LIST_TOKENS_REQUEST__INIT;
	const Armada__ListTokensReply *r;

	m.all = all;
	world_send(w, uid, MSG_LIST_TOKENS, &m);
	r = world_reply(w, MSG_LIST_TOKENS_REPLY);
	return r ? r->n_rows : SIZE_MAX;
}

static void make_queue(struct test_world *w, const char *name)
{
	Armada__QueueRequest m = ARMADA__QUEUE_REQUEST__INIT;
	Armada__QueueSpec spec = ARMADA__QUEUE_SPEC__INIT;

	spec.name = (char *)name;
	spec.priority_factor = 1;
	m.verb = ARMADA__QUEUE_REQUEST__VERB__QUEUE_CREATE;
	m.spec = &spec;
	world_send(w, ADMIN_USER, MSG_QUEUE, &m);
}

static void test_life(void)
{
	struct token_record first, second, other;
	struct test_world w;
	const struct token *t;

	world_init(&w);
	make_queue(&w, "q");
	first = make(&w, TEST_USER, NULL, NULL, 0);
	t = token_check(core_state(w.core), &first, w.wall_us);
	ok(first.number == 1 && t && t->uid == TEST_USER, "a token is made and known");
	ok(t && !(t->verbs & 1u << TOKEN_ADMIN) && t->verbs & 1u << TOKEN_STEP,
	   "it has all verbs but admin");
	is_int(t ? t->expires_us - t->created_us : 0, INT64_C(30) * 86400 * 1000000,
	       "it is valid for 30 days");
	other = first;
	other.secret[0] ^= 1;
	ok(!token_check(core_state(w.core), &other, w.wall_us), "another secret is not known");
	second = make(&w, TEST_USER, "watch", "q", 10);
	make(&w, OTHER_USER, NULL, NULL, 0);
	is_int(listed(&w, TEST_USER, false), 2, "a user lists the own tokens");
	is_int(listed(&w, ADMIN_USER, true), 3, "an administrator lists all");
	is_int(listed(&w, TEST_USER, true), SIZE_MAX, "... which a user may not");
	revoke(&w, OTHER_USER, first.number);
	has_str(world_error(&w), "there is no token 1 of yours", "a user cannot revoke another's");
	revoke(&w, TEST_USER, first.number);
	ok(!token_check(core_state(w.core), &first, w.wall_us), "a revoked token is not known");
	ok(effect_of(&w, EFFECT_TOKEN) && !effect_of(&w, EFFECT_TOKEN)->conn,
	   "the shell ends its sessions");
	revoke(&w, ADMIN_USER, 3);
	is_str(world_error(&w), "", "an administrator revokes any token");
	world_tick(&w, 11000000);
	ok(!token_check(core_state(w.core), &second, w.wall_us), "a token expires");
	is_int(listed(&w, TEST_USER, false), 0, "... and is not listed then");
	first = make(&w, TEST_USER, NULL, NULL, 0);
	is_int(first.number, 4, "a number is not used again");
	is_int(HASH_COUNT(core_state(w.core)->tokens), 1, "expired tokens are forgotten");
	make(&w, TEST_USER, "submit", "q", 1000);
	world_done(&w);
}

static void test_refusals(void)
{
	struct test_world w;

	world_init(&w);
	make(&w, TEST_USER, "fly", NULL, 0);
	has_str(world_error(&w), "'fly' is not a verb of tokens", "an unknown verb is refused");
	make(&w, TEST_USER, NULL, "none", 0);
	has_str(world_error(&w), "queue 'none' does not exist", "an unknown queue is refused");
	make(&w, TEST_USER, NULL, NULL, 400 * 86400);
	has_str(world_error(&w), "366 days", "a life of more than a year is refused");
	make(&w, TEST_USER, NULL, NULL, -1);
	has_str(world_error(&w), "366 days", "a negative life is refused");
	w.policy.max_tokens_of_user = 2;
	for (int i = 0; i < 2; i++)
		ok(make(&w, TEST_USER, NULL, NULL, 5).number, "token %d of 2", i + 1);
	make(&w, TEST_USER, NULL, NULL, 0);
	has_str(world_error(&w), "(limits.tokens_per_user)", "one more than the limit is refused");
	world_tick(&w, 6000000);
	ok(make(&w, TEST_USER, NULL, NULL, 0).number, "expired ones do not count");
	world_done(&w);
}

/* The verb that each request needs, by its row; requests that are not listed are open to every token. */
static const struct {
	enum msg_type type;
	const char *verb; /* NULL: no token may */
} needs[] = {
	{MSG_SUBMIT, "submit"},     {MSG_CANCEL, "cancel"},      {MSG_HOLD, "cancel"},
	{MSG_SUSPEND, "cancel"},    {MSG_REQUEUE, "cancel"},     {MSG_PREEMPT, "preempt"},
	{MSG_UPDATE_JOB, "update"}, {MSG_LIST_JOBS, "watch"},    {MSG_HISTORY, "watch"},
	{MSG_SHOW_JOB, "watch"},    {MSG_WAIT_JOB, "watch"},     {MSG_WATCH, "watch"},
	{MSG_EXPLAIN, "watch"},     {MSG_ACCOUNTING, "watch"},   {MSG_USAGE_SUMS, "watch"},
	{MSG_STEP, "step"},         {MSG_QUEUE, "queue"},        {MSG_EXTEND_LEASE, "admin"},
	{MSG_UPDATE_NODE, "admin"}, {MSG_SET_FLOATING, "admin"}, {MSG_RECONFIGURE, "admin"},
	{MSG_SHUTDOWN, "admin"},    {MSG_COPY_CHANGE, "admin"},  {MSG_TAKEOVER, "admin"},
	{MSG_NOTIFY, "admin"},      {MSG_LOG_LEVELS, "admin"},   {MSG_CREATE_TOKEN, NULL},
	{MSG_LIST_TOKENS, NULL},    {MSG_REVOKE_TOKENS, NULL},   {MSG_COPY_HISTORY, NULL},
	{MSG_OUTPUT, "watch"},      {MSG_LIST_STEPS, "watch"},   {MSG_SIGNAL_STEP, "step"},
};

static bool expected(enum msg_type type, const char *verb)
{
	for (size_t i = 0; i < ARRAY_SIZE(needs); i++)
		if (needs[i].type == type)
			return needs[i].verb && strcmp(needs[i].verb, verb) == 0;
	return true;
}

/* An administrator with a token of one verb sends each kind of request. */
static void test_requests(void)
{
	size_t count, wrong = 0, seen = 0;
	const struct msg_info *rows = msg_rows(&count);

	for (size_t v = 0; v < TOKEN_VERBS; v++)
		for (size_t i = 0; i < count; i++) {
			struct token_scope scope = {1u << v, NULL};
			const struct right *r = right_of((enum msg_type)rows[i].type);
			char room[4096] = {0};
			struct test_world w;
			bool refused;

			if (!r || r->role != ROLE_CLIENT)
				continue;
			world_init(&w);
			w.scope = &scope;
			protobuf_c_message_init(rows[i].schema, room);
			world_send(&w, ADMIN_USER, r->type, room);
			refused = strstr(world_error(&w), "the scope of this token") ||
				  strstr(world_error(&w), "a token may not") ||
				  strstr(world_error(&w), "only administrators may");
			if (refused == expected(r->type, token_words[v])) {
				wrong++;
				diag("%s with %s: %s", rows[i].name, token_words[v],
				     world_error(&w));
			}
			seen++;
			world_done(&w);
		}
	ok(seen > 300 && !wrong, "each request with each verb: %zu of %zu are wrong", wrong, seen);
}

static int submit_to(struct test_world *w, const char *queue)
{
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	spec.queue = (char *)queue;
	return world_submit(w, &spec) != 0;
}

static void test_queue(void)
{
	struct token_scope scope = {1u << TOKEN_SUBMIT | 1u << TOKEN_CANCEL, "q"};
	struct test_world w;

	world_init(&w);
	make_queue(&w, "q");
	make_queue(&w, "other");
	ok(submit_to(&w, "q") && submit_to(&w, "other"), "two queues have a job");
	w.scope = &scope;
	ok(submit_to(&w, "q"), "a token of a queue submits to it");
	ok(!submit_to(&w, "other"), "... and to no other");
	world_cancel(&w, TEST_USER, 2);
	ok(job_find(core_state(w.core), 2) != NULL, "it cancels no job of another queue");
	world_cancel(&w, TEST_USER, 1);
	ok(job_find(core_state(w.core), 1) == NULL, "it cancels one of its queue");
	world_cancel(&w, ADMIN_USER, 3);
	ok(job_find(core_state(w.core), 3) != NULL,
	   "without admin an administrator's token does not cancel the jobs of others");
	scope.verbs |= 1u << TOKEN_ADMIN;
	world_cancel(&w, ADMIN_USER, 3);
	ok(job_find(core_state(w.core), 3) == NULL, "with admin it does");
	world_done(&w);
}

static void test_text(void)
{
	struct token_record t = {.number = 77, .uid = 1000, .expires_us = 123456789}, r;
	uint8_t secret[64], public[32], another[16] = {8};
	char text[TOKEN_TEXT], bad[TOKEN_TEXT];
	size_t accepted = 0;
	struct err err;

	crypto_sign_keypair(public, secret);
	randombytes_buf(t.secret, sizeof(t.secret));
	token_write(&t, cluster_id, secret, text);
	is_int(strlen(text), TOKEN_TEXT - 1, "the text of a token has a fixed length");
	ok(token_read(text, strlen(text), cluster_id, public, &r, &err) == 0 &&
		   memcmp(&r.secret, &t.secret, sizeof(t.secret)) == 0 && r.number == 77 &&
		   r.uid == 1000 && r.expires_us == 123456789,
	   "it is read back");
	ok(token_read(text, strlen(text), another, public, &r, &err) < 0,
	   "a token of another cluster is refused");
	for (size_t i = 0; i < strlen(text); i++)
		for (int bit = 0; bit < 8; bit++) {
			memcpy(bad, text, sizeof(bad));
			bad[i] = (char)(bad[i] ^ 1 << bit);
			accepted +=
				token_read(bad, strlen(text), cluster_id, public, &r, &err) == 0;
		}
	is_int(accepted, 0, "no text with one bit changed is accepted");
	for (size_t n = 0; n < strlen(text); n++)
		accepted += token_read(text, n, cluster_id, public, &r, &err) == 0;
	is_int(accepted, 0, "no part of a token is accepted");
	crypto_sign_keypair(public, secret);
	ok(token_read(text, strlen(text), cluster_id, public, &r, &err) < 0,
	   "a token that another key signed is refused");
}

int main(void)
{
	if (sodium_init() < 0)
		return 99;
	test_life();
	test_refusals();
	test_requests();
	test_queue();
	test_text();
	return done();
}
