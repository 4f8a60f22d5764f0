/*
 * What running tasks have used (link_usage.h). Input: figures of the launcher, registrations, time.
 * Output: messages with many tasks each, at a bounded rate.
 */
#include "agent/link_usage.h"

#include "agent/link_reports.h"
#include "agent/link_session.h"

#include "util/mem.h"

enum {
	FIRST_US = 1000000,  /* between two messages, for tasks that were never sent */
	NOTICED_US = 100000, /* a smaller change of processor time does not matter */
	NOTICED_PART = 64,   /* of all other figures */
	INTERVAL_MIN_MS = 100,
	INTERVAL_MAX_MS = 3600 * 1000,
};

static bool differs(int64_t now, int64_t told)
{
	int64_t by = now > told ? now - told : told - now;

	return by > told / NOTICED_PART;
}

static bool is_due(const struct pending *p)
{
	const struct task_usage *now = &p->usage, *told = &p->usage_told;

	if (!p->has_usage || p->report->kind != ARMADA__REPORT__KIND__REPORT_STARTED)
		return false;
	return !p->told_usage || now->cpu_us - told->cpu_us >= NOTICED_US ||
	       differs(now->max_rss_bytes, told->max_rss_bytes) ||
	       differs(now->group_peak_bytes, told->group_peak_bytes) ||
	       differs(now->read_bytes, told->read_bytes) ||
	       differs(now->written_bytes, told->written_bytes);
}

static int64_t lesser(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* The figures of p may be sent from now on. */
static void plan(struct link *l, const struct pending *p)
{
	int64_t pause_us = p->told_usage ? l->usage_us : lesser(l->usage_us, FIRST_US);

	if (l->usage_us && is_due(p))
		l->usage_at_us = lesser(l->usage_at_us, l->usage_sent_us + pause_us);
}

void link_usage(struct link *l, const struct task_key *key, const struct task_usage *usage)
{
	struct pending *p = link_reports_find(l, key);

	if (!p)
		return; /* its end is known, or it is not in the inventory yet */
	p->usage = *usage;
	p->has_usage = true;
	plan(l, p);
}

void link_usage_restart(struct link *l, int64_t interval_ms, int64_t now_us)
{
	int64_t ms = lesser(interval_ms, INTERVAL_MAX_MS);

	l->usage_us = ms <= 0 ? 0 : (ms < INTERVAL_MIN_MS ? INTERVAL_MIN_MS : ms) * 1000;
	l->usage_sent_us = now_us;
	l->usage_at_us = INT64_MAX;
	for (struct pending *p = l->pending; p; p = p->hh.next) {
		p->told_usage = false;
		plan(l, p);
	}
}

static Armada__TaskUsage *task_usage(struct pending *p, struct arena *arena)
{
	Armada__TaskUsage *m = arena_alloc(arena, sizeof(*m));

	armada__task_usage__init(m);
	m->key = p->report->key;
	m->usage = arena_alloc(arena, sizeof(*m->usage));
	armada__usage__init(m->usage);
	usage_put(&p->usage, m->usage);
	p->usage_told = p->usage;
	p->told_usage = true;
	return m;
}

static void send_batch(struct link *l, Armada__TaskUsage **list, size_t count,
		       struct link_effects *out)
{
	Armada__UsageReport *m = arena_alloc(out->arena, sizeof(*m));

	armada__usage_report__init(m);
	m->tasks = list;
	m->n_tasks = count;
	link_send(l, MSG_USAGE, m, out);
}

void link_usage_flush(struct link *l, int64_t now_us, struct link_effects *out)
{
	Armada__TaskUsage **list;
	size_t count = 0;

	if (l->state != LINK_OPEN || now_us < l->usage_at_us)
		return;
	list = arena_alloc(out->arena, (link_pending(l) + 1) * sizeof(*list));
	for (struct pending *p = l->pending; p; p = p->hh.next)
		if (is_due(p))
			list[count++] = task_usage(p, out->arena);
	for (size_t at = 0; at < count; at += LINK_REPORTS)
		send_batch(l, list + at, count - at < LINK_REPORTS ? count - at : LINK_REPORTS,
			   out);
	l->usage_sent_us = now_us;
	l->usage_at_us = INT64_MAX;
}
