/*
 * Members of gangs at submission (gang.h).
 *
 * Input: all jobs of a request, and the gang as far as it waits already. Output: 0, or a refusal
 * of the whole request that names both jobs that disagree. A sketch is the description of a gang
 * by its waiting members and the earlier jobs of the request. If the request completes a gang,
 * the gang is checked as a whole against nodes and limits (gang_feasibility.h).
 */
#include "core/admission/gang.h"

#include "core/admission/gang_feasibility.h"
#include "core/txn/effects.h"
#include "proto/task_division.h"
#include "util/mem.h"
#include "util/plural.h"

#include <stdio.h>
#include <string.h>

enum { GANG_ID_LONGEST = 255 };

static int admit_counts(struct admission *a)
{
	const Armada__JobSpec *s = a->spec;

	if (!s->gang_cardinality)
		return admit_no(a,
				"gang %s: the number of its members is missing: at least 1 "
				"(--gang-cardinality)",
				s->gang_id);
	if (s->gang_cardinality > a->txn->policy->max_tasks)
		return admit_no(a,
				"gang %s: %u members; at most %" PRId64
				" are accepted (limits.tasks_per_job)",
				s->gang_id, s->gang_cardinality, a->txn->policy->max_tasks);
	if (s->gang_min > s->gang_cardinality)
		return admit_no(a, "gang %s: the minimum of %u is more than its %u %s (--gang-min)",
				s->gang_id, s->gang_min, s->gang_cardinality,
				plural(s->gang_cardinality, "member", "members"));
	return 0;
}

int admit_membership(struct admission *a)
{
	const Armada__JobSpec *s = a->spec;

	if (!s->gang_id[0] && (s->gang_cardinality || s->gang_min))
		return admit_no(
			a,
			"a number of gang members needs the name of the gang: give --gang-id too");
	if (!s->gang_id[0])
		return 0;
	if (strlen(s->gang_id) > GANG_ID_LONGEST)
		return admit_no(a, "gang id: longer than %d bytes", GANG_ID_LONGEST);
	if (s->n_array)
		return admit_no(a,
				"gang %s: an array cannot be a member of a gang: its elements are "
				"independent of one another; submit one job for each member",
				s->gang_id);
	if (s->min_available && s->min_available < s->groups[0]->replicas)
		return admit_no(
			a,
			"gang %s: a member of a gang starts with all of its tasks, so --min-tasks "
			"must not be smaller than their number",
			s->gang_id);
	return admit_counts(a);
}

/* The description of a gang by earlier jobs, in the request or in the queue. */
struct sketch {
	const char *queue, *id, *account;
	const char *job_set; /* of a waiting gang that an early release made; NULL: any */
	struct gang_spec agreed;
	bool exclusive, exclusive_user;
	uint64_t members, tasks;
	const struct gang *waiting; /* NULL: no member is in the queue yet */
	size_t first, last;         /* its first and last member in the request */
};

struct admitting {
	struct txn *txn;
	const Armada__SubmitRequest *request;
	struct sketch *sketches;
	size_t count, cap;
	struct err *err;
};

static uint32_t least(const Armada__JobSpec *s)
{
	return s->gang_min ? s->gang_min : s->gang_cardinality;
}

/* The waiting gang that a job joins; NULL: it is the first of a new gang. */
static const struct gang *waiting_gang(const struct admitting *a, const Armada__JobSpec *s)
{
	uint32_t uid = a->txn->in->caller->uid;
	const struct gang *g = gang_find(a->txn->state, uid, s->queue, NULL, s->gang_id);

	return g ? g : gang_find(a->txn->state, uid, s->queue, s->job_set, s->gang_id);
}

static void sketch_begin(struct admitting *a, size_t i, struct sketch *k)
{
	const Armada__JobSpec *s = a->request->jobs[i];
	const struct gang *g = waiting_gang(a, s);

	*k = (struct sketch){
		.queue = s->queue,
		.job_set = g ? g->job_set : NULL,
		.id = s->gang_id,
		.agreed = {.cardinality = s->gang_cardinality,
			   .min = least(s),
			   .id = s->gang_id,
			   .uniformity = s->uniformity,
			   .priority_class = s->priority_class},
		.exclusive = job_spec_alone(s),
		.exclusive_user = s->exclusive_user,
		.account = s->account,
		.waiting = g,
		.first = i,
	};
	if (!g)
		return;
	k->agreed = *gang_says(g);
	k->exclusive = gang_lead(g)->spec->exclusive;
	k->exclusive_user = gang_lead(g)->spec->exclusive_user;
	k->account = gang_lead(g)->spec->account;
	k->members = g->count;
	for (size_t m = 0; m < g->count; m++)
		k->tasks += g->members[m]->spec->tasks;
}

