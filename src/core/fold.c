#include "core/depend.h"
#include "core/fold_parts.h"
#include "core/gang.h"
#include "core/rights.h"
#include "core/tenant.h"
#include "core/vacancy.h"
#include "util/mem.h"

#include <assert.h>
#include <string.h>

static int fold_cluster_made(struct core *c, const Armada__ClusterMade *m, struct err *err)
{
	if (m->cluster_id.len != sizeof(c->cluster_id))
		return err_set(err, -EINVAL, "a cluster id of %zu bytes", m->cluster_id.len);
	memcpy(c->cluster_id, m->cluster_id.data, sizeof(c->cluster_id));
	free(c->cluster);
	c->cluster = xstrdup(m->name);
	return 0;
}

static int fold_epoch_began(struct core *c, const Armada__EpochBegan *m, struct err *err)
{
	if (m->epoch <= c->epoch)
		return err_set(err, -EINVAL, "epoch %" PRIu64 " after %" PRIu64, m->epoch,
			       c->epoch);
	c->epoch = m->epoch;
	for (struct node *n = c->nodes; n; n = n->hh.next)
		n->linked = false;
	return 0;
}

static int fold_queue_set(struct core *c, const Armada__QueueSet *m, struct err *err)
{
	if (!m->spec)
		return err_set(err, -EINVAL, "a queue event without a queue");
	queue_set(c, m->spec, c->now_us, m->by);
	return 0;
}

static int fold_queue_deleted(struct core *c, const Armada__QueueDeleted *m, struct err *err)
{
	struct queue *q = core_find_queue(c, m->name);

	if (!q || q->jobs)
		return err_set(err, -EINVAL, "queue %s deleted but not there or in use", m->name);
	queue_drop(c, q);
	return 0;
}

static int fold_blob_stored(struct core *c, const Armada__BlobStored *m, struct err *err)
{
	if (m->hash.len != HASH_SIZE)
		return err_set(err, -EINVAL, "a blob hash of %zu bytes", m->hash.len);
	blob_add(c, m->hash.data, m->data.data, m->data.len);
	return 0;
}

void fold_key_add(struct core *c, uint32_t uid, const ProtobufCBinaryData *key, uint64_t first,
		  uint32_t jobs, int64_t until_us)
{
	struct submit_key *k = xcalloc(1, sizeof(*k));

	memcpy(k->id.key, key->data, key->len < 16 ? key->len : 16);
	k->id.uid = uid;
	k->first = first;
	k->jobs = jobs;
	k->until_us = until_us;
	HASH_ADD(hh, c->keys, id, sizeof(k->id), k);
	TAILQ_INSERT_TAIL(&c->keys_by_age, k, by_age);
}

void keys_expire(struct core *c)
{
	struct submit_key *k;

	while ((k = TAILQ_FIRST(&c->keys_by_age)) && k->until_us < c->now_us) {
		TAILQ_REMOVE(&c->keys_by_age, k, by_age);
		HASH_DEL(c->keys, k);
		free(k);
	}
}

int fold_job_make(struct core *c, const Armada__JobSubmitted *m, struct job **ret_job,
		  struct err *err)
{
	struct queue *q = m->spec ? core_find_queue(c, m->spec->queue) : NULL;
	struct job *j;

	if (!q)
		return err_set(err, -EINVAL, "job %" PRIu64 " is in no queue", m->id);
	if (m->id < c->next_job)
		return err_set(err, -EINVAL, "job id %" PRIu64 " is used twice", m->id);
	j = job_insert(c, m->id);
	c->next_job = m->id + 1;
	j->spec = spec_obtain(c, m->spec);
	j->user = user_obtain(c, m);
	j->queue = q;
	q->jobs++;
	tenant_join(c, j);
	gang_join(c, j);
	namesake_join(c, j);
	*ret_job = j;
	return 0;
}

void fold_wait_add(struct core *c, struct job *j, uint32_t first, uint32_t last)
{
	uint64_t before = j->waiting.total;

	rangeset_add(&j->waiting, first, last);
	c->waiting += j->waiting.total - before;
	j->queue->waiting += j->waiting.total - before;
	tenant_waits(j, (int64_t)(j->waiting.total - before));
}

