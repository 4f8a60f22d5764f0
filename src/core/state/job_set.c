/*
 * Job sets: a table by queue and name, and lists of the idle ones by age, of all and of each user.
 *
 * Input: jobs that join and leave. Output: state->job_sets with their counters. Caveats: the order of the
 * table is not the same in a restored state, so nothing may depend on it; the lists by age are restored
 * in their order. A snapshot has the number of a set with its jobs, and that of an idle set by itself.
 */
#include "core/state/write.h"

#include "core/state/job_set.h"
#include "core/state/state.h"

#include "util/mem.h"

#include <assert.h>
#include <string.h>

static void make_key(struct buf *key, const struct queue *q, const char *name)
{
	buf_addstr(key, q->name);
	buf_addc(key, 0);
	buf_addstr(key, name);
}

struct job_set *job_set_find(const struct state *state, const struct queue *q, const char *name)
{
	struct buf key CLEANUP_BUF = {0};
	struct job_set *s;

	make_key(&key, q, name);
	HASH_FIND(hh, state->job_sets, key.data, key.len, s);
	return s;
}

static struct job_set_user *find_user(const struct state *state, uint32_t uid)
{
	struct job_set_user *u;

	HASH_FIND(hh, state->idle_users, &uid, sizeof(uid), u);
	return u;
}

uint64_t job_sets_idle_of(const struct state *state, uint32_t uid)
{
	const struct job_set_user *u = find_user(state, uid);

	return u ? u->count : 0;
}

static struct job_set_user *obtain_user(struct state *state, uint32_t uid)
{
	struct job_set_user *u = find_user(state, uid);

	if (u)
		return u;
	u = xcalloc(1, sizeof(*u));
	u->uid = uid;
	TAILQ_INIT(&u->by_age);
	HASH_ADD(hh, state->idle_users, uid, sizeof(u->uid), u);
	return u;
}

static void begin_idle(struct state *state, struct job_set *s)
{
	s->idle_user = obtain_user(state, s->uid);
	s->idle_user->count++;
	TAILQ_INSERT_TAIL(&s->idle_user->by_age, s, of_user);
	TAILQ_INSERT_TAIL(&state->idle_sets, s, by_age);
	state->idle_set_count++;
}

static void end_idle(struct state *state, struct job_set *s)
{
	struct job_set_user *u = s->idle_user;

	TAILQ_REMOVE(&state->idle_sets, s, by_age);
	state->idle_set_count--;
	TAILQ_REMOVE(&u->by_age, s, of_user);
	s->idle_user = NULL;
	if (--u->count)
		return;
	HASH_DEL(state->idle_users, u);
	free(u);
}

static struct job_set *make_set(struct state *state, struct queue *q, const char *name,
				uint32_t uid, uint64_t next_event)
{
	struct buf key CLEANUP_BUF = {0};
	struct job_set *s = xcalloc(1, sizeof(*s));

	make_key(&key, q, name);
	s->queue = q;
	s->name = xstrdup(name);
	s->uid = uid;
	s->next_event = next_event;
	s->key = xmemdup(key.data, key.len);
	s->key_len = key.len;
	HASH_ADD_KEYPTR(hh, state->job_sets, s->key, s->key_len, s);
	return s;
}

void job_set_join(struct state *state, struct job *j)
{
	struct job_set *s = job_set_find(state, j->queue, j->spec->job_set);

	if (!s)
		s = make_set(state, j->queue, j->spec->job_set, j->user->uid,
			     state->forgotten_events + 1);
	else if (s->idle_user)
		end_idle(state, s);
	s->jobs++;
	j->job_set = s;
}

void job_set_leave(struct state *state, struct job *j)
{
	struct job_set *s = j->job_set;

	if (!s)
		return;
	j->job_set = NULL;
	if (--s->jobs == 0)
		begin_idle(state, s);
}

void job_set_restore(struct state *state, struct queue *q, const char *name, uint32_t uid,
		     uint64_t next_event)
{
	begin_idle(state, make_set(state, q, name, uid, next_event));
}

static void forget(struct state *state, struct job_set *s)
{
	assert(s->idle_user && s->next_event);
	if (s->next_event - 1 > state->forgotten_events)
		state->forgotten_events = s->next_event - 1;
	end_idle(state, s);
	HASH_DEL(state->job_sets, s);
	free(s->name);
	free(s->key);
	free(s);
}

void job_sets_forget(struct state *state, uint32_t uid, uint32_t own, uint32_t oldest)
{
	struct job_set_user *u;

	for (; own && (u = find_user(state, uid)); own--)
		forget(state, TAILQ_FIRST(&u->by_age));
	for (; oldest && state->idle_set_count; oldest--)
		forget(state, TAILQ_FIRST(&state->idle_sets));
}

void job_sets_forget_queue(struct state *state, const struct queue *q)
{
	struct job_set *s, *next;

	for (s = TAILQ_FIRST(&state->idle_sets); s; s = next) {
		next = TAILQ_NEXT(s, by_age);
		if (s->queue == q)
			forget(state, s);
	}
}

void job_sets_free(struct state *state)
{
	while (!TAILQ_EMPTY(&state->idle_sets))
		forget(state, TAILQ_FIRST(&state->idle_sets));
}

/* --- checking ------------------------------------------------------------------------------ */

struct tally {
	const struct job_set *of;
	uint64_t jobs, waiting, active;
	UT_hash_handle hh;
};

static void count_job(struct tally **map, struct arena *a, const struct job *j)
{
	struct tally *t;

	HASH_FIND_PTR(*map, &j->job_set, t);
	if (!t) {
		t = arena_zalloc(a, 1, sizeof(*t));
		t->of = j->job_set;
		HASH_ADD_PTR(*map, of, t);
	}
	t->jobs++;
	t->waiting += j->waiting.total;
	t->active += running_elements(j);
}

static int check_set(const struct job_set *s, struct tally *map, struct err *err)
{
	static const struct tally none;
	const struct tally *t;
	struct tally *found;

	HASH_FIND_PTR(map, &s, found);
	t = found ? found : &none;
	if (t->jobs != s->jobs || t->waiting != s->waiting || t->active != s->active)
		return err_set(err, -EINVAL,
			       "job set %s of queue %s has %" PRIu64 " jobs, %" PRIu64
			       " waiting and %" PRIu64 " active elements, the counters say %" PRIu64
			       ", %" PRIu64 " and %" PRIu64,
			       s->name, s->queue->name, t->jobs, t->waiting, t->active, s->jobs,
			       s->waiting, s->active);
	if (!s->next_event || (s->idle_user != NULL) != (s->jobs == 0))
		return err_set(err, -EINVAL, "job set %s of queue %s: %s", s->name, s->queue->name,
			       s->next_event ? "idle with jobs, or not idle without" : "no number");
	return 0;
}

int job_sets_check(const struct state *state, struct err *err)
{
	struct arena *a CLEANUP_ARENA = arena_new(0);
	struct tally *map = NULL;
	uint64_t idle = 0;
	int rc = 0;

	for (size_t i = 0; i < state->job_slots; i++)
		if (state->jobs[i])
			count_job(&map, a, state->jobs[i]);
	for (const struct job_set *s = state->job_sets; s && rc == 0; s = s->hh.next) {
		rc = check_set(s, map, err);
		idle += s->idle_user != NULL;
	}
	HASH_CLEAR(hh, map);
	if (rc == 0 && idle != state->idle_set_count)
		rc = err_set(err, -EINVAL,
			     "%" PRIu64 " job sets are idle, the counter says %" PRIu64, idle,
			     state->idle_set_count);
	return rc;
}
