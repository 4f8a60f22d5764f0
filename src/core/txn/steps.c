/*
 * The steps of running elements (steps.h). Input: requests for steps, reports of nodes, ends of tasks.
 * Output: volatile data for listings, and StepsNumbered events.
 *
 * A report may come twice: in each new session a node tells everything again. A step that this
 * controller ordered and whose tasks have ended needs no list of them any more, and later reports of it
 * change nothing. A step that is known only from reports keeps its list, because another node may know
 * of more tasks; its nodes are named when it is listed.
 */
#include "core/txn/steps.h"

#include "core/txn/emit.h"
#include "util/bisect.h"
#include "util/hostlist.h"
#include "util/mem.h"
#include "util/names.h"
#include "util/utf8.h"

#include <errno.h>
#include <string.h>

/* How long an order may be without a report; numbers of one event. */
enum { SILENT_US = 90 * 1000000, NUMBERS_MIN = 16, NUMBERS_MAX = 1024, NODES_TEXT = 1000 };

#define TO(name) STEP_TASK_##name

/* clang-format off */
static const uint8_t transitions[STEP_TASK_STATES][STEP_TASK_EVENTS] = {
	/*		      runs,        ends,      gone,       silent */
	[TO(ORDERED)] = {TO(RUNS),    TO(ENDED), TO(LOST),   TO(UNHEARD)},
	[TO(RUNS)]    = {TO(RUNS),    TO(ENDED), TO(LOST),   TO(RUNS)},
	[TO(ENDED)]   = {TO(ENDED),   TO(ENDED), TO(ENDED),  TO(ENDED)},
	[TO(LOST)]    = {TO(LOST),    TO(ENDED), TO(LOST),   TO(LOST)},
	[TO(UNHEARD)] = {TO(RUNS),    TO(ENDED), TO(LOST),   TO(UNHEARD)},
};
/* clang-format on */

enum step_task_state step_task_next(enum step_task_state state, enum step_task_event ev)
{
	return transitions[state][ev];
}

static bool is_open(int state)
{
	return state == STEP_TASK_ORDERED || state == STEP_TASK_RUNS;
}

bool step_task_is_open(const struct step_task *t)
{
	return is_open(t->state);
}

Armada__JobState step_shown_state(const struct step *s)
{
	if (s->open)
		return s->start_us ? ARMADA__JOB_STATE__JOB_RUNNING
				   : ARMADA__JOB_STATE__JOB_CONFIGURING;
	if (s->lost)
		return ARMADA__JOB_STATE__JOB_NODE_FAIL;
	if (s->unheard)
		return ARMADA__JOB_STATE__JOB_UNKNOWN;
	return s->exit_code || s->exit_signal ? ARMADA__JOB_STATE__JOB_FAILED
					      : ARMADA__JOB_STATE__JOB_COMPLETED;
}

/* ---- the table of an element ---- */

static size_t place_of(const struct steps *s, uint32_t number)
{
	return BISECT((size_t)0, s->count, i, s->list[i]->number < number);
}

const struct step *step_find(const struct steps *s, uint32_t number)
{
	size_t at = s ? place_of(s, number) : 0;

	return s && at < s->count && s->list[at]->number == number ? s->list[at] : NULL;
}

static struct step *find(struct steps *s, uint32_t number)
{
	return (struct step *)(uintptr_t)step_find(s, number);
}

static void drop_list(struct live *l, struct step *s)
{
	l->step_tasks -= s->listed;
	free(s->list);
	s->list = NULL;
	s->listed = 0;
	s->list_cap = 0;
}

static bool has_ended(const struct step *s)
{
	return s->tasks && !s->open;
}

static void step_free(struct live *l, struct step *s)
{
	if (has_ended(s)) {
		TAILQ_REMOVE(&l->ended_steps, s, ended_entry);
		l->ended_step_count--;
	}
	drop_list(l, s);
	free(s->command);
	free(s->nodes);
	free(s);
}

void steps_free(struct live *l, struct steps *s)
{
	for (size_t i = 0; s && i < s->count; i++)
		step_free(l, s->list[i]);
	if (s)
		free(s->list);
	free(s);
}

static struct steps *obtain(struct txn *txn, const struct element *e)
{
	struct element_live *live = live_element(txn->live, e);

	if (!live->steps) {
		live->steps = xcalloc(1, sizeof(*live->steps));
		live->steps->next = e->steps; /* an earlier controller may have used these */
	}
	return live->steps;
}

static struct step *add_step(struct steps *s, uint32_t number)
{
	size_t at = place_of(s, number);
	struct step *x = xcalloc(1, sizeof(*x));