static bool is_of(const struct sketch *k, const Armada__JobSpec *s)
{
	return strcmp(k->id, s->gang_id) == 0 && strcmp(k->queue, s->queue) == 0 &&
	       (!k->job_set || strcmp(k->job_set, s->job_set) == 0);
}

static struct sketch *sketch_of(struct admitting *a, size_t i)
{
	const Armada__JobSpec *s = a->request->jobs[i];

	/* from the last: members of one gang are mostly adjacent in a request */
	for (size_t k = a->count; k-- > 0;) {
		struct sketch *have = &a->sketches[k];

		if (is_of(have, s))
			return have;
	}
	GROW(a->sketches, a->cap, a->count + 1);
	sketch_begin(a, i, &a->sketches[a->count]);
	return &a->sketches[a->count++];
}

/* "job 3 of the request (train-2)" */
static const char *name_of(const struct admitting *a, size_t i)
{
	const Armada__SubmitRequest *m = a->request;

	return m->n_jobs > 1 ? arena_printf(a->txn->arena, "job %zu of the request (%s)", i + 1,
					    m->jobs[i]->name)
			     : arena_printf(a->txn->arena, "this job (%s)", m->jobs[i]->name);
}

/* The name of the job that described the gang first. */
static const char *other_of(const struct admitting *a, const struct sketch *k)
{
	return k->waiting ? arena_printf(a->txn->arena, "job %" PRIu64, gang_lead(k->waiting)->id)
			  : name_of(a, k->first);
}

static int disagree(struct admitting *a, size_t i, const struct sketch *k, const char *what,
		    const char *says, const char *said)
{
	return err_set(
		a->err, -EINVAL,
		"gang %s: %s has %s %s, and %s has %s: it must be the same for all members of a "
		"gang",
		k->id, name_of(a, i), what, says[0] ? says : "none", other_of(a, k),
		said[0] ? said : "none");
}

static int disagree_count(struct admitting *a, size_t i, const struct sketch *k, const char *what,
			  uint32_t says, uint32_t said)
{
	char one[16], two[16];

	snprintf(one, sizeof(one), "%u", says);
	snprintf(two, sizeof(two), "%u", said);
	return disagree(a, i, k, what, one, two);
}

static const char *exclusive_word(bool exclusive, bool of_user)
{
	return exclusive ? "yes" : of_user ? "user" : "no";
}

static int check_agrees(struct admitting *a, size_t i, const struct sketch *k)
{
	const Armada__JobSpec *s = a->request->jobs[i];

	if (s->gang_cardinality != k->agreed.cardinality)
		return disagree_count(a, i, k, "cardinality", s->gang_cardinality,
				      k->agreed.cardinality);
	if (least(s) != k->agreed.min)
		return disagree_count(a, i, k, "minimum", least(s), k->agreed.min);
	if (strcmp(s->priority_class, k->agreed.priority_class) != 0)
		return disagree(a, i, k, "class", s->priority_class, k->agreed.priority_class);
	if (strcmp(s->uniformity, k->agreed.uniformity) != 0)
		return disagree(a, i, k, "uniformity label", s->uniformity, k->agreed.uniformity);
	if (strcmp(s->account, k->account) != 0)
		return disagree(a, i, k, "account", s->account, k->account);
	if (job_spec_alone(s) != k->exclusive || s->exclusive_user != k->exclusive_user)
		return disagree(a, i, k, "exclusive",
				exclusive_word(job_spec_alone(s), s->exclusive_user),
				exclusive_word(k->exclusive, k->exclusive_user));
	return 0;
}

/* A list of the members that wait or run, cut to the length of a sentence. */
static const char *list_members(const struct txn *txn, const struct gang *g)
{
	struct buf list CLEANUP_BUF = {0};

	for (size_t i = 0; i < g->count && list.len < 100; i++)
		buf_addf(&list, "%s%" PRIu64, i ? ", " : "", g->members[i]->id);
	if (g->count && list.len >= 100)
		buf_addstr(&list, ", ...");
	return arena_strdup(txn->arena, (char *)list.data);
}

