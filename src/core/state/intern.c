/*
 * Blobs, specs and users, each stored once and counted by its references.
 *
 * Input: the spec and the owner of a submitted job, and the contents of scripts and environments.
 * Output: shared structs that jobs point to. A spec keeps its packed message and the members that
 * are needed often. Specs and blobs are found by the BLAKE2b hash of their bytes, users by their
 * uid, gid, groups and name. Caveats: each obtain takes one reference and each release gives one
 * back. The last release frees the struct. A blob has no
 * references until the first job uses it, because the event of the blob comes before the job's.
 */
#include "core/state/write.h"

#include "core/state/intern.h"
#include "core/state/state.h"
#include "proto/failure_rule.h"
#include "proto/group_minimum.h"
#include "proto/task_division.h"

#include "proto/mail.h"
#include "util/mem.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

void core_digest(const void *data, size_t len, uint8_t ret_hash[HASH_SIZE])
{
	crypto_generichash(ret_hash, HASH_SIZE, data, len, NULL, 0);
}

struct blob *blob_find(const struct state *state, const uint8_t hash[HASH_SIZE])
{
	struct blob *b;

	HASH_FIND(hh, state->blobs, hash, HASH_SIZE, b);
	return b;
}

struct blob *blob_add(struct state *state, const uint8_t hash[HASH_SIZE], const void *data,
		      size_t len)
{
	struct blob *b = blob_find(state, hash);

	if (b)
		return b;
	b = xcalloc(1, sizeof(*b));
	memcpy(b->hash, hash, HASH_SIZE);
	b->bytes = shared_new(data, len);
	HASH_ADD(hh, state->blobs, hash, HASH_SIZE, b);
	return b;
}

void blob_drop_unused(struct state *state, struct blob *b)
{
	if (b->refs)
		return;
	HASH_DEL(state->blobs, b);
	shared_drop(b->bytes);
	free(b);
}

static struct blob *blob_ref(struct state *state, const ProtobufCBinaryData *hash)
{
	struct blob *b;

	if (hash->len != HASH_SIZE)
		return NULL;
	b = blob_find(state, hash->data);
	if (b)
		b->refs++;
	return b;
}

static void blob_unref(struct state *state, struct blob *b)
{
	if (!b)
		return;
	assert(b->refs);
	b->refs--;
	blob_drop_unused(state, b);
}

bool spec_starts_with(const struct spec *s, uint64_t tasks)
{
	if (s->elastic)
		return tasks == s->least;
	if (s->larger)
		return tasks == s->tasks;
	return tasks >= s->least && tasks <= s->tasks && tasks % s->per_member == 0;
}

bool spec_has_minima(const struct spec *s)
{
	return s->groups && s->groups[0].least;
}

bool spec_minima_met(const struct spec *s, const uint32_t *tasks)
{
	for (size_t i = 0; spec_has_minima(s) && i < s->group_count; i++)
		if (tasks[i] < s->groups[i].least)
			return false;
	return true;
}

int64_t spec_latest_start_us(const struct spec *s)
{
	int64_t least_s = s->time_min_s ? s->time_min_s : s->time_limit_s;

	return s->deadline_us && least_s > 0 ? s->deadline_us - least_s * 1000000 : 0;
}

uint32_t spec_members(const struct spec *s)
{
	return (s->tasks - s->larger) / s->per_member;
}

uint32_t spec_member_tasks(const struct spec *s, uint32_t member)
{
	return s->per_member + (member < s->larger);
}

static struct gang_spec *gang_spec_new(const Armada__JobSpec *m)
{
	struct gang_spec *g;

	if (!m->gang_id[0])
		return NULL;
	g = xcalloc(1, sizeof(*g));
	g->id = xstrdup(m->gang_id);
	g->uniformity = xstrdup(m->uniformity);
	g->priority_class = xstrdup(m->priority_class);
	g->cardinality = m->gang_cardinality;
	g->min = m->gang_min ? m->gang_min : m->gang_cardinality;
	g->of_queue = m->gang_of_queue;
	return g;
}

static void gang_spec_free(struct gang_spec *g)
{
	if (!g)
		return;
	free(g->id);
	free(g->uniformity);
	free(g->priority_class);
	free(g);
}

