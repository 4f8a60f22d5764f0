/*
 * Looks up finished jobs in the history for dependencies (history_lookup.h). Input: job ids and the
 * viewer. Output: for each job whether it is known, its elements, those that failed, and its latest
 * start time. Array rows are not read for the start time, because there may be a million.
 */
#include "armctld/history_lookup.h"
#include "core/view/visibility.h"
#include "util/mem.h"
#include "util/steps.h"

#include <errno.h>

static int on_bad(void *arg, uint64_t job, uint32_t first, uint32_t last, const void *row,
		  size_t len)
{
	struct core_finished_job *p = arg;

	(void)job, (void)row, (void)len;
	rangeset_add(&p->bad, first, last);
	return 0;
}

static int on_row(void *arg, uint64_t job, uint32_t first, uint32_t last, const void *data,
		  size_t len)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct core_finished_job *p = arg;
	const Armada__JobRow *row =
		msg_unpack_as(&armada__job_row__descriptor, data, len, arena, NULL);

	(void)job, (void)first, (void)last;
	if (row && row->start_us > p->start_us)
		p->start_us = row->start_us;
	return 0;
}

static int find_rows(const struct armada_state_ops *state, void *handle,
		     struct core_finished_job *p, struct armada_error *err)
{
	static const int32_t bad[] = {
		ARMADA__JOB_STATE__JOB_FAILED,    ARMADA__JOB_STATE__JOB_CANCELLED,
		ARMADA__JOB_STATE__JOB_TIMEOUT,   ARMADA__JOB_STATE__JOB_PREEMPTED,
		ARMADA__JOB_STATE__JOB_NODE_FAIL, ARMADA__JOB_STATE__JOB_OUT_OF_MEMORY,
	};
	struct armada_history_ids id = {p->job, p->job};
	struct armada_history_filter filter = {.ids = &id, .id_count = 1, .limit = UINT32_MAX};
	int rc = 0;

	/* the rows of an array are not read: a delay after it counts from now */
	if (!p->array)
		rc = state->history_find(handle, &filter, on_row, p, err);
	filter.states = bad;
	filter.state_count = ARRAY_SIZE(bad);
	return rc < 0 ? rc : state->history_find(handle, &filter, on_bad, p, err);
}

/* The row of an element that has run is its own; other rows may be of many elements, which never ran. */
static int on_end(void *arg, uint64_t job, uint32_t first, uint32_t last, const void *data,
		  size_t len)
{
	struct core_finished_job *p = arg;

	(void)job;
	if (first <= p->element && p->element <= last)
		p->row = msg_unpack_as(&armada__job_row__descriptor, data, len, p->arena, NULL);
	return 0;
}

static int find_end(const struct armada_state_ops *state, void *handle, struct core_finished_job *p,
		    struct armada_error *err)
{
	struct armada_history_ids id = {p->job, p->job};
	struct armada_history_filter filter = {
		.ids = &id, .id_count = 1, .limit = 1, .after_job = p->job - 1};

	if (p->element) {
		filter.after_job = p->job;
		filter.has_after_element = true;
		filter.after_element = p->element - 1;
	}
	return state->history_find(handle, &filter, on_end, p, err);
}

static void add_elements(const Armada__JobSpec *spec, struct core_finished_job *p)
{
	for (size_t i = 0; i < spec->n_array; i++)
		steps_add(&p->elements, spec->array[i]->first, spec->array[i]->last,
			  spec->array[i]->step);
	p->array = spec->n_array > 0;
	if (!p->array)
		rangeset_add(&p->elements, 0, 0);
}

static int find_one(const struct armada_state_ops *state, void *handle,
		    const struct core_viewer *viewer, struct core_finished_job *p,
		    struct armada_error *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	CLEANUP_FREE void *detail = NULL, *script = NULL, *env = NULL;
	size_t detail_len, script_len, env_len;
	const Armada__ShowJobReply *show;
	int rc = state->history_job(handle, p->job, &detail, &detail_len, &script, &script_len,
				    &env, &env_len, err);

	if (rc == -ENOENT)
		return 0;
	if (rc < 0)
		return rc;
	if (p->by_element)
		p->arena = arena_new(0);
	show = msg_unpack_as(&armada__show_job_reply__descriptor, detail, detail_len,
			     p->by_element ? p->arena : arena, NULL);
	if (!show || !show->spec || !visibility_sees(viewer, show->uid, show->spec->queue))
		return 0;
	p->known = true;
	add_elements(show->spec, p);
	if (p->by_element) {
		p->spec = show->spec;
		return find_end(state, handle, p, err);
	}
	return find_rows(state, handle, p, err);
}

int history_lookup_find(const struct armada_state_ops *state, void *handle,
			const struct core_viewer *viewer, const uint64_t *jobs, size_t count,
			const uint32_t *element, struct core_finished_job *ret_past,
			struct err *err)
{
	struct armada_error why = {""};

	for (size_t i = 0; i < count; i++)
		ret_past[i] = (struct core_finished_job){.job = jobs[i],
							 .by_element = element != NULL,
							 .element = element ? *element : 0};
	for (size_t i = 0; i < count; i++) {
		int rc = find_one(state, handle, viewer, &ret_past[i], &why);

		if (rc < 0)
			return err_set(err, rc, "%s",
				       why.text[0] ? why.text : "the history cannot be read");
	}
	return 0;
}

void history_lookup_free(struct core_finished_job *finished, size_t count)
{
	for (size_t i = 0; finished && i < count; i++) {
		rangeset_done(&finished[i].elements);
		rangeset_done(&finished[i].bad);
		arena_free(finished[i].arena);
	}
	free(finished);
}
