/*
 * Derives job events from the events of the log (job_events.h).
 *
 * Input: an event of the log and the state before it. Output: numbered, packed job events in the arena of
 * the input. The table `derivations` has a function for each kind of log event that means something to
 * users. A function reads no volatile data and no clock but that of the record. Caveats: a range of
 * elements is one event, but an event has at most RANGES_MAX ranges; more are several events. The count of
 * events must follow from durable data alone, because the numbers of the set are durable.
 */
#include "core/txn/job_events.h"

#include "core/state/dependents.h"
#include "core/state/fold.h"
#include "core/state/share_note.h"
#include "core/txn/effects.h"
#include "core/txn/job_text.h"
#include "core/txn/spec_changes.h"
#include "proto/event_table.h"
#include "proto/job_event_table.h"
#include "util/mem.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define KIND(name)  ARMADA__JOB_EVENT_KIND__JOB_EVENT_##name
#define STATE(name) ARMADA__JOB_STATE__JOB_##name
#define CAUSE(name) ARMADA__END_CAUSE__END_##name
#define WHY(name)   ARMADA__END_REASON__ENDING_##name

enum { RANGES_MAX = 1000, ALL_ELEMENTS = UINT32_MAX };

/* The derivation from one event of the log. */
struct derivation {
	struct txn *txn;
	const struct job *job;     /* NULL: the event makes it */
	const struct element *one; /* the element that the event names; NULL: none, or several */
	bool array;
	uint64_t id;
	uint32_t uid;
	bool after; /* of the set that the job is in after the event */
};

static char *copy(const struct derivation *d, const char *text)
{
	return text ? arena_strdup(d->txn->arena, text) : (char *)"";
}

/* A new event; the caller fills it in before the next call, or at least before the log event is applied. */
static Armada__JobEvent *add(struct derivation *d, Armada__JobEventKind kind)
{
	struct txn *txn = d->txn;
	struct derived *x;

	GROW(txn->derived, txn->derived_cap, txn->derived_count + 1);
	x = &txn->derived[txn->derived_count++];
	*x = (struct derived){.after = d->after, .array = d->array};
	x->event = arena_alloc(txn->arena, sizeof(*x->event));
	armada__job_event__init(x->event);
	x->event->kind = kind;
	x->event->job = d->id;
	x->event->uid = d->uid;
	x->event->time_us = txn->clock_us;
	return x->event;
}

static Armada__JobEvent *add_of(struct derivation *d, Armada__JobEventKind kind, uint32_t element,
				uint32_t attempt)
{
	Armada__JobEvent *x = add(d, kind);

	x->attempt = attempt;
	if (d->array) {
		x->elements = range_of_one(element, 0, d->txn->arena);
		x->n_elements = 1;
	}
	return x;
}

/* An event of the element that the log event names. */
static Armada__JobEvent *add_one(struct derivation *d, Armada__JobEventKind kind)
{
	return add_of(d, kind, d->one->index, d->one->attempt);
}

/* Neighbouring ranges as one, in order. */
static void set_ranges(struct derivation *d, Armada__JobEvent *x, Armada__IndexRange *const *list,
		       size_t count)
{
	struct rangeset set = {0};

	if (!d->array)
		return;
	for (size_t i = 0; i < count; i++)
		rangeset_add(&set, list[i]->first, list[i]->last);
	x->elements = ranges_of(&set, SIZE_MAX, d->txn->arena, &x->n_elements);
	rangeset_done(&set);
}

/* ---- submitted, queued, held ---- */

static char **labels_of(const struct derivation *d, const Armada__JobSpec *s)
{
	char **list = arena_alloc(d->txn->arena, (s->n_labels + 1) * sizeof(*list));

	for (size_t i = 0; i < s->n_labels; i++)
		list[i] = arena_printf(d->txn->arena, "%s=%s", s->labels[i]->key,
				       s->labels[i]->value);
	return list;
}

static uint32_t count_tasks(const Armada__JobSpec *s)
{
	uint32_t tasks = 0;

	for (size_t i = 0; i < s->n_groups; i++)
		tasks += s->groups[i]->replicas;
	return tasks;
}

