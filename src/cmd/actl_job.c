/*
 * actl hold, release, requeue, requeuehold: jobs by id, or by what they have in common.
 */
#include "cmd/actl.h"

#include "client/jobstate.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* What may be said of jobs instead of their ids. */
static const struct {
	const char *key;
	int (*add)(struct filter *f, const char *text, struct err *err);
} keys[] = {
	{"user=", filter_add_users},
	{"queue=", filter_add_queues},
	{"job-set=", filter_add_job_sets},
	{"name=", filter_add_names},
	{"state=", filter_add_states},
	{"node=", filter_add_nodes},
	{"class=", filter_add_classes},
	{"job=", filter_add_ids},
	{"jobset=", filter_add_job_sets},
	{"partition=", filter_add_queues},
	{"priority-class=", filter_add_classes},
};

/* Options, which are taken for such words now and then. */
static const struct opt_table *const changes[] = {&actl_update_options, NULL};

static const char *key_of(struct filter *f, const char *word)
{
	size_t n = strcspn(word, "=");

	return word[n] ? arena_printf(f->arena, "%.*s", (int)n, word) : "";
}

static int add_word(struct filter *f, const char *word, struct err *err)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		size_t n = strlen(keys[i].key);

		if (strncmp(word, keys[i].key, n) == 0)
			return word[n] ? keys[i].add(f, word + n, err)
				       : err_set(err, -EINVAL, "%s what?", keys[i].key);
	}
	if (opt_find(changes, key_of(f, word)))
		return err_set(err, -EINVAL,
			       "\"%.60s\": such words say which jobs are meant; what is to become "
			       "of them is an option: --%.60s",
			       word, word);
	if (strchr(word, '='))
		return err_set(err, -EINVAL,
			       "\"%.60s\": jobs are named by id, or by user=, queue=, job-set=, "
			       "name=, class=, state= or node=",
			       word);
	return filter_add_ids(f, word, err);
}

int actl_select(struct filter *f, const char *const *words, size_t count, struct err *err)
{
	bool named = count > 1 && (!strcmp(words[0], "job") || !strcmp(words[0], "jobs"));
	int rc = 0;

	for (size_t i = named; rc == 0 && i < count; i++)
		rc = add_word(f, words[i], err);
	return rc;
}

/* Nothing changed: because it is so already, or because there are no such jobs? */
static int say_why_nothing(struct actl *a, const struct filter *f, bool release, struct err *err)
{
	Armada__ListJobsRequest q = ARMADA__LIST_JOBS_REQUEST__INIT;
	void *reply;
	int rc;

	q.filter = (Armada__JobFilter *)&f->message;
	q.limit = 1;
	rc = connection_ask(a->c, MSG_LIST_JOBS, &q, MSG_LIST_JOBS_REPLY, a->arena, 0, &reply, err);
	if (rc < 0)
		return rc;
	if (!((Armada__ListJobsReply *)reply)->n_rows)
		return err_set(err, -ENOENT, "there are no such jobs, or they have ended");
	printf("Nothing to do: none of them is waiting and %s\n", release ? "held" : "not held");
	return 0;
}

static void say_problems(char *const *problems, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fprintf(stderr, "actl: %s\n", problems[i]);
}

int actl_say_denied(uint64_t denied, struct err *err)
{
	return err_set(err, -EPERM, "%" PRIu64 " of them belong%s to others", denied,
		       denied == 1 ? "s" : "");
}

static int hold_parts(struct actl *a, const struct filter *f, bool release, struct err *err)
{
	Armada__HoldRequest q = ARMADA__HOLD_REQUEST__INIT;
	uint64_t changed = 0, denied = 0;

	q.filter = (Armada__JobFilter *)&f->message;
	q.release = release;
	do {
		const Armada__HoldReply *h;
		void *reply;
		int rc = connection_ask(a->c, MSG_HOLD, &q, MSG_HOLD_REPLY, a->arena, 0, &reply,
					err);

		if (rc < 0)
			return rc;
		h = reply;
		say_problems(h->problems, h->n_problems);
		changed += h->changed;
		denied += h->denied;
		q.after_id = h->next_after_id;
	} while (q.after_id);
	if (!changed && !denied)
		return say_why_nothing(a, f, release, err);
	if (changed)
		printf("%s %" PRIu64 " job%s\n", release ? "Released" : "Held", changed,
		       plural(changed));
	return denied ? actl_say_denied(denied, err) : 0;
}