static int check_room(struct admitting *a, size_t i, const struct sketch *k)
{
	int64_t most = a->txn->policy->max_tasks;

	if (k->waiting && k->waiting->begun)
		return err_set(
			a->err, -EINVAL,
			"gang %s: %s comes too late: the gang has started (%s); use another gang "
			"id",
			k->id, name_of(a, i), list_members(a->txn, k->waiting));
	if (k->members > k->agreed.cardinality)
		return err_set(a->err, -EINVAL,
			       "gang %s: %s is one too many: the gang has %u %s already%s%s%s; use "
			       "another gang id",
			       k->id, name_of(a, i), k->agreed.cardinality,
			       plural(k->agreed.cardinality, "member", "members"),
			       k->waiting ? " (" : "",
			       k->waiting ? list_members(a->txn, k->waiting) : "",
			       k->waiting ? ")" : "");
	if (k->tasks > (uint64_t)most)
		return err_set(a->err, -EINVAL,
			       "gang %s: with %s it has %" PRIu64 " tasks; at most %" PRId64
			       " are accepted (limits.tasks_per_job)",
			       k->id, name_of(a, i), k->tasks, most);
	return 0;
}

/* An incomplete gang of this user and id in another queue was meant to be the same one. */
static int check_queue(struct admitting *a, size_t i, const struct sketch *k)
{
	const struct gang *g = gang_find_id(a->txn->state, a->txn->in->caller->uid, k->id);

	for (; g; g = g->next)
		if (strcmp(g->queue, k->queue) != 0 && !gang_is_whole(g))
			return err_set(
				a->err, -EINVAL,
				"gang %s: %s is in queue %s, and job %" PRIu64
				" is in queue %s: all members of a gang must be in one queue",
				k->id, name_of(a, i), k->queue, gang_lead(g)->id, g->queue);
	for (size_t at = 0; at < a->count; at++)
		if (strcmp(a->sketches[at].id, k->id) == 0 &&
		    strcmp(a->sketches[at].queue, k->queue) != 0)
			return err_set(
				a->err, -EINVAL,
				"gang %s: %s is in queue %s, and %s is in queue %s: all members "
				"of a gang must be in one queue",
				k->id, name_of(a, i), k->queue, name_of(a, a->sketches[at].first),
				a->sketches[at].queue);
	return 0;
}

static int admit_member(struct admitting *a, size_t i)
{
	Armada__JobSpec *s = a->request->jobs[i];
	struct sketch *k;
	int rc;

	if (!s->gang_id[0])
		return 0;
	k = sketch_of(a, i);
	s->gang_of_queue = !k->job_set;
	rc = k->members || k->waiting ? 0 : check_queue(a, i, k);
	if (rc < 0)
		return rc;
	k->members++;
	k->last = i;
	k->tasks += s->groups[0]->replicas;
	rc = check_agrees(a, i, k);
	return rc < 0 ? rc : check_room(a, i, k);
}

/*
 * Checks a gang whose last member is in the request: whether it could ever start as a whole. A gang
 * whose first member is in the request is checked too, as if all later members asked for what the
 * smallest one in the request asks for.
 */
static int check_whole(struct admitting *a, const struct sketch *k, int *ret_code)
{
	struct txn *txn = a->txn;
	const Armada__SubmitRequest *m = a->request;
	const Armada__JobSpec **specs = arena_alloc(txn->arena, k->members * sizeof(*specs));
	struct gang_sum sum = {specs, 0, k->agreed.min, k->agreed.uniformity,
			       k->agreed.cardinality - k->members};
	struct admission about = {.txn = txn,
				  .spec = m->jobs[k->first],
				  .request = m,
				  .err = a->err,
				  .user = txn->in->caller->user};
	int rc;

	for (size_t i = 0; k->waiting && i < k->waiting->count; i++)
		specs[sum.count++] = spec_open(txn, k->waiting->members[i]->spec, txn->arena);
	for (size_t i = k->first; i <= k->last; i++)
		if (is_of(k, m->jobs[i]))
			specs[sum.count++] = m->jobs[i];
	rc = admit_gang_fit(&about, &sum);
	if (rc < 0)
		*ret_code = about.code;
	if (rc < 0 && sum.later)
		return err_prefix(a->err, rc,
				  "gang %s, if each later member asks for as much as %s (submit "
				  "unequal members in one request, or a small one first)",
				  k->id, name_of(a, k->last));
	return rc < 0 ? err_prefix(a->err, rc, "gang %s, whole with %s", k->id, name_of(a, k->last))
		      : 0;
}

int admit_gangs(struct txn *txn, const Armada__SubmitRequest *m, int *ret_code, struct err *err)
{
	struct admitting a = {.txn = txn, .request = m, .err = err};
	int rc = 0;

	*ret_code = 1;
	for (size_t i = 0; i < m->n_jobs && rc == 0; i++)
		rc = admit_member(&a, i);
	for (size_t i = 0; i < a.count && rc == 0; i++)
		if (a.sketches[i].members == a.sketches[i].agreed.cardinality ||
		    !a.sketches[i].waiting)
			rc = check_whole(&a, &a.sketches[i], ret_code);
	free(a.sketches);
	return rc;
}
