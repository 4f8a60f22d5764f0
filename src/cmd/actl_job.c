/*
 * actl hold, release, requeue, requeuehold: jobs by id, or by what they have in common.
 */
#include "cmd/actl.h"

#include "client/jobstate.h"
#include "cmd/parts.h"

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

static int hold_parts(struct actl *a, const struct filter *f, bool release, struct err *err)
{
	Armada__HoldRequest q = ARMADA__HOLD_REQUEST__INIT;
	struct tally t;
	int rc;

	q.filter = (Armada__JobFilter *)&f->message;
	q.release = release;
	rc = parts_ask(a->c, release ? &parts_release : &parts_hold, &q, &t, err);
	if (rc < 0)
		return rc;
	if (!t.done && !t.denied)
		return say_why_nothing(a, f, release, err);
	if (t.done)
		printf("%s %" PRIu64 " job%s\n", release ? "Released" : "Held", t.done,
		       plural(t.done));
	return t.denied ? parts_denied(&t, err) : 0;
}

static int requeue_parts(struct actl *a, const struct filter *f, bool hold, struct err *err)
{
	Armada__RequeueRequest q = ARMADA__REQUEUE_REQUEST__INIT;
	struct tally t;
	int rc;

	q.filter = (Armada__JobFilter *)&f->message;
	q.hold = hold;
	rc = parts_ask(a->c, &parts_requeue, &q, &t, err);
	if (rc < 0)
		return rc;
	if (t.done)
		printf("Requeued %" PRIu64 " running\n", t.done);
	if (t.waiting)
		printf("%" PRIu64 " wait%s already\n", t.waiting, t.waiting == 1 ? "s" : "");
	if (t.absent < 0)
		return t.absent;
	if (t.denied)
		return parts_denied(&t, err);
	if (t.refused)
		return err_set(err, -EBADE, "%" PRIu64 " of them cannot be requeued", t.refused);
	return t.done || t.waiting ? 0 : err_set(err, -ENOENT, "there are no such jobs");
}

/* With the jobs that the words name. */
static int each(struct actl *a, bool flag,
		int (*run)(struct actl *a, const struct filter *f, bool flag, struct err *err),
		struct err *err)
{
	struct filter f;
	int rc;

	filter_init(&f);
	rc = actl_select(&f, a->args, a->count, err);
	if (rc == 0)
		rc = run(a, &f, flag, err);
	filter_done(&f);
	return rc;
}

int actl_hold(struct actl *a, struct err *err)
{
	return each(a, false, hold_parts, err);
}

int actl_release(struct actl *a, struct err *err)
{
	return each(a, true, hold_parts, err);
}

int actl_requeue(struct actl *a, struct err *err)
{
	return each(a, false, requeue_parts, err);
}

int actl_requeuehold(struct actl *a, struct err *err)
{
	return each(a, true, requeue_parts, err);
}