static void wait_remove(struct core *c, struct job *j, uint32_t first, uint32_t last)
{
	uint64_t n = rangeset_remove(&j->waiting, first, last);

	c->waiting -= n;
	j->queue->waiting -= n;
	tenant_waits(j, -(int64_t)n);
}

static int fold_job_submitted(struct core *c, const Armada__JobSubmitted *m, struct err *err)
{
	struct job *j;
	int rc = fold_job_make(c, m, &j, err);

	if (rc < 0)
		return rc;
	j->submit_us = c->now_us;
	job_hold(j, m->spec->hold, ARMADA__HOLDER__HOLDER_OWNER);
	for (size_t i = 0; i < m->spec->n_array; i++) {
		const Armada__IndexRange *r = m->spec->array[i];
		uint32_t step = r->step ? r->step : 1;

		if (step == 1)
			fold_wait_add(c, j, r->first, r->last);
		else
			for (uint64_t n = r->first; n <= r->last; n += step)
				fold_wait_add(c, j, n, n);
	}
	if (!m->spec->n_array)
		fold_wait_add(c, j, 0, 0);
	if (m->waits)
		depend_make(c, j, m->waits);
	if (m->key.len)
		fold_key_add(c, m->uid, &m->key, m->id, m->key_jobs, m->key_until_us);
	return 0;
}

static int fold_job_held(struct core *c, const Armada__JobHeld *m, struct err *err)
{
	struct job *j = job_find(c, m->job);

	if (!j)
		return err_set(err, -EINVAL, "job %" PRIu64 " held but not there", m->job);
	job_hold(j, m->held, m->by);
	return 0;
}

void fold_set_active(struct core *c, struct job *j, struct element *e, int state)
{
	bool was = e->state != ARMADA__JOB_STATE__JOB_PENDING;
	bool is = state != ARMADA__JOB_STATE__JOB_PENDING;

	e->state = state;
	if (was == is)
		return;
	if (j->gang)
		j->gang->active += is ? 1 : -1;
	c->active += is ? 1 : -1;
	j->queue->active += is ? 1 : -1;
	tenant_active(j, is ? 1 : -1);
}

static struct element *active_element(struct core *c, uint64_t job, uint32_t index)
{
	struct job *j = job_find(c, job);
	struct element *e = j ? element_find(j, index) : NULL;

	return e && e->task_count ? e : NULL;
}

/* Of several groups, where some tasks are left out, it is said how many of each are not. */
static bool groups_fit(const struct spec *s, const uint32_t *groups, size_t count, size_t tasks)
{
	size_t sum = 0;

	if (!count)
		return !s->groups || tasks == s->tasks;
	for (size_t i = 0; i < count && s->groups && count == s->group_count; i++) {
		if (groups[i] > s->groups[i].replicas)
			return false;
		sum += groups[i];
	}
	return sum == tasks;
}

static void set_groups(struct element *e, const uint32_t *groups, size_t count)
{
	uint32_t rank = 0;

	for (size_t i = 0; i < e->job->spec->group_count && e->job->spec->groups; i++)
		for (uint32_t n = count ? groups[i] : e->job->spec->groups[i].replicas; n; n--)
			e->tasks[rank++].group = (uint16_t)i;
}

static int fold_element_leased(struct core *c, const Armada__ElementLeased *m, struct err *err)
{
	struct job *j = job_find(c, m->job);
	struct element *e;

	if (!j || !rangeset_contains(&j->waiting, m->element) ||
	    !spec_starts_with(j->spec, m->n_nodes) ||
	    !groups_fit(j->spec, m->groups, m->n_groups, m->n_nodes))
		return err_set(err, -EINVAL, "lease of %" PRIu64 "_%u does not fit its state",
			       m->job, m->element);
	for (size_t i = 0; i < m->n_nodes; i++)
		if (!core_find_node(c, m->nodes[i]))
			return err_set(err, -EINVAL, "lease on an unknown node %s", m->nodes[i]);
	wait_remove(c, j, m->element, m->element);
	e = element_obtain(j, m->element);
	e->attempt = m->attempt;
	e->seq = c->record.seq;
	e->promised = m->promised;
	e->yields = false;
	e->gate_open = e->gate_look = false;
	gang_leased(j, m->gang_members, !m->promised);
	e->lease_ms = m->lease_ms;
	e->start_us = 0;
	e->why = 0;
	free(e->text);
	e->text = NULL;
	element_lease(e, m->n_nodes);
	set_groups(e, m->groups, m->n_groups);
	for (size_t i = 0; i < m->n_nodes; i++) {
		e->tasks[i].node = core_find_node(c, m->nodes[i]);
		LIST_INSERT_HEAD(&e->tasks[i].node->tasks, &e->tasks[i], on_node);
		tenant_uses(&e->tasks[i], 1);
	}
	fold_set_active(c, j, e, ARMADA__JOB_STATE__JOB_CONFIGURING);
	free(j->reason);
	j->reason = NULL;
	j->why = WHY_NONE;
	j->expected_us = 0;
	return 0;
}