	x->number = number;
	x->of = s;
	GROW(s->list, s->cap, s->count + 1);
	memmove(s->list + at + 1, s->list + at, (s->count - at) * sizeof(*s->list));
	s->list[at] = x;
	s->count++;
	return x;
}

static void drop_step(struct live *l, struct step *x)
{
	struct steps *s = x->of;
	size_t at = place_of(s, x->number);

	s->ended -= has_ended(x);
	step_free(l, x);
	s->count--;
	memmove(s->list + at, s->list + at + 1, (s->count - at) * sizeof(*s->list));
}

/* Ended steps leave if there are too many: of this element the lowest numbers, of all the oldest steps. */
static void forget_ended(struct txn *txn, struct steps *s)
{
	struct live *l = txn->live;

	for (size_t i = 0;
	     (int64_t)s->ended > txn->policy->max_ended_steps_of_job && i < s->count;) {
		if (has_ended(s->list[i]))
			drop_step(l, s->list[i]);
		else
			i++;
	}
	while ((int64_t)l->ended_step_count > txn->policy->max_ended_steps)
		drop_step(l, TAILQ_FIRST(&l->ended_steps));
}

/* ---- the tasks of a step ---- */

static int compare_tasks(const void *left, const void *right)
{
	const struct step_task *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->layer > b->layer) - (a->layer < b->layer);
}

/* Where the task is in the list, or would be. */
static uint32_t place_of_task(const struct step *s, uint32_t rank, uint32_t layer)
{
	const struct step_task key = {.rank = rank, .layer = (uint16_t)layer};

	return BISECT((uint32_t)0, s->listed, i, compare_tasks(&s->list[i], &key) < 0);
}

static struct step_task *task_of(struct step *s, uint32_t rank, uint32_t layer)
{
	uint32_t at = place_of_task(s, rank, layer);

	return at < s->listed && s->list[at].rank == rank && s->list[at].layer == layer
		       ? &s->list[at]
		       : NULL;
}

/* The list of nodes of the tasks in the list, for listings. */
static void name_nodes(struct txn *txn, const struct element *e, struct step *s)
{
	const char **names = arena_alloc(txn->arena, (s->listed + 1) * sizeof(*names));
	CLEANUP_BUF struct buf text = {0};
	size_t n = 0, count = 0;

	for (uint32_t i = 0; i < s->listed; i++)
		if (s->list[i].rank < e->task_count && e->tasks[s->list[i].rank].node)
			names[n++] = e->tasks[s->list[i].rank].node->name;
	qsort(names, n, sizeof(*names), names_compare);
	for (size_t i = 0; i < n; i++)
		if (!count || strcmp(names[count - 1], names[i]) != 0)
			names[count++] = names[i];
	hostlist_compress(names, count, &text);
	s->node_count = (uint32_t)count;
	free(s->nodes);
	s->nodes = xstrndup(text.len ? (char *)text.data : "",
			    text.len > NODES_TEXT ? utf8_whole((char *)text.data, NODES_TEXT)
						  : text.len);
}

static void note_end(struct live *l, struct step *s)
{
	s->of->ended++;
	l->ended_step_count++;
	TAILQ_INSERT_TAIL(&l->ended_steps, s, ended_entry);
}

/* A step that had ended runs again. */
static void note_again(struct live *l, struct step *s)
{
	s->of->ended--;
	l->ended_step_count--;
	TAILQ_REMOVE(&l->ended_steps, s, ended_entry);
}

/* There must be room for it. */
static void add_task(struct live *l, struct step *s, uint32_t at, uint32_t rank, uint32_t layer)
{
	if (has_ended(s))
		note_again(l, s);
	memmove(s->list + at + 1, s->list + at, (s->listed - at) * sizeof(*s->list));
	s->list[at] = (struct step_task){.rank = rank, .layer = (uint16_t)layer};
	s->listed++;
	l->step_tasks++;
	s->tasks++;
	s->open++;
}

/* Moves a task of the step; counts what changes. True: it has ended now. */
static bool move(struct live *l, struct step *s, struct step_task *t, enum step_task_event ev)
{
	enum step_task_state was = t->state, now = step_task_next(was, ev);
	bool ran = s->open > 0;

	t->state = (uint8_t)now;
	s->lost += (now == STEP_TASK_LOST) - (was == STEP_TASK_LOST);
	s->unheard += (now == STEP_TASK_UNHEARD) - (was == STEP_TASK_UNHEARD);
	s->open += is_open(now) - is_open(was);
	if (ran && !s->open)
		note_end(l, s);
	else if (!ran && s->open)
		note_again(l, s);
	if (!s->open && !s->restored && !s->unheard)
		drop_list(l, s);
	return now == STEP_TASK_ENDED && was != STEP_TASK_ENDED;
}