static void groups_set(struct state *state, struct spec *s, const Armada__JobSpec *m)
{
	s->group_count = m->n_groups;
	if (m->n_groups < 2)
		return;
	s->groups = xcalloc(m->n_groups, sizeof(*s->groups));
	for (size_t i = 0; i < m->n_groups; i++) {
		const Armada__TaskGroup *g = m->groups[i];

		s->groups[i].replicas = g->replicas;
		s->groups[i].least = group_minimum_of(m, i);
		s->groups[i].members = group_together(m, i);
		s->groups[i].service = g->service;
		s->groups[i].first_alone = g->launch == ARMADA__LAUNCH__LAUNCH_FIRST;
		s->groups[i].on_task_failure = (uint8_t)failure_rule_of(m, i);
		s->groups[i].script = blob_ref(state, &g->script_hash);
		resources_of(g->resources, g->n_resources, &s->groups[i].request);
	}
}

static void groups_free(struct state *state, struct spec *s)
{
	for (size_t i = 0; s->groups && i < s->group_count; i++)
		blob_unref(state, s->groups[i].script);
	free(s->groups);
}

uint8_t spec_task_failure(const struct spec *s, uint32_t group)
{
	return s->groups ? s->groups[group].on_task_failure : s->on_task_failure;
}

const struct resources *spec_request(const struct spec *s, uint32_t group)
{
	return s->groups ? &s->groups[group].request : &s->request;
}

bool spec_launches_first(const struct spec *s, uint32_t group)
{
	return s->groups ? s->groups[group].first_alone : s->first_alone;
}

uint32_t spec_group_of(const struct spec *s, uint32_t member)
{
	uint32_t group = 0;

	for (; s->groups && group + 1 < s->group_count && member >= s->groups[group].members;
	     group++)
		member -= s->groups[group].members;
	return group;
}

static struct resources *licenses_of(const Armada__JobSpec *m)
{
	struct resources all;

	return resources_floating(m->licenses, m->n_licenses, &all) ? xmemdup(&all, sizeof(all))
								    : NULL;
}

static void division_set(struct spec *s, const Armada__JobSpec *m)
{
	s->per_member = 1;
	if (m->n_groups == 1) {
		struct task_division d = task_division_of(m);

		s->per_member = d.each;
		s->larger = d.larger;
	}
}

static bool names_unknown(Armada__Resource *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i]->amount && resource_index(list[i]->name) < 0)
			return true;
	return false;
}

static bool lacks_resource(const Armada__JobSpec *m)
{
	for (size_t i = 0; i < m->n_groups; i++)
		if (names_unknown(m->groups[i]->resources, m->groups[i]->n_resources))
			return true;
	return names_unknown(m->licenses, m->n_licenses);
}

static struct spec *spec_new(struct state *state, const Armada__JobSpec *m, const uint8_t *packed,
			     size_t len)
{
	struct spec *s = xcalloc(1, sizeof(*s));

	s->packed = xmemdup(packed, len);
	s->len = len;
	s->script = blob_ref(state, &m->script_hash);
	s->env = blob_ref(state, &m->env_hash);
	for (size_t i = 0; i < m->n_groups; i++)
		s->tasks += m->groups[i]->replicas;
	s->throttle = m->array_throttle;
	s->priority = m->priority;
	s->grace_ms = m->grace_ms;
	if (m->n_groups)
		spec_task_request(m, &s->request);
	s->licenses = licenses_of(m);
	s->lacks_resource = lacks_resource(m);
	s->array = m->n_array > 0;
	s->exclusive = job_spec_alone(m);
	s->exclusive_user = m->exclusive_user;
	s->whole_memory = m->whole_memory;
	division_set(s, m);
	s->distinct = m->nodes > 0;
	s->least = s->tasks;
	if (m->min_available && m->min_available < s->tasks)
		s->least = (m->min_available + s->per_member - 1) / s->per_member * s->per_member;
	s->scavenge = m->scavenge;
	s->no_requeue = m->no_requeue;
	s->no_fence = m->no_fence;
	s->max_requeues = m->max_requeues;
	s->lease_s = m->lease_s;
	s->time_limit_s = m->time_limit_s;
	s->time_min_s = m->time_min_s;
	s->deadline_us = m->deadline_us;
	s->first_alone = m->launch == ARMADA__LAUNCH__LAUNCH_FIRST;
	s->on_task_failure = m->on_task_failure;
	s->outlives_failures = failure_rule_any(m) != ARMADA__TASK_FAILURE__TASK_FAILURE_FAIL_JOB;
	s->elastic = job_spec_is_elastic(m);
	s->elastic_signal = m->elastic_signal;
	groups_set(state, s, m);
	s->queue = xstrdup(m->queue);
	s->job_set = xstrdup(m->job_set);
	s->priority_class = xstrdup(m->priority_class);
	s->name = xstrdup(m->name);
	s->account = xstrdup(m->account);
	s->mails_elements = m->mail_types && (!m->n_array || (m->mail_types & MAIL_ARRAY_TASKS));
	s->mails_start = m->mail_types & MAIL_BEGIN;
	s->labels = xcalloc(m->n_labels, sizeof(*s->labels));
	for (; s->label_count < m->n_labels; s->label_count++)
		s->labels[s->label_count] =
			(struct spec_label){xstrdup(m->labels[s->label_count]->key),
					    xstrdup(m->labels[s->label_count]->value)};
	s->gang = gang_spec_new(m);
	return s;
}