static int fold_element_released(struct core *c, const Armada__ElementReleased *m, struct err *err)
{
	struct element *e = active_element(c, m->job, m->element);

	if (!e || !e->promised)
		return err_set(err, -EINVAL, "%" PRIu64 "_%u is released but not promised", m->job,
			       m->element);
	e->promised = false;
	gang_ordered(e->job);
	return 0;
}

static int fold_task_started(struct core *c, const Armada__TaskStarted *m, struct err *err)
{
	struct task *t = task_find(c, m->key);

	if (!t)
		return err_set(err, -EINVAL, "start of a task that is not there");
	t->state = TASK_STARTED;
	t->start_us = m->start_us;
	if (m->all) {
		if (!t->element->start_us)
			t->element->start_us = m->start_us;
		note_begun(t->element);
		if (t->element->state == ARMADA__JOB_STATE__JOB_CONFIGURING)
			t->element->state = ARMADA__JOB_STATE__JOB_RUNNING;
	}
	return 0;
}

int fold_task_ended(struct core *c, const Armada__TaskEnded *m, struct err *err)
{
	struct task *t = task_find(c, m->key);

	if (!t || !m->end)
		return err_set(err, -EINVAL, "end of a task that is not there");
	if (t->state != TASK_ENDED)
		tenant_uses(t, -1);
	t->state = TASK_ENDED;
	t->cause = m->end->cause;
	t->exit_code = m->end->exit_code;
	t->exit_signal = m->end->signal;
	if (m->end->start_us)
		t->start_us = m->end->start_us;
	t->end_us = m->end->end_us;
	free(t->text);
	t->text = m->end->text[0] ? xstrdup(m->end->text) : NULL;
	if (m->end->usage) {
		t->cpu_us = m->end->usage->cpu_us;
		t->max_rss = m->end->usage->max_rss_bytes;
		t->read_bytes = m->end->usage->read_bytes;
		t->written_bytes = m->end->usage->written_bytes;
	}
	return 0;
}

static int fold_element_ending(struct core *c, const Armada__ElementEnding *m, struct err *err)
{
	struct element *e = active_element(c, m->job, m->element);

	if (!e)
		return err_set(err, -EINVAL, "%" PRIu64 "_%u is being ended but not active", m->job,
			       m->element);
	vacancies_drop(c, e);
	e->state = ARMADA__JOB_STATE__JOB_COMPLETING;
	e->why = m->why;
	if (m->why == ARMADA__END_REASON__ENDING_PREEMPT)
		e->yields = true;
	free(e->text);
	e->text = m->text[0] ? xstrdup(m->text) : NULL;
	return 0;
}

static int fold_element_requeued(struct core *c, const Armada__ElementRequeued *m, struct err *err)
{
	struct element *e = active_element(c, m->job, m->element);

	if (!e)
		return err_set(err, -EINVAL, "%" PRIu64 "_%u is requeued but not active", m->job,
			       m->element);
	element_free_tasks(c, e);
	fold_set_active(c, e->job, e, ARMADA__JOB_STATE__JOB_PENDING);
	e->why = 0;
	e->promised = e->yields = false;
	e->failures = m->failures;
	for (size_t i = 0; i < m->n_avoid; i++)
		avoid_add(c, e->job, m->avoid[i], m->avoid_until_us);
	free(e->text);
	e->text = m->reason[0] ? xstrdup(m->reason) : NULL;
	free(e->before);
	e->before = e->text ? xstrdup(e->text) : NULL;
	fold_wait_add(c, e->job, m->element, m->element);
	note_excess(e->job);
	return 0;
}

