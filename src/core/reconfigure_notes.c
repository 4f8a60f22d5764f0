/*
 * Notes: the consequences of a change of armada.conf for jobs. No change ends a running job.
 *
 * Input: one change of an option, a class, nodes or a queue. Output: a sentence in the arena or a
 * constant, or "". Caveat: count_class() walks all jobs; it runs only for a reconfiguration.
 */
#include "core/reconfigure_notes.h"

#include "core/state/account_use.h"
#include "util/mem.h"
#include "util/plural.h"

#include <inttypes.h>
#include <string.h>

/* ---- options and plugins ---- */

static const struct {
	const char *section, *name; /* name NULL: all options of the section */
	const char *note;
} option_notes[] = {
	{"", "require_account", "applies to jobs submitted from now on"},
	{"defaults", NULL, "applies to jobs submitted from now on"},
	{"limits", NULL, "applies to new requests; accepted jobs keep their values"},
	{"security", NULL, "applies to jobs submitted from now on; running jobs continue"},
	{"user_queues", NULL, "applies to queues created from now on"},
	{"agents", "auto_register", "nodes with tasks stay until those have ended"},
	{"scheduler", "default_class", "applies to jobs submitted from now on"},
	{"scheduler", NULL, "running jobs continue"},
	{"plugins", "fairness", "the usage history of all queues is lost"},
	{"plugins", "contain",
	 "each node uses its own armada.conf, which armd reads when it starts"},
};

const char *note_option(struct findings *f, const struct conf_change *change)
{
	(void)f;
	for (size_t i = 0; i < ARRAY_SIZE(option_notes); i++) {
		if (strcmp(option_notes[i].section, change->section) != 0)
			continue;
		if (!option_notes[i].name ||
		    (strcmp(option_notes[i].name, change->names[0]) == 0 && !*change->key))
			return option_notes[i].note;
	}
	return "";
}

/* ---- classes ---- */

/* Numbers of elements. */
struct counts {
	uint64_t waiting, running;
};

/* Only a reconfiguration needs this number, so no counter is kept. */
static struct counts count_class(const struct txn *txn, const char *class)
{
	CLEANUP_ARENA struct arena *a = arena_new(0);
	const struct spec *last = NULL;
	struct counts n = {0};
	bool is = false;

	for (size_t i = 0; i < txn->state->job_slots; i++) {
		const struct job *j = txn->state->jobs[i];
		const Armada__JobSpec *spec;

		if (!j)
			continue;
		if (j->spec != last) {
			arena_clear(a);
			spec = msg_unpack_own(&armada__job_spec__descriptor, j->spec->packed,
					      j->spec->len, a);
			is = spec && strcmp(spec->priority_class, class) == 0;
			last = j->spec;
		}
		if (!is)
			continue;
		n.waiting += j->waiting.total;
		for (size_t e = 0; e < j->element_count; e++)
			n.running += j->elements[e]->task_count > 0;
	}
	return n;
}

static const char *jobs_text(struct arena *a, uint64_t n)
{
	return arena_printf(a, "%" PRIu64 " job%s", n, plural(n, "", "s"));
}

/* "3 jobs run and 12 wait"; NULL: none. */
static const char *counts_text(struct arena *a, const struct counts *n)
{
	if (n->running && n->waiting)
		return arena_printf(a, "%s run%s and %" PRIu64 " wait%s", jobs_text(a, n->running),
				    plural(n->running, "s", ""), n->waiting,
				    plural(n->waiting, "s", ""));
	if (n->running)
		return arena_printf(a, "%s run%s", jobs_text(a, n->running),
				    plural(n->running, "s", ""));
	if (n->waiting)
		return arena_printf(a, "%s wait%s", jobs_text(a, n->waiting),
				    plural(n->waiting, "s", ""));
	return NULL;
}

const char *note_class(struct findings *f, const struct conf_change *change)
{
	struct arena *a = f->txn->arena;
	struct counts n;
	const char *jobs;

	if (strcmp(change->key, "users") == 0 || strcmp(change->key, "groups") == 0)
		return "applies to submissions and updates from now on; jobs in it keep the class";
	n = count_class(f->txn, change->names[0]);
	jobs = counts_text(a, &n);
	if (!*change->before || !jobs)
		return "";
	if (!*change->after)
		return arena_printf(
			a,
			"%s in it: they keep the class, and new jobs in it are refused; after a "
			"restart of armctld it counts as the default class",
			jobs);
	if (strstr(change->key, "preemptible") && strcmp(change->after, "true") == 0)
		return arena_printf(a, "%s in it: running jobs continue, and may be preempted",
				    jobs);
	return arena_printf(a, "%s in it: running jobs continue", jobs);
}

/* ---- accounts ---- */

const char *note_account(struct findings *f, const struct conf_change *change)
{
	const struct account_usage *u = account_usage_find(f->txn->state, change->names[0]);
	const struct usage has = u ? u->has : (struct usage){0};
	struct counts n = {has.waiting, has.active};
	struct arena *a = f->txn->arena;
	const char *jobs = counts_text(a, &n);

	if (strcmp(change->key, "users") == 0 || strcmp(change->key, "groups") == 0 ||
	    strcmp(change->key, "default_for") == 0)
		return "applies to submissions and updates from now on; jobs of it keep the "
		       "account";
	if (!jobs)
		return "";
	if (!*change->after)
		return arena_printf(
			a, "%s for it: they keep the account, and have no limits of it any more",
			jobs);
	return arena_printf(a, "%s for it%s", jobs, n.running ? ": running jobs continue" : "");
}

/* ---- nodes ---- */

const char *note_nodes(struct findings *f, const struct conf_change *change)
{
	struct txn *txn = f->txn;
	uint64_t tasks = 0;

	for (size_t i = 0; i < change->name_count; i++) {
		const struct node *n = node_find(txn->state, change->names[i]);
		const struct task *t;

		if (n)
			LIST_FOREACH (t, &n->tasks, on_node)
				tasks += t->state != TASK_ENDED;
	}
	if (!tasks)
		return "";
	return arena_printf(txn->arena, "%" PRIu64 " task%s there: %s", tasks,
			    plural(tasks, "", "s"), plural(tasks, "it continues", "they continue"));
}

/* ---- queues ---- */

const char *note_queue(struct findings *f, const struct queue *q, const char *key)
{
	struct arena *a = f->txn->arena;
	struct counts n = {q->waiting, q->active};
	const char *jobs = counts_text(a, &n);

	if (!key)
		return arena_printf(
			a, "the queue is kept%s%s; actl queue delete removes it once it is empty",
			jobs ? ", " : "", jobs ? jobs : "");
	if (!jobs)
		return "";
	return arena_printf(a, "%s in it%s", jobs, n.running ? ": running jobs continue" : "");
}
