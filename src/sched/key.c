#include "sched/parts.h"
#include "util/mem.h"

#include <string.h>

uint32_t class_find(const struct sched *s, const char *name)
{
	for (size_t i = 0; i < s->class_count; i++)
		if (strcmp(s->classes[i].name, name) == 0)
			return (uint32_t)i;
	return 0;
}

/* What a key is looked up by. */
struct wanted {
	const int64_t *request;
	struct constraint *constraint;
	uint32_t class, members, min_members;
	bool distinct, exclusive;
};

static bool same_constraint(const struct constraint *a, const struct constraint *b)
{
	if (!a || !b)
		return a == b;
	return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

static bool same_key(const void *arg, uint32_t key, const void *what)
{
	const struct sched *s = arg;
	const struct key *k = &s->keys[key];
	const struct wanted *w = what;

	return k->class == w->class && k->members == w->members &&
	       k->min_members == w->min_members && k->distinct == w->distinct &&
	       k->exclusive == w->exclusive &&
	       memcmp(key_request(s, key), w->request, s->dims * sizeof(int64_t)) == 0 &&
	       same_constraint(k->constraint, w->constraint);
}

static uint32_t hash_key(const struct sched *s, const struct wanted *w)
{
	uint32_t fields[] = {w->class, w->members, w->min_members, w->distinct, w->exclusive};
	uint32_t h = hash_bytes(0, fields, sizeof(fields));

	h = hash_bytes(h, w->request, s->dims * sizeof(int64_t));
	return w->constraint ? hash_bytes(h, w->constraint->text, w->constraint->len) : h;
}

static uint32_t key_place(struct sched *s)
{
	uint32_t key = s->key_free;

	if (key != NIL) {
		s->key_free = s->keys[key].class;
		return key;
	}
	GROW(s->keys, s->key_cap, s->key_count + 1);
	GROW(s->requests, s->request_cap, (s->key_count + 1) * s->dims);
	return (uint32_t)s->key_count++;
}

uint32_t key_intern(struct sched *s, const struct sched_job *job)
{
	struct wanted w = {.request = job->request,
			   .constraint = constraint_new(job),
			   .class = class_find(s, job->class_name),
			   .members = job->members ? job->members : 1,
			   .min_members = job->min_members,
			   .distinct = job->distinct && job->members > 1,
			   .exclusive = job->exclusive};
	uint32_t hash = hash_key(s, &w), key = map_find(&s->key_map, hash, same_key, s, &w);

	if (key != NIL) {
		constraint_free(w.constraint);
		return key;
	}
	key = key_place(s);
	memcpy(key_request(s, key), job->request, s->dims * sizeof(int64_t));
	s->keys[key] = (struct key){
		.constraint = w.constraint,
		.class = w.class,
		.members = w.members,
		.min_members = w.min_members,
		.distinct = w.distinct,
		.exclusive = w.exclusive,
	};
	map_add(&s->key_map, hash, key);
	return key;
}

void key_done(struct key *k)
{
	constraint_free(k->constraint);
	free(k->kind_set);
}

void key_release(struct sched *s, uint32_t key)
{
	struct key *k = &s->keys[key];
	struct wanted w = {.request = key_request(s, key),
			   .constraint = k->constraint,
			   .class = k->class,
			   .members = k->members,
			   .min_members = k->min_members,
			   .distinct = k->distinct,
			   .exclusive = k->exclusive};

	if (--k->users)
		return;
	map_remove(&s->key_map, hash_key(s, &w), key);
	key_done(k);
	*k = (struct key){.class = s->key_free};
	s->key_free = key;
}

static void set_kind(struct key *k, uint32_t kind)
{
	k->kinds |= UINT64_C(1) << (kind % 63);
	if (k->kind_set)
		k->kind_set[kind / 64] |= UINT64_C(1) << (kind % 64);
}

/* More kinds than bits: from here on the set says exactly which. */
static void widen(struct key *k, size_t kinds)
{
	size_t words = (kinds + 63) / 64, had = k->kind_set ? (k->kinds_seen + 63) / 64 : 0;

	if (kinds <= 63 || words == had)
		return;
	k->kind_set = xreallocarray(k->kind_set, words, sizeof(uint64_t));
	memset(k->kind_set + had, 0, (words - had) * sizeof(uint64_t));
	for (uint32_t i = 0; !had && i < k->kinds_seen; i++)
		if (k->kinds >> i & 1)
			set_kind(k, i);
}

void key_refresh(struct sched *s, uint32_t key)
{
	struct key *k = &s->keys[key];

	if (k->kinds_seen == s->kind_count)
		return;
	widen(k, s->kind_count);
	for (; k->kinds_seen < s->kind_count; k->kinds_seen++)
		if (constraint_allows_kind(k->constraint, &s->kinds[k->kinds_seen]))
			set_kind(k, k->kinds_seen);
}