static int fold_element_unknown(struct core *c, const Armada__ElementUnknown *m, struct err *err)
{
	struct element *e = active_element(c, m->job, m->element);

	if (!e)
		return err_set(err, -EINVAL, "%" PRIu64 "_%u is unknown but not active", m->job,
			       m->element);
	e->state = m->state;
	return 0;
}

/* The end of a job's last element: history, those who wait for it, and then it is gone. */
static void job_leave(struct core *c, struct job *j)
{
	Armada__ShowJobReply detail;
	struct armada_history_job *h;
	struct buf packed = {0};
	struct effect *e;
	struct waiter *w, *next;

	job_detail(c, j, c->arena, &detail);
	msg_pack(&detail, &packed);
	h = arena_zalloc(c->arena, 1, sizeof(*h));
	h->seq = c->record.seq;
	h->job = j->id;
	h->detail = arena_memdup(c->arena, packed.data, packed.len);
	h->detail_len = packed.len;
	buf_done(&packed);
	for (int i = 0; i < 2; i++) {
		const struct blob *b = i ? j->spec->env : j->spec->script;
		struct armada_history_blob *to = i ? &h->env : &h->script;

		if (!b)
			continue;
		memcpy(to->hash, b->hash, HASH_SIZE);
		to->data = arena_memdup(c->arena, b->data, b->len);
		to->len = b->len;
	}
	e = effect_add(c, EFFECT_HISTORY);
	e->history_job = h;
	for (w = j->waiters ? LIST_FIRST(&c->waiters) : NULL; w; w = next) {
		Armada__WaitJobReply reply;

		next = LIST_NEXT(w, all);
		if (w->job != j->id)
			continue;
		wait_reply(j, &reply);
		if (w->hides)
			reply.reason = text_without_jobs(reply.reason, j->id, c->arena);
		effect_send(c, w->conn, w->request, MSG_WAIT_JOB_REPLY, &reply);
		LIST_REMOVE(w, all);
		free(w);
	}
	j->queue->jobs--;
	job_drop(c, j);
}

static void history_row(struct core *c, const struct job *j, const struct element *e,
			const Armada__ElementEnded *m, const Armada__IndexRange *range)
{
	struct armada_history_row *h = arena_zalloc(c->arena, 1, sizeof(*h));
	struct buf packed CLEANUP_BUF = {0};
	struct buf nodes CLEANUP_BUF = {0};
	Armada__IndexRange *ranges[1] = {(Armada__IndexRange *)range};
	Armada__JobRow row;

	row_fill_end(c, j, e, c->arena, &row);
	row.elements = ranges;
	row.n_elements = 1;
	row.state = m->state;
	row.exit_code = m->exit_code;
	row.exit_signal = m->exit_signal;
	row.reason = m->reason;
	row.attempt = m->attempt;
	row.usage = m->usage;
	row.start_us = m->start_us;
	row.end_us = m->end_us;
	row.count = (uint64_t)range->last - range->first + 1;
	if (e && e->promised)
		row.n_nodes = 0; /* nothing ran there */
	msg_pack(&row, &packed);
	for (size_t i = 0; i < row.n_nodes; i++)
		buf_addf(&nodes, "%s%s", i ? "," : "", row.nodes[i]);
	*h = (struct armada_history_row){
		.seq = c->record.seq,
		.job = j->id,
		.first_element = range->first,
		.last_element = range->last,
		.attempt = m->attempt,
		.uid = j->user->uid,
		.user = arena_strdup(c->arena, j->user->name),
		.queue = arena_strdup(c->arena, j->spec->queue),
		.job_set = arena_strdup(c->arena, j->spec->job_set),
		.name = arena_strdup(c->arena, j->spec->name),
		.nodes = arena_strdup(c->arena, nodes.len ? (char *)nodes.data : ""),
		.state = m->state,
		.submit_us = j->submit_us,
		.start_us = m->start_us,
		.end_us = m->end_us,
		.row = arena_memdup(c->arena, packed.data, packed.len),
		.row_len = packed.len,
	};
	effect_add(c, EFFECT_HISTORY)->row = h;
}

