/*
 * Attempts for accounting, made of rows of the history.
 *
 * Input: a packed JobRow, also of an earlier release. Output: an attempt whose texts are in the arena.
 * Runs on the history thread. Rows of earlier releases do not say why time was lost; their state does.
 */
#include "armctld/history_attempt.h"

#include "util/hostlist.h"
#include "util/names.h"

#include <errno.h>
#include <string.h>

#define STATE(name) ARMADA__JOB_STATE__JOB_##name

/* The resources that are charged for the time of the attempt. */
static Armada__Resource **charged(const Armada__JobRow *row, size_t *ret_count)
{
	*ret_count = row->n_charged ? row->n_charged : row->n_resources;
	return row->n_charged ? row->charged : row->resources;
}

static int64_t amount_in(Armada__Resource *const *list, size_t count, const char *name,
			 int64_t missing)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i]->name, name) == 0)
			return list[i]->amount;
	return missing;
}

static int64_t charged_of(const Armada__JobRow *row, const char *name)
{
	size_t count;
	Armada__Resource **list = charged(row, &count);

	return amount_in(list, count, name, 0);
}

/* {"cpu":2000,"memory":1073741824}. Names of resources need no escapes in JSON; others are left out. */
static const char *resources_json(const Armada__JobRow *row, struct arena *arena)
{
	struct buf text CLEANUP_BUF = {0};
	size_t count;
	Armada__Resource **list = charged(row, &count);

	for (size_t i = 0; i < count; i++) {
		const Armada__Resource *r = list[i];

		if (strpbrk(r->name, "\"\\\n"))
			continue;
		buf_addf(&text, "%s%c%s%c:%lld", text.len ? "," : "", '"', r->name, '"',
			 (long long)r->amount);
	}
	buf_addc(&text, '\0');
	return arena_printf(arena, "{%s}", (const char *)text.data);
}

static void set_nodes(const Armada__JobRow *row, struct arena *arena, struct armada_attempt *a)
{
	const char **names = arena_alloc(arena, (row->n_nodes + 1) * sizeof(*names));
	struct buf text CLEANUP_BUF = {0};

	/* by rank: the tasks of a node are often adjacent, but need not be */
	for (size_t i = 0; i < row->n_nodes; i++)
		if ((!a->node_count || strcmp(names[a->node_count - 1], row->nodes[i]) != 0) &&
		    !names_have(names, a->node_count, row->nodes[i]))
			names[a->node_count++] = row->nodes[i];
	hostlist_compress(names, a->node_count, &text);
	buf_addc(&text, '\0');
	a->nodes = arena_strdup(arena, (const char *)text.data);
}

static void set_labels(const Armada__JobRow *row, struct arena *arena, struct armada_attempt *a)
{
	struct armada_attempt_label *list = arena_alloc(arena, (row->n_labels + 1) * sizeof(*list));

	for (size_t i = 0; i < row->n_labels; i++)
		list[i] = (struct armada_attempt_label){row->labels[i]->key, row->labels[i]->value};
	a->labels = list;
	a->label_count = row->n_labels;
}

static void set_usage(const Armada__JobRow *row, struct armada_attempt *a)
{
	const Armada__Usage *u = row->usage;
	bool split = u && u->user_us + u->system_us > 0;

	/* what never ran has used nothing, which says nothing about it */
	if (!row->start_us)
		u = NULL;
	a->cpu_us = u ? u->cpu_us : -1;
	a->user_us = u && split ? u->user_us : -1;
	a->system_us = u && split ? u->system_us : -1;
	a->peak_bytes = u && u->max_rss_bytes ? u->max_rss_bytes : -1;
	a->read_bytes = u ? u->read_bytes : -1;
	a->written_bytes = u ? u->written_bytes : -1;
}

static Armada__Lost lost_of(const Armada__JobRow *row)
{
	if (row->lost || !row->start_us)
		return row->lost;
	if (row->state == STATE(NODE_FAIL))
		return ARMADA__LOST__LOST_NODE;
	if (row->state == STATE(PREEMPTED) && !row->eligible_us)
		return ARMADA__LOST__LOST_PREEMPTION;
	return row->lost;
}

int history_attempt_of(struct arena *arena, const void *row, size_t len,
		       struct armada_attempt *ret_attempt)
{
	const Armada__JobRow *r = msg_unpack_own(&armada__job_row__descriptor, row, len, arena);

	if (!r)
		return -EBADMSG;
	*ret_attempt = (struct armada_attempt){
		.job = r->job,
		.first_element = r->n_elements ? r->elements[0]->first : 0,
		.last_element = r->n_elements ? r->elements[0]->last : 0,
		.attempt = r->attempt,
		.requeued = r->requeued,
		.state = r->state,
		.lost = lost_of(r),
		.uid = r->uid,
		.gid = r->gid,
		.user = r->user,
		.account = r->account,
		.queue = r->queue,
		.job_set = r->job_set,
		.name = r->name,
		.priority_class = r->priority_class,
		.submit_us = r->submit_us,
		.eligible_us = r->eligible_us,
		.start_us = r->start_us,
		.end_us = r->end_us,
		.exit_code = r->exit_code,
		.exit_signal = r->exit_signal,
		.reason = r->reason,
		.by = r->by,
		.for_job = r->for_job,
		.for_element = r->for_element,
		.for_queue = r->for_queue,
		.tasks = r->tasks,
		.cpu_milli = charged_of(r, "cpu"),
		/* of all tasks, because the peak is compared with the part of one of them */
		.memory_bytes = amount_in(r->resources, r->n_resources, "memory", -1),
		.gpus = charged_of(r, "gpu"),
		.resources = resources_json(r, arena),
	};
	set_nodes(r, arena, ret_attempt);
	set_labels(r, arena, ret_attempt);
	set_usage(r, ret_attempt);
	return 0;
}
