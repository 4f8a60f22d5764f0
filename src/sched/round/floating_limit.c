/*
 * Floating resources of a new gang: enough must be free, without what is reserved for other queues.
 *
 * Input: the gang at which a subqueue stands. Output: a verdict, and the reason with the jobs that
 * hold most. In use is what running elements hold, and what the round has started. Preempted
 * elements hold theirs until they have ended. So a gang that lacks a licence displaces nobody.
 *
 * Cost: O(resources), and for a resource that the gang asks for, O(its reservations); the reason of a
 * gang that may not start costs O(holders).
 */
#include "sched/round/floating_limit.h"
#include "util/buf.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SHOWN = 4 }; /* holders that a reason names */

/* The use of a resource by a queue: running elements, and what the round has started. */
static int64_t used_by(const struct round *r, const struct queue *q, size_t d)
{
	const struct spending *p = &q->spending;

	return p->now.amounts[d] + (p->started_round == r->s->rounds ? p->started.amounts[d] : 0);
}

/* What is kept for queues other than this one. */
static int64_t kept_for_others(const struct round *r, uint32_t queue, size_t d)
{
	const struct model *m = r->m;
	int64_t sum = 0;

	for (size_t i = 0; i < m->floating.reserved_count; i++) {
		const struct floating_kept *v = &m->floating.reserved[i];
		uint32_t other = v->resource == d ? queues_find(m, v->queue) : queue;
		int64_t left;

		if (other == queue)
			continue;
		left = v->amount - (other == NIL ? 0 : used_by(r, &m->queues.list[other], d));
		sum += left > 0 ? left : 0;
	}
	return sum;
}

struct holding {
	uint64_t job;
	int64_t amount;
};

static int by_job(const void *a, const void *b)
{
	const struct holding *x = a, *y = b;

	return (x->job > y->job) - (x->job < y->job);
}

static int by_amount(const void *a, const void *b)
{
	const struct holding *x = a, *y = b;

	return x->amount != y->amount ? (x->amount < y->amount ? 1 : -1) : by_job(a, b);
}

/* The jobs that hold some of it, those that hold most first. */
static struct holding *find_holders(struct round *r, size_t d, size_t *ret_count)
{
	const struct model *m = r->m;
	const struct floating *f = &m->floating;
	struct holding *list = arena_alloc(r->arena, (f->holder_count + 1) * sizeof(*list));
	size_t n = 0, to = 0;

	for (size_t i = 0; i < f->holder_count; i++) {
		const struct task *t = &m->tasks.list[f->holders[i]];

		if (t->licenses[d])
			list[n++] = (struct holding){m->jobs.list[t->job].id, t->licenses[d]};
	}
	qsort(list, n, sizeof(*list), by_job);
	for (size_t i = 0; i < n; i++)
		if (to && list[to - 1].job == list[i].job)
			list[to - 1].amount += list[i].amount;
		else
			list[to++] = list[i];
	qsort(list, to, sizeof(*list), by_amount);
	*ret_count = to;
	return list;
}

/* ": job 12 holds 10, job 15 holds 4 and 3 more"; formatted once in a round. */
static const char *holders_text(struct round *r, size_t d)
{
	struct floating *f = &r->m->floating;
	CLEANUP_BUF struct buf text = {0};
	const struct holding *list;
	size_t n, i;

	if (f->text_round[d] == r->s->rounds)
		return f->text[d];
	list = find_holders(r, d, &n);
	buf_addstr(&text, n ? ": " : "");
	for (i = 0; i < n && i < SHOWN; i++) {
		char amount[32];

		amounts_format(d, list[i].amount, amount, sizeof(amount));
		buf_addf(&text, "%sjob %" PRIu64 " holds %s", i ? ", " : "", list[i].job, amount);
	}
	if (i < n)
		buf_addf(&text, " and %zu more", n - i);
	f->text[d] = arena_strdup(r->arena, text.len ? (const char *)text.data : "");
	f->text_round[d] = r->s->rounds;
	return f->text[d];
}

static struct reason reason_lacks(struct round *r, size_t d, int64_t asked, int64_t used,
				  int64_t kept)
{
	const struct floating *f = &r->m->floating;
	int64_t left = f->total[d] - f->outside[d] - used;
	char want[32], has[32], total[32], uses[32], other[32];
	const char *of_others = "", *outside = "";

	amounts_format(d, asked, want, sizeof(want));
	amounts_format(d, left > 0 ? left : 0, has, sizeof(has));
	amounts_format(d, f->total[d], total, sizeof(total));
	amounts_format(d, used, uses, sizeof(uses));
	if (kept && left > 0) {
		amounts_format(d, kept, other, sizeof(other));
		of_others = arena_printf(r->arena, ", %s kept for other queues", other);
	}
	if (f->outside[d]) {
		amounts_format(d, f->outside[d], other, sizeof(other));
		outside = arena_printf(r->arena, "; %s used outside", other);
	}
	return reason_printf(r->arena, WHY_LICENSES, "%s %s asked, %s of %s free%s (%s used%s%s)",
			     want, r->m->resources[d], has, total, of_others, uses,
			     holders_text(r, d), outside);
}

enum limit_verdict floating_limit_check(struct round *r, uint32_t subqueue, struct reason *ret_why)
{
	const struct model *m = r->m;
	const struct subqueue *l = &m->subqueues.list[subqueue];
	const int64_t *want = m->shapes.list[l->shape].licenses;

	for (size_t d = 0; want && d < m->dims; d++) {
		int64_t used, kept;

		if (!want[d])
			continue;
		used = amounts_add(m->floating.used[d], r->started[d]);
		kept = kept_for_others(r, l->queue, d);
		if (want[d] <= m->floating.total[d] - m->floating.outside[d] - used - kept)
			continue;
		*ret_why = reason_lacks(r, d, want[d], used, kept);
		return LIMIT_GANG;
	}
	return LIMIT_NONE;
}