static void submitted(struct derivation *d, const void *message)
{
	const Armada__JobSubmitted *m = message;
	const Armada__JobSpec *s = m->spec;
	Armada__JobEvent *x = add(d, KIND(SUBMITTED));

	x->user = copy(d, m->user);
	x->name = copy(d, s->name);
	x->priority = s->priority;
	x->priority_class = copy(d, s->priority_class);
	x->account = copy(d, s->account);
	x->labels = labels_of(d, s);
	x->n_labels = s->n_labels;
	x->tasks = count_tasks(s);
	x->count = !s->n_array;
	for (size_t i = 0; i < s->n_array; i++)
		x->count += (s->array[i]->last - s->array[i]->first) /
				    (s->array[i]->step ? s->array[i]->step : 1) +
			    UINT64_C(1);
	if (s->n_array && s->n_array <= RANGES_MAX) {
		x->n_elements = s->n_array;
		x->elements = s->array;
	}
	if (!s->hold && !m->waits)
		add(d, KIND(QUEUED));
}

static void eligible(struct derivation *d, const void *message)
{
	const Armada__JobEligible *m = message;

	for (size_t i = 0; i < m->n_elements && !d->job->held; i += RANGES_MAX) {
		size_t left = m->n_elements - i;

		set_ranges(d, add(d, KIND(QUEUED)), &m->elements[i],
			   left < RANGES_MAX ? left : RANGES_MAX);
	}
}

/* The waiting elements that nothing but room keeps from starting. */
static void queued_now(struct derivation *d, bool withheld)
{
	const struct depend *waits = withheld ? d->job->depend : NULL;
	struct rangeset set = {0};
	Armada__JobEvent *x;

	rangeset_copy(&set, &d->job->waiting);
	if (waits && waits->withheld)
		rangeset_subtract(&set, waits->withheld);
	else if (waits)
		rangeset_clear(&set);
	if (set.total) {
		x = add(d, KIND(QUEUED));
		if (d->array && set.count <= RANGES_MAX)
			x->elements = ranges_of(&set, RANGES_MAX, d->txn->arena, &x->n_elements);
	}
	rangeset_done(&set);
}

static void held(struct derivation *d, const void *message)
{
	const Armada__JobHeld *m = message;

	if (m->held == d->job->held)
		return; /* a stronger hold */
	add(d, m->held ? KIND(HELD) : KIND(RELEASED))->by = copy(d, m->by_user);
	if (!m->held)
		queued_now(d, true);
}

/* ---- updated ---- */

static void moved(struct derivation *d, const Armada__JobUpdated *m, Armada__JobEvent *x)
{
	x->to_queue = copy(d, m->spec->queue);
	x->count = d->job->waiting.total;
	d->after = true;
	x = add(d, KIND(UPDATED));
	x->by = copy(d, m->by);
	x->from_queue = copy(d, d->job->queue->name);
	x->count = d->job->waiting.total;
}

/* The events of a changed specification. moves: NULL, or the update that may move the job. */
static void changed(struct derivation *d, const Armada__JobSpec *to, const char *by,
		    const Armada__JobUpdated *moves)
{
	struct arena *a = d->txn->arena;
	const Armada__JobSpec *old = spec_open(d->txn, d->job->spec, a);
	Armada__JobEvent *x;
	char **fields;
	size_t count;

	count = spec_changed_fields(old, to, a, &fields);
	if (moves && moves->set_waits)
		fields[count++] = (char *)"dependency";
	if (old->priority != to->priority) {
		x = add(d, KIND(REPRIORITISED));
		x->by = copy(d, by);
		x->priority = to->priority;
		x->old_priority = old->priority;
	}
	if (spec_is_scaled(old, to)) {
		x = add(d, KIND(SCALED));
		x->by = copy(d, by);
		x->tasks = count_tasks(to);
		x->old_tasks = count_tasks(old);
	}
	if (count) {
		x = add(d, KIND(UPDATED));
		x->by = copy(d, by);
		x->fields = fields;
		x->n_fields = count;
		if (moves && strcmp(d->job->queue->name, to->queue) != 0)
			moved(d, moves, x);
	}
}

static void updated(struct derivation *d, const void *message)
{
	const Armada__JobUpdated *m = message;

	if (!m->spec || d->job->next)
		return; /* the fold refuses it; or a restart told it */
	changed(d, m->spec, m->by, m);
	if (m->set_waits && !m->waits && d->job->depend && !d->job->held)
		queued_now(d, false);
}

static void restarting(struct derivation *d, const void *message)
{
	const Armada__JobRestarting *m = message;

	if (m->spec)
		changed(d, m->spec, m->by, NULL);
}

