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
	const uint32_t *parts;
	uint32_t part_count;
	bool distinct, exclusive;
};

static bool same_key(const void *arg, uint32_t key, const void *what)
{
	const struct sched *s = arg;
	const struct key *k = &s->keys[key];
	const struct wanted *w = what;

	return k->class == w->class && k->members == w->members &&
	       k->min_members == w->min_members && k->distinct == w->distinct &&
	       k->exclusive == w->exclusive && k->part_count == w->part_count &&
	       (!k->part_count ||
		memcmp(k->parts, w->parts, k->part_count * sizeof(*k->parts)) == 0) &&
	       memcmp(key_request(s, key), w->request, s->dims * sizeof(int64_t)) == 0 &&
	       k->constraint == w->constraint;
}

static uint32_t hash_key(const struct sched *s, const struct wanted *w)
{
	uint32_t fields[] = {w->class,    w->members,   w->min_members,
			     w->distinct, w->exclusive, w->constraint ? w->constraint->id + 1 : 0};
	uint32_t h = hash_bytes(0, fields, sizeof(fields));

	h = hash_bytes(h, w->request, s->dims * sizeof(int64_t));
	return w->part_count ? hash_bytes(h, w->parts, w->part_count * sizeof(*w->parts)) : h;
}

static uint32_t key_place(struct sched *s)
{
	uint32_t key = s->key_free;

	if (key != NIL) {
		s->key_free = s->keys[key].members;
		return key;
	}
	GROW(s->keys, s->key_cap, s->key_count + 1);
	GROW(s->requests, s->request_cap, (s->key_count + 1) * s->dims);
	return (uint32_t)s->key_count++;
}

/* As much as fits in the type: a request may be absurd, and is then found not to fit. */
static int64_t add_times(int64_t a, int64_t b, uint32_t times)
{
	int64_t sum;

	if (__builtin_mul_overflow(b, (int64_t)times, &b) || __builtin_add_overflow(a, b, &sum))
		return INT64_MAX;
	return sum;
}

const uint32_t *key_parts(const struct sched *s, const uint32_t *key, uint32_t *ret_count)
{
	const struct key *k = &s->keys[*key];

	*ret_count = k->part_count ? k->part_count : 1;
	return k->part_count ? k->parts : key;
}

uint32_t key_cutoff(const struct sched *s, uint32_t key, uint32_t part)
{
	return s->keys[key].urgent && s->level_count ? s->class_level[s->keys[part].class]
						     : s->level_count;
}

uint32_t key_find_part(const struct sched *s, uint32_t key, uint32_t member)
{
	const struct key *k = &s->keys[key];

	for (uint32_t i = 0; i + 1 < k->part_count; i++) {
		if (member < s->keys[k->parts[i]].members)
			return k->parts[i];
		member -= s->keys[k->parts[i]].members;
	}
	return k->parts[k->part_count - 1];
}

/* A key of one member is its own sum. */
static void sum_up(struct sched *s, uint32_t key)
{
	struct key *k = &s->keys[key];
	uint32_t n;
	const uint32_t *parts = key_parts(s, &key, &n);

	if (k->sum || (k->members == 1 && !k->part_count))
		return;
	k->sum = xcalloc(s->dims, sizeof(*k->sum));
	for (uint32_t i = 0; i < n; i++)
		for (size_t r = 0; r < s->dims; r++)
			k->sum[r] = add_times(k->sum[r], key_request(s, parts[i])[r],
					      s->keys[parts[i]].members);
}

/* A whole node is never taken back. */
void key_complete(struct sched *s, uint32_t key)
{
	struct key *k = &s->keys[key];
	uint32_t n;
	const uint32_t *parts = key_parts(s, &key, &n);

	sum_up(s, key);
	k->fair = k->urgent = !k->exclusive;
	k->top = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct key *p = &s->keys[parts[i]];

		k->fair = k->fair && s->classes[p->class].fair_share_preemptible;
		k->urgent = k->urgent && s->classes[p->class].urgency_preemptible;
		if (s->class_level[p->class] > k->top)
			k->top = (uint16_t)s->class_level[p->class];
	}
}

const struct reason *key_reason(const struct sched *s, uint32_t key)
{
	return &s->key_reasons[s->keys[key].reason];
}