struct spec *spec_obtain(struct state *state, const Armada__JobSpec *m)
{
	struct buf packed CLEANUP_BUF = {0};
	uint8_t hash[HASH_SIZE];
	struct spec *s;

	msg_pack(m, &packed);
	core_digest(packed.data, packed.len, hash);
	HASH_FIND(hh, state->specs, hash, HASH_SIZE, s);
	if (!s) {
		s = spec_new(state, m, packed.data, packed.len);
		memcpy(s->hash, hash, HASH_SIZE);
		HASH_ADD(hh, state->specs, hash, HASH_SIZE, s);
	}
	s->refs++;
	return s;
}

void spec_release(struct state *state, struct spec *s)
{
	if (!s || --s->refs)
		return;
	HASH_DEL(state->specs, s);
	blob_unref(state, s->script);
	blob_unref(state, s->env);
	free(s->packed);
	free(s->licenses);
	free((char *)s->queue);
	free((char *)s->job_set);
	free((char *)s->priority_class);
	free((char *)s->name);
	free((char *)s->account);
	for (size_t i = 0; i < s->label_count; i++) {
		free(s->labels[i].key);
		free(s->labels[i].value);
	}
	free(s->labels);
	gang_spec_free(s->gang);
	groups_free(state, s);
	free(s);
}

const Armada__JobSpec *spec_unpack(const struct spec *s, struct arena *a)
{
	void *m = msg_unpack_own(&armada__job_spec__descriptor, s->packed, s->len, a);

	assert(m); /* this process packed it */
	return m;
}

static void user_key(const Armada__JobSubmitted *job, struct buf *key)
{
	buf_add(key, &job->uid, sizeof(job->uid));
	buf_add(key, &job->gid, sizeof(job->gid));
	buf_add(key, job->gids, job->n_gids * sizeof(*job->gids));
	buf_addstr(key, job->user);
}

struct user *user_obtain(struct state *state, const Armada__JobSubmitted *job)
{
	struct buf key CLEANUP_BUF = {0};
	struct user *u;

	user_key(job, &key);
	HASH_FIND(hh, state->users, key.data, key.len, u);
	if (!u) {
		u = xcalloc(1, sizeof(*u));
		u->uid = job->uid;
		u->gid = job->gid;
		u->name = xstrdup(job->user);
		u->gids = xmemdup(job->gids, job->n_gids * sizeof(*job->gids));
		u->gid_count = job->n_gids;
		u->key_len = key.len;
		u->key = xmemdup(key.data, key.len);
		HASH_ADD_KEYPTR(hh, state->users, u->key, u->key_len, u);
	}
	u->refs++;
	return u;
}

void user_release(struct state *state, struct user *u)
{
	if (!u || --u->refs)
		return;
	HASH_DEL(state->users, u);
	free(u->name);
	free(u->gids);
	free(u->key);
	free(u);
}