/* Ends what nobody has told of, and names the nodes of steps that have got tasks. */
static void expire(struct txn *txn, const struct element *e, struct steps *all)
{
	int64_t before_us = txn->in->steady_us - SILENT_US;

	for (size_t i = 0; i < all->count; i++) {
		struct step *s = all->list[i];

		for (uint32_t t = 0; s->open && s->ordered_us < before_us && t < s->listed; t++)
			if (s->list[t].state == STEP_TASK_ORDERED)
				move(txn->live, s, &s->list[t], STEP_TASK_EV_SILENT);
		if (!s->open && !s->end_us)
			s->end_us = txn->now_us;
		if (!s->nodes)
			name_nodes(txn, e, s);
	}
	forget_ended(txn, all);
}

const struct steps *steps_of(struct txn *txn, const struct element *e)
{
	struct steps *s = live_element(txn->live, e)->steps;

	if (s)
		expire(txn, e, s);
	return s;
}

/* ---- new steps ---- */

bool steps_admit(struct txn *txn, const struct element *e, bool is_new, uint32_t tasks)
{
	const struct core_policy *p = txn->policy;
	const struct steps *s = live_element(txn->live, e)->steps;

	/* only a full table needs a look at each step */
	if (is_new && s && (int64_t)(s->count - s->ended) >= p->max_steps_of_job)
		s = steps_of(txn, e);
	if (is_new && (s ? (int64_t)(s->count - s->ended) : 0) >= p->max_steps_of_job)
		return false;
	return (int64_t)(txn->live->step_tasks + tasks) <= p->max_step_tasks &&
	       e->steps <= UINT32_MAX - 2 * NUMBERS_MAX;
}

/* More numbers, ever more at once: a loop of steps needs few records. */
static void take_numbers(struct txn *txn, const struct element *e)
{
	uint32_t more = e->steps < NUMBERS_MIN   ? NUMBERS_MIN
			: e->steps < NUMBERS_MAX ? e->steps
						 : NUMBERS_MAX;
	Armada__StepsNumbered *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_STEPS_NUMBERED, &m);

	m->job = e->job->id;
	m->element = e->index;
	m->numbers = e->steps + more;
	emit_event(txn, ev);
}

uint32_t step_begin(struct txn *txn, const struct element *e, const char *command)
{
	struct steps *all = obtain(txn, e);
	size_t len = strlen(command);
	struct step *s;

	if (all->next >= e->steps)
		take_numbers(txn, e);
	s = add_step(all, all->next++);
	s->ordered_us = txn->in->steady_us;
	s->command =
		xstrndup(command, len > STEP_COMMAND ? utf8_whole(command, STEP_COMMAND) : len);
	return s->number;
}

void step_add_tasks(struct txn *txn, const struct element *e, uint32_t number, const bool *named,
		    uint32_t layer)
{
	struct step *s = find(obtain(txn, e), number);
	uint32_t count = 0, before = s->listed;
	bool *add = arena_zalloc(txn->arena, e->task_count, sizeof(*add));

	for (uint32_t i = 0; i < e->task_count; i++)
		count += add[i] = named[i] && !task_of(s, i, layer);
	GROW(s->list, s->list_cap, s->listed + count);
	for (uint32_t i = 0; i < e->task_count; i++)
		if (add[i])
			add_task(txn->live, s, s->listed, i, layer);
	qsort(s->list, s->listed, sizeof(*s->list), compare_tasks);
	if (s->listed > before)
		s->end_us = 0;
	name_nodes(txn, e, s);
}

/* ---- what happens to them ---- */

static void take_end(struct step *s, const struct step_state *x)
{
	int32_t code = x->exit_signal ? 128 + x->exit_signal : x->exit_code;
	int32_t highest = s->exit_signal ? 128 + s->exit_signal : s->exit_code;

	if (code > highest) {
		s->exit_code = x->exit_signal ? 0 : x->exit_code;
		s->exit_signal = x->exit_signal;
	}
	if (x->end_us > s->end_us)
		s->end_us = x->end_us;
	usage_add(&s->usage, &x->usage);
}

/* A step of which only this node has told: an earlier controller ordered it. */
static struct step *find_or_restore(struct txn *txn, const struct task *t,
				    const struct step_state *x)
{
	uint32_t number = x->step;
	struct steps *all = obtain(txn, t->element);
	struct step *s = find(all, number);

	if (s || number >= t->element->steps || !steps_admit(txn, t->element, true, 1))
		return s;
	if (x->ended && all->count && (int64_t)all->ended >= txn->policy->max_ended_steps_of_job &&
	    number < all->list[0]->number)
		return NULL; /* it was forgotten */
	s = add_step(all, number);
	s->restored = true;
	s->command = xstrdup("");
	return s;
}