/* ---- an element runs ---- */

static void leased(struct derivation *d, const void *message)
{
	const Armada__ElementLeased *m = message;
	Armada__JobEvent *x = add_of(d, KIND(LEASED), m->element, m->attempt);

	x->nodes = m->nodes;
	x->n_nodes = m->n_nodes;
	if (!m->lease_pending)
		add_of(d, KIND(PENDING), m->element, m->attempt);
}

static void released(struct derivation *d, const void *message)
{
	(void)message;
	add_one(d, KIND(PENDING));
}

/* ---- an elastic element changes while it runs ---- */

static uint32_t count_running(const struct element *e)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->task_count; i++)
		n += e->tasks[i].state == TASK_STARTED && !e->tasks[i].leaving;
	return n;
}

static Armada__JobEvent *scaled_to(struct derivation *d, uint32_t tasks, uint32_t old_tasks)
{
	Armada__JobEvent *x = add_one(d, KIND(SCALED));

	x->tasks = tasks;
	x->old_tasks = old_tasks;
	return x;
}

/* The task of the element if it is an extra task; NULL: it starts with the element. */
static const struct task *extra_of(const struct derivation *d, const Armada__TaskKey *key)
{
	const struct task *t = task_find(d->txn->state, key);

	return t && t->extra ? t : NULL;
}

static void leaving(struct derivation *d, const void *message)
{
	const Armada__TaskLeaving *m = message;
	const struct task *t = extra_of(d, m->key);
	uint32_t running = count_running(d->one);

	if (t && t->state == TASK_STARTED && !t->leaving)
		scaled_to(d, running - 1, running)->reason = copy(d, m->text);
}

/* How a task ended, in words; "": its end says no more than that it failed. */
static const char *end_text(struct txn *txn, const Armada__TaskEnd *end)
{
	if (end->text[0])
		return end->text;
	if (end->cause == CAUSE(EXITED))
		return arena_printf(txn->arena, "exit code %d", end->exit_code);
	if (end->cause == CAUSE(SIGNALED))
		return arena_printf(txn->arena, "ended by signal %d", end->signal);
	return "";
}

/* A task that has done its work has not left, and one that failed before its start had not joined. */
static void task_ended(struct derivation *d, const void *message)
{
	const Armada__TaskEnded *m = message;
	const struct task *t = extra_of(d, m->key);
	uint32_t running = count_running(d->one);
	const char *text;

	if (!t || t->state != TASK_STARTED || t->leaving || d->one->why || !m->end ||
	    (m->end->cause == CAUSE(EXITED) && !m->end->exit_code))
		return;
	text = end_text(d->txn, m->end);
	scaled_to(d, running - 1, running)->reason = arena_printf(
		d->txn->arena, "task %" PRIu32 " failed%s%s", t->rank, *text ? ": " : "", text);
}

static void started(struct derivation *d, const void *message)
{
	const Armada__TaskStarted *m = message;
	const struct task *t = extra_of(d, m->key);
	uint32_t running = count_running(d->one);

	if (t && t->state == TASK_LEASED && !t->leaving)
		scaled_to(d, running + 1, running);
	if (m->all && d->one->state == STATE(CONFIGURING))
		add_one(d, KIND(RUNNING))->start_us =
			d->one->start_us ? d->one->start_us : m->start_us;
}

static void suspended(struct derivation *d, const void *message)
{
	const Armada__ElementSuspended *m = message;

	if (m->suspended != d->one->suspended)
		add_one(d, m->suspended ? KIND(SUSPENDED) : KIND(RESUMED))->by = copy(d, m->by);
}

static void unknown(struct derivation *d, const void *message)
{
	const Armada__ElementUnknown *m = message;
	bool was = d->one->state == STATE(UNKNOWN), is = m->state == STATE(UNKNOWN);

	if (is && !was)
		add_one(d, KIND(UNREACHABLE))->reason = copy(d, m->text);
	else if (was && !is)
		add_one(d, KIND(REACHABLE));
}

/* ---- an element ends ---- */

static double share_of(const struct queue *q)
{
	return q->noted ? q->noted->level : 0;
}