void fold_note_end(struct job *j, const Armada__ElementEnded *m, uint64_t count)
{
	if (j->spec->array)
		ends_obtain(j)->count[m->state] += count;
	if (m->exit_code > j->exit_code)
		j->exit_code = m->exit_code;
	if (m->exit_signal > j->exit_signal)
		j->exit_signal = m->exit_signal;
	if (m->state > j->worst) {
		j->worst = m->state;
		free(j->end_reason);
		j->end_reason = m->reason[0] ? xstrdup(m->reason) : NULL;
	}
}

static int fold_element_ended(struct core *c, const Armada__ElementEnded *m, struct err *err)
{
	struct job *j = job_find(c, m->job);

	if (!j || !state_is_terminal(m->state) || m->state > ARMADA__JOB_STATE__JOB_OUT_OF_MEMORY)
		return err_set(err, -EINVAL, "the end of %" PRIu64 " does not fit its state",
			       m->job);
	for (size_t i = 0; i < m->n_elements; i++) {
		const Armada__IndexRange *r = m->elements[i];
		struct element *e = r->first == r->last ? element_find(j, r->first) : NULL;

		history_row(c, j, e, m, r);
		if (!e || !e->begun)
			note_unbegun(j, (uint64_t)r->last - r->first + 1);
		fold_note_end(j, m, (uint64_t)r->last - r->first + 1);
		if (e && e->state != ARMADA__JOB_STATE__JOB_PENDING) {
			fold_set_active(c, j, e, ARMADA__JOB_STATE__JOB_PENDING);
		} else {
			wait_remove(c, j, r->first, r->last);
		}
		if (e)
			element_drop(c, e);
	}
	note_bad(j, m);
	note_excess(j);
	if (job_over(j)) {
		job_leave(c, j);
		return 0;
	}
	for (size_t i = 0; i < m->n_elements && j->depend; i++)
		depend_let(c, j, m->elements[i]->first, m->elements[i]->last);
	return 0;
}

/* wakes: a scheduling round may have something to do afterwards. */
#define FOLD(KIND, member, fn, wakes_)                                                             \
	case ARMADA__EVENT__KIND_##KIND:                                                           \
		c->wants_round |= (wakes_);                                                        \
		return ev->member ? fn(c, ev->member, err) : -EINVAL

static int apply(struct core *c, const Armada__Event *ev, struct err *err)
{
	switch (ev->kind_case) {
		/* clang-format off */
	FOLD(CLUSTER_MADE,	cluster_made,	  fold_cluster_made,	 false);
	FOLD(EPOCH_BEGAN,	epoch_began,	  fold_epoch_began,	 false);
	FOLD(QUEUE_SET,		queue_set,	  fold_queue_set,	 true);
	FOLD(QUEUE_DELETED,	queue_deleted,	  fold_queue_deleted,	 true);
	FOLD(BLOB_STORED,	blob_stored,	  fold_blob_stored,	 false);
	FOLD(JOB_SUBMITTED,	job_submitted,	  fold_job_submitted,	 true);
	FOLD(JOB_HELD,		job_held,	  fold_job_held,	 true);
	FOLD(ELEMENT_LEASED,	element_leased,	  fold_element_leased,	 false);
	FOLD(TASK_STARTED,	task_started,	  fold_task_started,	 false);
	FOLD(TASK_ENDED,	task_ended,	  fold_task_ended,	 false);
	FOLD(ELEMENT_ENDING,	element_ending,	  fold_element_ending,	 false);
	FOLD(ELEMENT_ENDED,	element_ended,	  fold_element_ended,	 true);
	FOLD(ELEMENT_REQUEUED,	element_requeued, fold_element_requeued, true);
	FOLD(NODE_SET,		node_set,	  fold_node_set,	 true);
	FOLD(NODE_STATE_SET,	node_state_set,	  fold_node_state_set,	 true);
	FOLD(ELEMENT_UNKNOWN,	element_unknown,  fold_element_unknown,	 false);
	FOLD(NODE_LINKED,	node_linked,	  fold_node_linked,	 true);
	FOLD(ELEMENT_RELEASED,	element_released, fold_element_released, false);
	FOLD(TASK_LEASED,	task_leased,	  fold_task_leased,	 false);
	FOLD(TASK_VACATED,	task_vacated,	  fold_task_vacated,	 true);
	FOLD(JOB_ELIGIBLE,	job_eligible,	  fold_job_eligible,	 true);
	FOLD(DEPENDENCY_SETTLED, dependency_settled, fold_dependency_settled, false);
	FOLD(JOB_UPDATED,	job_updated,	  fold_job_updated,	 true);
	FOLD(SNAP_WAITS,	snap_waits,	  fold_snap_waits,	 false);
	FOLD(NODE_DELETED,	node_deleted,	  fold_node_deleted,	 true);
	FOLD(JOB_AVOIDS,	job_avoids,	  fold_job_avoids,	 true);
	FOLD(LEASE_EXTENDED,	lease_extended,	  fold_lease_extended,	 false);
	FOLD(NODE_REBOOT,	node_reboot,	  fold_node_reboot,	 false);
	FOLD(SHARES_NOTED,	shares_noted,	  fold_shares_noted,	 false);
	FOLD(SNAP_HEAD,		snap_head,	  fold_snap_head,	 false);
	FOLD(SNAP_QUEUE,	snap_queue,	  fold_snap_queue,	 false);
	FOLD(SNAP_NODE,		snap_node,	  fold_snap_node,	 false);
	FOLD(SNAP_JOB,		snap_job,	  fold_snap_job,	 false);
	FOLD(SNAP_KEY,		snap_key,	  fold_snap_key,	 false);
		/* clang-format on */
	default:
		return err_set(err, -EINVAL, "event kind %d is not known to this release",
			       (int)ev->kind_case);
	}
}