bool step_report(struct txn *txn, const struct task *t, const struct step_state *x)
{
	struct step *s = x->layer <= UINT16_MAX ? find_or_restore(txn, t, x) : NULL;
	struct step_task *st;

	if (!s || (!s->listed && !s->restored))
		return s; /* all its tasks have ended before */
	st = task_of(s, t->rank, x->layer);
	if (!st && !s->restored)
		return false;
	if (!st && txn->live->step_tasks >= (uint64_t)txn->policy->max_step_tasks)
		return true;
	if (!st) {
		GROW(s->list, s->list_cap, s->listed + 1);
		add_task(txn->live, s, place_of_task(s, t->rank, x->layer), t->rank, x->layer);
		st = task_of(s, t->rank, x->layer);
		free(s->nodes);
		s->nodes = NULL; /* named when it is listed: a thousand nodes may tell of it */
	}
	if (x->start_us && (!s->start_us || x->start_us < s->start_us))
		s->start_us = x->start_us;
	if (move(txn->live, s, st, x->ended ? STEP_TASK_EV_ENDS : STEP_TASK_EV_RUNS))
		take_end(s, x);
	forget_ended(txn, s->of);
	return true;
}

static bool others_run(const struct task *t)
{
	const struct element *e = t->element;

	for (uint32_t i = 0; i < e->task_count; i++)
		if (&e->tasks[i] != t && e->tasks[i].state != TASK_ENDED)
			return true;
	return false;
}

void steps_task_ended(struct txn *txn, const struct task *t)
{
	struct element_live *live = live_element(txn->live, t->element);
	struct steps *all = live->steps;

	if (all && !others_run(t)) {
		steps_free(txn->live, all);
		live->steps = NULL;
		return;
	}

	for (size_t i = 0; all && i < all->count; i++) {
		struct step *s = all->list[i];

		uint32_t at = s->open ? BISECT((uint32_t)0, s->listed, n, s->list[n].rank < t->rank)
				      : s->listed;

		for (; at < s->listed && s->list[at].rank == t->rank; at++)
			move(txn->live, s, &s->list[at], STEP_TASK_EV_GONE);
		if (!s->open && !s->end_us)
			s->end_us = txn->now_us;
	}
	if (all)
		forget_ended(txn, all);
}

/* ---- checks ---- */

static int check_step(const struct step *s, struct err *err)
{
	uint32_t open = 0, lost = 0, unheard = 0;

	for (uint32_t i = 0; i < s->listed; i++) {
		open += is_open(s->list[i].state);
		lost += s->list[i].state == STEP_TASK_LOST;
		unheard += s->list[i].state == STEP_TASK_UNHEARD;
		if (i && compare_tasks(&s->list[i - 1], &s->list[i]) >= 0)
			return err_set(err, -EINVAL, "the tasks of step %u are not in order",
				       s->number);
	}
	if (open != s->open || (s->listed && (lost != s->lost || unheard != s->unheard)) ||
	    s->listed > s->tasks)
		return err_set(err, -EINVAL, "step %u: %u of %u tasks run, and %u are counted",
			       s->number, open, s->tasks, s->open);
	return 0;
}

static int check_element(const struct element *e, const struct steps *all, uint64_t *tasks,
			 uint64_t *ended, struct err *err)
{
	size_t before = *ended;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < all->count; i++) {
		*tasks += all->list[i]->listed;
		*ended += has_ended(all->list[i]);
		rc = check_step(all->list[i], err);
		if (all->list[i]->number >= e->steps ||
		    (i && all->list[i - 1]->number >= all->list[i]->number))
			return err_set(err, -EINVAL, "step %u has a number that was not given",
				       all->list[i]->number);
	}
	if (rc == 0 && *ended - before != all->ended)
		return err_set(err, -EINVAL, "%zu steps of an element have ended, not %zu",
			       (size_t)(*ended - before), all->ended);
	return rc;
}

int steps_check(struct txn *txn, struct err *err)
{
	const struct state *state = txn->state;
	uint64_t tasks = 0, ended = 0;

	for (size_t at = 0; at < state->job_slots; at++) {
		const struct job *j = state->jobs[at];

		for (size_t i = 0; j && i < j->element_count; i++) {
			const struct element *e = j->elements[i];
			const struct steps *all =
				e->task_count ? live_element(txn->live, e)->steps : NULL;

			if (all && check_element(e, all, &tasks, &ended, err) < 0)
				return err_prefix(err, -EINVAL, "%" PRIu64 "_%u", j->id, e->index);
		}
	}
	if (tasks != txn->live->step_tasks || ended != txn->live->ended_step_count)
		return err_set(err, -EINVAL,
			       "steps have %" PRIu64 " tasks and %" PRIu64 " ended ones", tasks,
			       ended);
	return 0;
}