/* For whom the element makes room. The other job may have left memory. */
static void set_for(struct derivation *d, Armada__JobEvent *x, uint64_t job, uint32_t element)
{
	const struct job *other = job_find(d->txn->state, job);

	x->for_job = job;
	x->for_element = element;
	x->share = share_of(d->job->queue);
	if (!other)
		return;
	x->for_queue = copy(d, other->queue->name);
	x->for_user = copy(d, other->user->name);
	x->for_share = share_of(other->queue);
}

static void ending(struct derivation *d, const void *message)
{
	const Armada__ElementEnding *m = message;
	Armada__JobEventKind kind = m->why == WHY(CANCEL)    ? KIND(CANCELLING)
				    : m->why == WHY(PREEMPT) ? KIND(PREEMPTING)
							     : KIND(ENDING);
	Armada__JobEvent *x = add_one(d, kind);

	x->by = copy(d, m->by);
	x->reason = copy(d, m->text);
	if (kind == KIND(PREEMPTING))
		set_for(d, x, m->for_job, m->for_element);
}

#define CATEGORY(name) ARMADA__FAILURE_CATEGORY__FAILURE_##name
#define FAULT(name)    ARMADA__FAULT__FAULT_##name

/* By the cause of the deciding task; and for an element without such a task, by its state. */
static const struct blame {
	uint8_t cause, state, category, fault;
} blames[] = {
	/* clang-format off */
	{CAUSE(LEASE),		STATE(NODE_FAIL),	CATEGORY(NODE_LOST),	FAULT(SYSTEM)},
	{CAUSE(LOST),		STATE(NODE_FAIL),	CATEGORY(NODE_LOST),	FAULT(SYSTEM)},
	{CAUSE(SHUTDOWN),	STATE(NODE_FAIL),	CATEGORY(NODE_LOST),	FAULT(SYSTEM)},
	{CAUSE(ACCOUNT),	STATE(NODE_FAIL),	CATEGORY(ACCOUNT),	FAULT(SYSTEM)},
	{CAUSE(NODE),		STATE(NODE_FAIL),	CATEGORY(LAUNCH_FAILED), FAULT(SYSTEM)},
	{CAUSE(LAUNCH_FAILED),	STATE(FAILED),		CATEGORY(LAUNCH_FAILED), FAULT(USER)},
	{CAUSE(REFUSED),	STATE(FAILED),		CATEGORY(REJECTED),	FAULT(SYSTEM)},
	{CAUSE(TIME_LIMIT),	STATE(TIMEOUT),		CATEGORY(TIME_LIMIT),	FAULT(USER)},
	{CAUSE(OUT_OF_MEMORY),	STATE(OUT_OF_MEMORY),	CATEGORY(OOM),		FAULT(USER)},
	{0,			STATE(NODE_FAIL),	CATEGORY(NODE_LOST),	FAULT(SYSTEM)},
	{0,			STATE(FAILED),		CATEGORY(ERROR),	FAULT(USER)},
	/* clang-format on */
};

static bool has_cause(const struct element *e, uint8_t cause)
{
	for (uint32_t i = 0; i < e->task_count; i++)
		if (e->tasks[i].state == TASK_ENDED && e->tasks[i].cause == cause)
			return true;
	return false;
}

static void set_blame(const struct element *e, Armada__JobState state, Armada__JobEvent *x)
{
	for (size_t i = 0; i < ARRAY_SIZE(blames); i++) {
		const struct blame *b = &blames[i];

		if (b->state != state || (b->cause && !(e && has_cause(e, b->cause))))
			continue;
		x->category = b->category;
		x->fault = b->fault;
		break;
	}
	if (!e && state == STATE(FAILED)) { /* it never ran: its gang started without it */
		x->category = CATEGORY(REJECTED);
		x->fault = FAULT(SYSTEM);
	}
}

/* Before the end of an attempt: the nodes whose leases are over. */
static void lease_expired(struct derivation *d, const char *reason)
{
	const struct element *e = d->one;
	Armada__JobEvent *x;

	if (!e || !has_cause(e, CAUSE(LEASE)))
		return;
	x = add_one(d, KIND(LEASE_EXPIRED));
	x->reason = copy(d, reason);
	x->nodes = arena_alloc(d->txn->arena, e->task_count * sizeof(*x->nodes));
	for (uint32_t i = 0; i < e->task_count; i++)
		if (e->tasks[i].state == TASK_ENDED && e->tasks[i].cause == CAUSE(LEASE))
			x->nodes[x->n_nodes++] = e->tasks[i].node->name;
}