void key_tell(struct sched *s, uint32_t key, struct reason reason)
{
	s->keys[key].reason = 0;
	if (!reason.text)
		return;
	GROW(s->key_reasons, s->key_reason_cap, s->key_reason_count + 1);
	s->keys[key].reason = (uint32_t)s->key_reason_count;
	s->key_reasons[s->key_reason_count++] = reason;
}

void key_reasons_begin(struct sched *s)
{
	GROW(s->key_reasons, s->key_reason_cap, 1);
	s->key_reasons[0] = (struct reason){0};
	s->key_reason_count = 1;
}

void key_describe(const struct sched *s, uint32_t key, struct sched_job *ret)
{
	const struct key *k = &s->keys[key];
	const struct constraint *c = k->constraint;

	*ret = (struct sched_job){.class_name = s->classes[k->class].name,
				  .members = k->members,
				  .min_members = k->min_members,
				  .distinct = k->distinct,
				  .exclusive = k->exclusive};
	memcpy(ret->request, key_request(s, key), s->dims * sizeof(int64_t));
	if (!c)
		return;
	ret->selectors = c->selectors;
	ret->selector_count = c->selector_count;
	ret->tolerations = c->tolerations;
	ret->toleration_count = c->toleration_count;
	ret->include = c->include;
	ret->include_count = c->include_count;
	ret->exclude = c->exclude;
	ret->exclude_count = c->exclude_count;
	ret->avoid = c->exclude + c->exclude_count;
	ret->avoid_count = c->avoid_count;
	ret->uniformity = *c->uniformity ? c->uniformity : NULL;
}

/* The parts' keys, each used by the one that will have them. */
static uint32_t *intern_parts(struct sched *s, const struct sched_job *job)
{
	uint32_t *parts = xcalloc(job->part_count, sizeof(*parts));

	for (size_t i = 0; i < job->part_count; i++) {
		struct sched_job part = job->parts[i];

		part.distinct = job->distinct;
		part.exclusive = job->exclusive;
		part.parts = NULL;
		part.part_count = 0;
		parts[i] = key_intern(s, &part);
		s->keys[parts[i]].users++;
	}
	return parts;
}

static void release_parts(struct sched *s, uint32_t *parts, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		key_release(s, parts[i]);
	free(parts);
}

uint32_t key_intern(struct sched *s, const struct sched_job *job)
{
	uint32_t *parts = job->part_count ? intern_parts(s, job) : NULL;
	struct wanted w = {.request = job->request,
			   .constraint = constraint_intern(s, job),
			   .class = class_find(s, job->class_name),
			   .members = job->members ? job->members : 1,
			   .min_members = job->min_members,
			   .parts = parts,
			   .part_count = (uint32_t)job->part_count,
			   .distinct = job->distinct && job->members > 1,
			   .exclusive = job->exclusive};
	uint32_t hash = hash_key(s, &w), key = map_find(&s->key_map, hash, same_key, s, &w);

	if (key != NIL) {
		constraint_release(s, w.constraint);
		release_parts(s, parts, w.part_count);
		return key;
	}
	key = key_place(s);
	memcpy(key_request(s, key), job->request, s->dims * sizeof(int64_t));
	s->keys[key] = (struct key){
		.constraint = w.constraint,
		.class = (uint16_t)w.class,
		.members = w.members,
		.min_members = w.min_members,
		.parts = parts,
		.part_count = w.part_count,
		.distinct = w.distinct,
		.exclusive = w.exclusive,
	};
	key_complete(s, key);
	map_add(&s->key_map, hash, key);
	return key;
}

void key_done(struct key *k)
{
	free(k->parts);
	free(k->sum);
}

void key_release(struct sched *s, uint32_t key)
{
	struct key *k = &s->keys[key];
	struct wanted w = {.request = key_request(s, key),
			   .constraint = k->constraint,
			   .class = k->class,
			   .members = k->members,
			   .min_members = k->min_members,
			   .parts = k->parts,
			   .part_count = k->part_count,
			   .distinct = k->distinct,
			   .exclusive = k->exclusive};
	uint32_t *parts = k->parts, count = k->part_count;

	if (--k->users)
		return;
	s->changes++; /* its number will be another's */
	map_remove(&s->key_map, hash_key(s, &w), key);
	constraint_release(s, k->constraint);
	free(k->sum);
	*k = (struct key){.members = s->key_free};
	s->key_free = key;
	release_parts(s, parts, count);
}

const struct kinds_taken *key_kinds(struct sched *s, uint32_t key)
{
	return constraint_kinds(s, s->keys[key].constraint);
}
