/*
 * Bytes stored for each user: which users refer to a spec or a blob, and the sums.
 *
 * Input: jobs that get or lose their spec, and changes of their ranges and dependencies. Output:
 * user_usage.stored, state.stored and job.stored. A spec and a blob have a list of the users that
 * refer to them, with a count: of jobs for a spec, of held specs for a blob. Caveats: the list is
 * searched, because it nearly always has one entry; the entry found last is moved to its front.
 * stored_leave() must come before the spec or the queue user of the job is released.
 */
#include "core/state/write.h"

#include "core/state/stored.h"

#include "core/state/dependents.h"
#include "core/state/state.h"
#include "util/mem.h"

#include <assert.h>

struct holder {
	struct user_usage *user;
	uint32_t refs;
	struct holder *next;
};

static struct holder **find(struct holder **list, const struct user_usage *user)
{
	while (*list && (*list)->user != user)
		list = &(*list)->next;
	return list;
}

static void charge(struct state *state, struct user_usage *user, uint64_t bytes)
{
	user->stored += bytes;
	state->stored += bytes;
}

/* Takes one reference. True: it is the first of this user. */
static bool hold(struct holder **list, struct user_usage *user)
{
	struct holder **at = find(list, user), *h = *at;

	if (h)
		*at = h->next;
	else
		h = xcalloc(1, sizeof(*h));
	h->user = user;
	h->next = *list;
	*list = h;
	return !h->refs++;
}

/* Gives one reference back. True: it was the last of this user. */
static bool release(struct holder **list, const struct user_usage *user)
{
	struct holder **at = find(list, user), *h = *at;

	assert(h);
	if (--h->refs)
		return false;
	*at = h->next;
	free(h);
	return true;
}

static void hold_blob(struct state *state, struct blob *b, struct user_usage *user)
{
	if (b && hold(&b->holders, user))
		charge(state, user, b->bytes->len);
}

static void release_blob(struct state *state, struct blob *b, struct user_usage *user)
{
	if (b && release(&b->holders, user))
		charge(state, user, -(uint64_t)b->bytes->len);
}

static void hold_spec(struct state *state, struct spec *s, struct user_usage *user)
{
	if (!hold(&s->holders, user))
		return;
	charge(state, user, s->len);
	hold_blob(state, s->script, user);
	hold_blob(state, s->env, user);
	for (size_t i = 0; s->groups && i < s->group_count; i++)
		hold_blob(state, s->groups[i].script, user);
}

static void release_spec(struct state *state, struct spec *s, struct user_usage *user)
{
	if (!release(&s->holders, user))
		return;
	charge(state, user, -(uint64_t)s->len);
	release_blob(state, s->script, user);
	release_blob(state, s->env, user);
	for (size_t i = 0; s->groups && i < s->group_count; i++)
		release_blob(state, s->groups[i].script, user);
}

bool stored_has_blob(const struct blob *b, const struct user_usage *user)
{
	struct holder *list = b->holders;

	return *find(&list, user) != NULL;
}

/* An aftercorr dependency may have two more sets of the withheld elements. */
uint64_t stored_of_job(const struct job *j)
{
	uint64_t ranges =
		j->spec->array ? j->waiting.count + (j->ends ? j->ends->bad.count : 0) : 0;
	const struct depend *d = j->depend;
	uint64_t sets = 1;

	if (!d)
		return ranges * STORED_RANGE;
	for (uint32_t i = 0; i < d->edge_count; i++)
		sets += d->edges[i].type == DEPENDENCY(AFTERCORR) ? 2 : 0;
	if (d->withheld)
		ranges += d->withheld->count * sets;
	return ranges * STORED_RANGE + (uint64_t)d->edge_count * STORED_EDGE;
}

void stored_note(struct state *state, struct job *j)
{
	uint64_t now = stored_of_job(j);

	charge(state, j->queue_user->of.user_usage, now - j->stored);
	j->stored = now;
}

void stored_join(struct state *state, struct job *j)
{
	hold_spec(state, j->spec, j->queue_user->of.user_usage);
	if (j->next)
		hold_spec(state, j->next, j->queue_user->of.user_usage);
}

void stored_leave(struct state *state, struct job *j)
{
	struct user_usage *user = j->queue_user->of.user_usage;

	charge(state, user, -j->stored);
	j->stored = 0;
	release_spec(state, j->spec, user);
	if (j->next)
		release_spec(state, j->next, user);
}

/* --- checking ------------------------------------------------------------------------------ */

/* A spec or a blob (thing) of a user; thing NULL: the sums of the user. */
struct tally {
	struct {
		const struct user_usage *user;
		const void *thing;
	} of;
	uint64_t jobs, stored;
	UT_hash_handle hh;
};

struct count {
	struct tally *map;
	struct arena *arena;
};

static struct tally *tally(struct count *c, const struct user_usage *user, const void *thing)
{
	struct tally key = {.of = {user, thing}}, *t;

	HASH_FIND(hh, c->map, &key.of, sizeof(key.of), t);
	if (t)
		return t;
	t = arena_zalloc(c->arena, 1, sizeof(*t));
	t->of = key.of;
	HASH_ADD(hh, c->map, of, sizeof(t->of), t);
	return t;
}

/* Counts a spec or a blob if it is the first of this user. */
static void count_thing(struct count *c, struct tally *sums, const void *thing, uint64_t bytes)
{
	struct tally *t = thing ? tally(c, sums->of.user, thing) : NULL;

	if (t && !t->jobs++)
		sums->stored += bytes;
}

static void count_blob(struct count *c, struct tally *sums, const struct blob *b)
{
	count_thing(c, sums, b, b ? b->bytes->len : 0);
}

static void count_spec(struct count *c, struct tally *sums, const struct spec *s)
{
	count_thing(c, sums, s, s->len);
	count_blob(c, sums, s->script);
	count_blob(c, sums, s->env);
	for (size_t i = 0; s->groups && i < s->group_count; i++)
		count_blob(c, sums, s->groups[i].script);
}

static void count_job(struct count *c, const struct job *j)
{
	struct tally *sums = tally(c, j->queue_user->of.user_usage, NULL);

	sums->jobs++;
	sums->stored += stored_of_job(j);
	count_spec(c, sums, j->spec);
	if (j->next)
		count_spec(c, sums, j->next);
}

static int compare(const struct state *state, struct count *c, struct err *err)
{
	uint64_t all = 0;

	for (const struct user_usage *u = state->user_usages; u; u = u->hh.next) {
		const struct tally *t = tally(c, u, NULL);

		if (t->jobs != u->jobs || t->stored != u->stored)
			return err_set(err, -EINVAL,
				       "user %s has %" PRIu64 " jobs with %" PRIu64
				       " bytes, the counters say %" PRIu64 " and %" PRIu64,
				       u->name, t->jobs, t->stored, u->jobs, u->stored);
		all += t->stored;
	}
	if (all != state->stored)
		return err_set(err, -EINVAL,
			       "the users' jobs have %" PRIu64 " bytes, the counter says %" PRIu64,
			       all, state->stored);
	return 0;
}

int stored_check(const struct state *state, struct err *err)
{
	struct count c = {.arena = arena_new(0)};
	int rc;

	for (size_t i = 0; i < state->job_slots; i++)
		if (state->jobs[i])
			count_job(&c, state->jobs[i]);
	rc = compare(state, &c, err);
	HASH_CLEAR(hh, c.map);
	arena_free(c.arena);
	return rc;
}