static void set_usage(Armada__JobEvent *x, const Armada__Usage *u, int64_t start_us, int64_t end_us)
{
	x->start_us = start_us;
	x->end_us = end_us;
	x->cpu_us = u->cpu_us;
	x->max_rss_bytes = u->max_rss_bytes;
	x->read_bytes = u->read_bytes;
	x->written_bytes = u->written_bytes;
}

static Armada__JobEventKind end_kind(Armada__JobState state)
{
	switch (state) {
	case STATE(COMPLETED):
		return KIND(SUCCEEDED);
	case STATE(CANCELLED):
		return KIND(CANCELLED);
	case STATE(PREEMPTED):
		return KIND(PREEMPTED);
	default:
		return KIND(FAILED);
	}
}

static void end_part(struct derivation *d, const Armada__ElementEnded *m, size_t from, size_t count)
{
	const struct element *e = d->one;
	Armada__JobEvent *x = add(d, end_kind(m->state));

	set_ranges(d, x, &m->elements[from], count);
	x->attempt = m->attempt;
	x->reason = copy(d, m->reason);
	x->exit_code = m->exit_code;
	x->exit_signal = m->exit_signal;
	if (x->kind == KIND(FAILED))
		set_blame(e && e->task_count ? e : NULL, m->state, x);
	if (x->kind == KIND(CANCELLED) || x->kind == KIND(PREEMPTED))
		x->by = copy(d, m->by[0] || !e ? m->by : e->by);
	if (x->kind == KIND(PREEMPTED) && e && e->for_job)
		set_for(d, x, e->for_job, e->for_element);
}

static void ended(struct derivation *d, const void *message)
{
	const Armada__ElementEnded *m = message;
	bool one = m->n_elements == 1 && m->elements[0]->first == m->elements[0]->last;

	d->one = one ? element_find(d->job, m->elements[0]->first) : NULL;
	lease_expired(d, m->reason);
	if (d->one && m->usage && m->start_us)
		set_usage(add_one(d, KIND(USAGE)), m->usage, m->start_us, m->end_us);
	for (size_t i = 0; i < m->n_elements; i += RANGES_MAX)
		end_part(d, m, i, m->n_elements - i < RANGES_MAX ? m->n_elements - i : RANGES_MAX);
}

/* What the tasks of an attempt reported with their ends. */
static void attempt_usage(struct derivation *d)
{
	const struct element *e = d->one;
	Armada__Usage all = ARMADA__USAGE__INIT;
	struct task_usage sum = e->earlier;
	int64_t start_us = e->start_us, end_us = 0;

	for (uint32_t i = 0; i < e->task_count; i++) {
		const struct task *t = &e->tasks[i];

		if (!start_us)
			start_us = t->start_us;
		end_us = t->end_us > end_us ? t->end_us : end_us;
		usage_add(&sum, &t->usage);
	}
	usage_put(&sum, &all);
	if (start_us)
		set_usage(add_one(d, KIND(USAGE)), &all, start_us,
			  end_us ? end_us : d->txn->clock_us);
}

static void requeued(struct derivation *d, const void *message)
{
	const Armada__ElementRequeued *m = message;
	const struct element *e = d->one;
	const char *by = m->by[0] ? m->by : e->by;
	Armada__JobEvent *x;

	if (m->state) {
		lease_expired(d, m->reason);
		attempt_usage(d);
	}
	if (e->why == WHY(PREEMPT) || m->for_job) {
		x = add_one(d, KIND(PREEMPTED));
		x->requeues = true;
		x->by = copy(d, by);
		x->reason = copy(d, m->reason);
		set_for(d, x, m->for_job ? m->for_job : e->for_job,
			m->for_job ? m->for_element : e->for_element);
	}
	x = add_one(d, KIND(REQUEUED));
	x->by = copy(d, by);
	x->reason = copy(d, m->reason);
	x->failures = m->failures;
	x->not_before_us = m->not_before_us;
	if (!m->state)
		x->attempt = 0;
	x->exit_code = m->exit_code;
	x->exit_signal = m->exit_signal;
	if (m->state && end_kind(m->state) == KIND(FAILED))
		set_blame(e, m->state, x);
}

static void due(struct derivation *d, const void *message)
{
	const Armada__ElementDue *m = message;

	if (!d->job->held)
		add_of(d, KIND(QUEUED), m->element, 0);
}