static int hold_or_release(struct actl *a, bool release, struct err *err)
{
	struct filter f;
	int rc;

	filter_init(&f);
	rc = actl_select(&f, a->args, a->count, err);
	if (rc == 0)
		rc = hold_parts(a, &f, release, err);
	filter_done(&f);
	return rc;
}

int actl_hold(struct actl *a, struct err *err)
{
	return hold_or_release(a, false, err);
}

int actl_release(struct actl *a, struct err *err)
{
	return hold_or_release(a, true, err);
}

int actl_check_missing(struct connection *c, Armada__JobRange *const *list, size_t count,
		       struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	Armada__HistoryRequest q = ARMADA__HISTORY_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange *one;
	void *reply;
	int rc;

	for (size_t i = 0; i < count; i++) {
		if (list[i]->first != list[i]->last)
			continue;
		one = list[i];
		f.ids = &one;
		f.n_ids = 1;
		q.filter = &f;
		q.limit = 1;
		rc = connection_ask(c, MSG_HISTORY, &q, MSG_LIST_JOBS_REPLY, arena, 0, &reply, err);
		if (rc < 0)
			return rc;
		if (((Armada__ListJobsReply *)reply)->n_rows)
			return err_set(err, -ENOENT,
				       "job %" PRIu64 " has ended: submit it again to run it again",
				       list[i]->first);
		return err_set(err, -ENOENT, "there is no job %" PRIu64, list[i]->first);
	}
	return 0;
}

static int requeue_parts(struct actl *a, const struct filter *f, bool hold, struct err *err)
{
	Armada__RequeueRequest q = ARMADA__REQUEUE_REQUEST__INIT;
	uint64_t requeued = 0, waiting = 0, refused = 0, denied = 0;
	int absent = 0;

	q.filter = (Armada__JobFilter *)&f->message;
	q.hold = hold;
	do {
		const Armada__RequeueReply *r;
		void *reply;
		int rc = connection_ask(a->c, MSG_REQUEUE, &q, MSG_REQUEUE_REPLY, a->arena, 0,
					&reply, err);

		if (rc < 0)
			return rc;
		r = reply;
		say_problems(r->problems, r->n_problems);
		requeued += r->requeued;
		waiting += r->waiting;
		refused += r->refused;
		denied += r->denied;
		q.after_id = r->next_after_id;
		if (r->n_missing && absent == 0)
			absent = actl_check_missing(a->c, r->missing, r->n_missing, err);
	} while (q.after_id);
	if (requeued)
		printf("Requeued %" PRIu64 " running\n", requeued);
	if (waiting)
		printf("%" PRIu64 " wait%s already\n", waiting, waiting == 1 ? "s" : "");
	if (absent < 0)
		return absent;
	if (denied)
		return actl_say_denied(denied, err);
	if (refused)
		return err_set(err, -EBADE, "%" PRIu64 " of them cannot be requeued", refused);
	return requeued || waiting ? 0 : err_set(err, -ENOENT, "there are no such jobs");
}

static int requeue(struct actl *a, bool hold, struct err *err)
{
	struct filter f;
	int rc;

	filter_init(&f);
	rc = actl_select(&f, a->args, a->count, err);
	if (rc == 0)
		rc = requeue_parts(a, &f, hold, err);
	filter_done(&f);
	return rc;
}

int actl_requeue(struct actl *a, struct err *err)
{
	return requeue(a, false, err);
}

int actl_requeuehold(struct actl *a, struct err *err)
{
	return requeue(a, true, err);
}