/* The job an event is about; 0: none. */
static uint64_t job_of(const Armada__Event *ev)
{
	switch (ev->kind_case) {
	case ARMADA__EVENT__KIND_JOB_SUBMITTED:
		return ev->job_submitted->id;
	case ARMADA__EVENT__KIND_JOB_HELD:
		return ev->job_held->job;
	case ARMADA__EVENT__KIND_ELEMENT_LEASED:
		return ev->element_leased->job;
	case ARMADA__EVENT__KIND_ELEMENT_RELEASED:
		return ev->element_released->job;
	case ARMADA__EVENT__KIND_TASK_STARTED:
		return ev->task_started->key->job;
	case ARMADA__EVENT__KIND_TASK_ENDED:
		return ev->task_ended->key->job;
	case ARMADA__EVENT__KIND_TASK_LEASED:
		return ev->task_leased->key->job;
	case ARMADA__EVENT__KIND_TASK_VACATED:
		return ev->task_vacated->key->job;
	case ARMADA__EVENT__KIND_ELEMENT_ENDING:
		return ev->element_ending->job;
	case ARMADA__EVENT__KIND_ELEMENT_ENDED:
		return ev->element_ended->job;
	case ARMADA__EVENT__KIND_ELEMENT_REQUEUED:
		return ev->element_requeued->job;
	case ARMADA__EVENT__KIND_ELEMENT_UNKNOWN:
		return ev->element_unknown->job;
	case ARMADA__EVENT__KIND_JOB_ELIGIBLE:
		return ev->job_eligible->job;
	case ARMADA__EVENT__KIND_JOB_UPDATED:
		return ev->job_updated->job;
	case ARMADA__EVENT__KIND_JOB_AVOIDS:
		return ev->job_avoids->job;
	default:
		return 0;
	}
}

int fold_event(struct core *c, const Armada__Event *ev, struct err *err)
{
	int rc = apply(c, ev, err);
	uint64_t job = rc < 0 ? 0 : job_of(ev);
	struct job *j = job ? job_find(c, job) : NULL;

	if (j)
		j->changed = c->record.seq;
	else if (!job)
		c->others_changed = c->record.seq;
	return rc;
}

int fold_record(struct core *c, const Armada__Record *record, struct err *err)
{
	c->record.seq = record->seq;
	c->now_us = record->wall_us;
	keys_expire(c);
	for (size_t i = 0; i < record->n_events; i++) {
		int rc = fold_event(c, record->events[i], err);

		if (rc < 0)
			return err_prefix(err, rc, "record %" PRIu64 ", event %zu", record->seq, i);
	}
	c->seq = record->seq;
	c->last_wall_us = record->wall_us;
	return 0;
}