/* ---- the table ---- */

#define NO_ELEMENT(m)  ((void)(m), -1)
#define OWN_ELEMENT(m) ((int64_t)(m)->element)
#define KEY_ELEMENT(m) ((m)->key ? (int64_t)(m)->key->element : -1)

/* D(KIND, member, element that the event names and that has tasks, function) */
/* clang-format off */
#define DERIVATIONS(D) \
	D(JOB_SUBMITTED,	job_submitted,		NO_ELEMENT,	submitted) \
	D(JOB_ELIGIBLE,		job_eligible,		NO_ELEMENT,	eligible) \
	D(JOB_HELD,		job_held,		NO_ELEMENT,	held) \
	D(JOB_UPDATED,		job_updated,		NO_ELEMENT,	updated) \
	D(JOB_RESTARTING,	job_restarting,		NO_ELEMENT,	restarting) \
	D(ELEMENT_LEASED,	element_leased,		NO_ELEMENT,	leased) \
	D(ELEMENT_RELEASED,	element_released,	OWN_ELEMENT,	released) \
	D(TASK_STARTED,		task_started,		KEY_ELEMENT,	started) \
	D(TASK_LEAVING,		task_leaving,		KEY_ELEMENT,	leaving) \
	D(TASK_ENDED,		task_ended,		KEY_ELEMENT,	task_ended) \
	D(ELEMENT_SUSPENDED,	element_suspended,	OWN_ELEMENT,	suspended) \
	D(ELEMENT_UNKNOWN,	element_unknown,	OWN_ELEMENT,	unknown) \
	D(ELEMENT_ENDING,	element_ending,		OWN_ELEMENT,	ending) \
	D(ELEMENT_REQUEUED,	element_requeued,	OWN_ELEMENT,	requeued) \
	D(ELEMENT_DUE,		element_due,		NO_ELEMENT,	due) \
	D(ELEMENT_ENDED,	element_ended,		NO_ELEMENT,	ended)
/* clang-format on */

/* The message and the function for the event. False: it means nothing to users. */
static bool find_derivation(const Armada__Event *ev, int64_t *ret_element, const void **ret_message,
			    void (**ret_function)(struct derivation *d, const void *m))
{
	switch (ev->kind_case) {
#define D(KIND, member, element, function)                                                         \
	case ARMADA__EVENT__KIND_##KIND:                                                           \
		*ret_message = ev->member;                                                         \
		*ret_element = ev->member ? element(ev->member) : -1;                              \
		*ret_function = function;                                                          \
		return ev->member;
		DERIVATIONS(D)
#undef D
	default:
		return false;
	}
}

static bool find_nouns(struct derivation *d, const Armada__Event *ev, int64_t element)
{
	const Armada__JobSubmitted *m =
		ev->kind_case == ARMADA__EVENT__KIND_JOB_SUBMITTED ? ev->job_submitted : NULL;

	d->id = event_job(ev);
	if (m) {
		d->uid = m->uid;
		d->array = m->spec && m->spec->n_array;
		d->after = true;
		return m->spec && m->id >= d->txn->state->next_job;
	}
	d->job = job_find(d->txn->state, d->id);
	if (!d->job)
		return false; /* the fold refuses it */
	d->uid = d->job->user->uid;
	d->array = d->job->spec->array;
	if (element < 0)
		return true;
	d->one = element_find(d->job, (uint32_t)element);
	return d->one && d->one->task_count;
}

static void count_events(struct txn *txn)
{
	struct fold *f = txn->fold;

	f->events_before = f->events_after = 0;
	for (size_t i = txn->derived_from; i < txn->derived_count; i++)
		*(txn->derived[i].after ? &f->events_after : &f->events_before) += 1;
}

/* The set by name, in strings that live as long as the input. Most events are of the set before. */
static void name_set(struct derived *x, const char *queue, const char *job_set, struct txn *txn)
{
	const struct derived *last = x > txn->derived ? x - 1 : NULL;

	if (last && last->queue && strcmp(last->queue, queue) == 0 &&
	    strcmp(last->job_set, job_set) == 0) {
		x->queue = last->queue;
		x->job_set = last->job_set;
		return;
	}
	x->queue = arena_strdup(txn->arena, queue);
	x->job_set = arena_strdup(txn->arena, job_set);
}

static void name_before(struct txn *txn, const struct job *j)
{
	for (size_t i = txn->derived_from; j && i < txn->derived_count; i++)
		if (!txn->derived[i].after)
			name_set(&txn->derived[i], j->queue->name, j->spec->job_set, txn);
}

void job_events_derive(struct txn *txn, const Armada__Event *ev)
{
	void (*function)(struct derivation * d, const void *m);
	struct derivation d = {.txn = txn};
	const void *message;
	int64_t element;

	txn->derived_from = txn->derived_count;
	if (find_derivation(ev, &element, &message, &function) && find_nouns(&d, ev, element)) {
		function(&d, message);
		name_before(txn, d.job);
	}
	count_events(txn);
}

static void pack_body(struct txn *txn, const Armada__JobEvent *event, struct derived *x)
{
	Armada__JobEvent body = *event;

	body.number = 0;
	body.kind = KIND(UNSET);
	body.time_us = 0;
	body.job = 0;
	body.uid = 0;
	x->len = armada__job_event__get_packed_size(&body);
	x->body = arena_alloc(txn->arena, x->len + 1);
	armada__job_event__pack(&body, x->body);
}

void job_events_number(struct txn *txn)
{
	struct fold *f = txn->fold;
	uint64_t before = f->first_before, after = f->first_after;

	for (size_t i = txn->derived_from; i < txn->derived_count; i++) {
		struct derived *x = &txn->derived[i];
		const struct job *j = x->after ? job_find(txn->state, x->event->job) : NULL;

		if (j)
			name_set(x, j->queue->name, j->spec->job_set, txn);
		x->number = x->after ? after++ : before++;
		pack_body(txn, x->event, x);
	}
	f->events_before = f->events_after = 0;
	txn->derived_from = txn->derived_count;
}

static void set_bounds(const struct derived *x, struct armada_history_event *h)
{
	const Armada__JobEvent *ev = x->event;

	if (!ev->n_elements) {
		h->last_element = x->array ? ALL_ELEMENTS : 0;
		return;
	}
	h->first_element = ev->elements[0]->first;
	h->last_element = 0;
	for (size_t i = 0; i < ev->n_elements; i++) {
		if (ev->elements[i]->first < h->first_element)
			h->first_element = ev->elements[i]->first;
		if (ev->elements[i]->last > h->last_element)
			h->last_element = ev->elements[i]->last;
	}
}

void job_events_finish(struct txn *txn)
{
	struct armada_history_event *list;
	struct effect *e;

	if (!txn->derived_count)
		return;
	list = arena_zalloc(txn->arena, txn->derived_count, sizeof(*list));
	for (size_t i = 0; i < txn->derived_count; i++) {
		const struct derived *x = &txn->derived[i];

		list[i] = (struct armada_history_event){
			.seq = txn->seq,
			.queue = x->queue,
			.job_set = x->job_set,
			.number = x->number,
			.time_us = x->event->time_us,
			.job = x->event->job,
			.uid = x->event->uid,
			.kind = (int32_t)x->event->kind,
			.body = x->body,
			.body_len = x->len,
		};
		set_bounds(x, &list[i]);
	}
	e = effect_add(txn, EFFECT_JOB_EVENTS);
	e->events = list;
	e->event_count = txn->derived_count;
	txn->derived_count = txn->derived_from = 0;
}

/* ---- as bytes ---- */

static void add_varint(struct buf *to, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_addc(to, (char)(v | 0x80));
	buf_addc(to, (char)v);
}

void job_event_frame(const struct armada_history_event *ev, struct buf *to)
{
	Armada__JobEvent head = ARMADA__JOB_EVENT__INIT;
	size_t len;

	head.number = ev->number;
	head.kind = (Armada__JobEventKind)ev->kind;
	head.time_us = ev->time_us;
	head.job = ev->job;
	head.uid = ev->uid;
	len = armada__job_event__get_packed_size(&head);
	buf_addc(to, 0x0a); /* field 1 of JobEvents, with a length */
	add_varint(to, len + ev->body_len);
	to->len += armada__job_event__pack(&head, buf_reserve(to, len));
	buf_add(to, ev->body, ev->body_len);
}

void job_event_hide(Armada__JobEvent *ev, struct arena *a)
{
	ev->reason = job_text_strip(ev->reason, ev->job, a);
	ev->for_job = ev->for_element = 0;
	ev->for_queue = ev->for_user = (char *)"";
	ev->for_share = 0;
}
