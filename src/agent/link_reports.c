/*
 * Reports of the launcher that the controller has not acknowledged (link_reports.h). Input:
 * reports, inventories, acknowledgements. Output: batches of reports to send.
 *
 * A report replaces an earlier one of the same attempt unless it is a step back. A report is due
 * when it is new, and again after a heartbeat interval without an acknowledgement. Very large
 * registrations leave out texts of ends; those reports are sent again afterwards.
 */
#include "agent/link_reports.h"

#include "agent/link_session.h"
#include "agent/link_steps.h"
#include "agent/link_usage.h"

#include "agent/report.h"
#include "util/mem.h"

/* The progress of an attempt with such a report. */
static int progress_of(const Armada__Report *r)
{
	static const int progress[] = {
		[ARMADA__REPORT__KIND__REPORT_ACCEPTED] = 1,
		[ARMADA__REPORT__KIND__REPORT_READY] = 2,
		[ARMADA__REPORT__KIND__REPORT_STARTED] = 3,
		[ARMADA__REPORT__KIND__REPORT_ENDED] = 4,
	};

	return r->kind < ARRAY_SIZE(progress) ? progress[r->kind] : 0;
}

struct pending *link_reports_find(const struct link *l, const struct task_key *key)
{
	struct task_hash_key hash_key = task_hash_key(key);
	struct pending *p;

	HASH_FIND(hh, l->pending, &hash_key, sizeof(hash_key), p);
	return p;
}

static struct pending *pending_find(const struct link *l, const Armada__TaskKey *key)
{
	struct task_key k = report_key(key);

	return link_reports_find(l, &k);
}

static void pending_due(struct link *l, struct pending *p, bool due)
{
	l->due += due;
	l->due -= p->due;
	p->due = due;
}

static void pending_drop(struct link *l, struct pending *p)
{
	pending_due(l, p, false);
	HASH_DEL(l->pending, p);
	free(p->report);
	free(p);
}

void link_reports_free(struct link *l)
{
	struct pending *p, *next;

	HASH_ITER (hh, l->pending, p, next)
		pending_drop(l, p);
}

void link_report(struct link *l, const Armada__Report *report)
{
	struct pending *p = report->key ? pending_find(l, report->key) : NULL;
	struct task_key key;

	if (!report->key)
		return;
	if (!p) {
		p = xcalloc(1, sizeof(*p));
		key = report_key(report->key);
		p->hash_key = task_hash_key(&key);
		HASH_ADD(hh, l->pending, hash_key, sizeof(p->hash_key), p);
	}
	p->seen = l->inventory;
	if (p->report && progress_of(p->report) > progress_of(report))
		return;
	free(p->report);
	p->report = report_dup(report);
	p->acked = false;
	pending_due(l, p, true);
}

void link_reports_prune(struct link *l)
{
	struct pending *p, *next;

	HASH_ITER (hh, l->pending, p, next)
		if (p->seen != l->inventory)
			pending_drop(l, p);
}

/* A copy of the report without the text of its end. */
static Armada__Report *without_text(const Armada__Report *r, struct arena *arena)
{
	Armada__Report *copy = arena_memdup(arena, r, sizeof(*r));

	if (r->end) {
		copy->end = arena_memdup(arena, r->end, sizeof(*r->end));
		copy->end->text = (char *)"";
	}
	return copy;
}

Armada__Report **link_reports_all(struct link *l, int64_t now_us, struct arena *arena,
				  size_t *ret_count)
{
	Armada__Report **list = arena_alloc(arena, (link_pending(l) + 1) * sizeof(*list));
	size_t count = 0, bytes = 0;

	for (struct pending *p = l->pending; p; p = p->hh.next) {
		bool cut = bytes > LINK_TEXTS_MAX;

		list[count++] = cut ? without_text(p->report, arena) : p->report;
		bytes += armada__report__get_packed_size(p->report);
		p->acked = false;
		p->sent_us = now_us;
		pending_due(l, p, cut);
	}
	*ret_count = count;
	return list;
}

void link_reports_repeat(struct link *l, int64_t now_us)
{
	for (struct pending *p = l->pending; p; p = p->hh.next)
		if (!p->acked && now_us - p->sent_us >= l->heartbeat_us)
			pending_due(l, p, true);
}

static void send_batch(struct link *l, Armada__Report **list, size_t count,
		       struct link_effects *out)
{
	Armada__Reports *m = arena_alloc(out->arena, sizeof(*m));

	armada__reports__init(m);
	m->reports = list;
	m->n_reports = count;
	link_send(l, MSG_REPORTS, m, out);
}

static void flush_reports(struct link *l, int64_t now_us, struct link_effects *out)
{
	Armada__Report **list = arena_alloc(out->arena, l->due * sizeof(*list));
	size_t count = 0;

	for (struct pending *p = l->pending; p; p = p->hh.next) {
		if (!p->due)
			continue;
		list[count++] = p->report;
		p->sent_us = now_us;
		pending_due(l, p, false);
	}
	for (size_t at = 0; at < count; at += LINK_REPORTS)
		send_batch(l, list + at, count - at < LINK_REPORTS ? count - at : LINK_REPORTS,
			   out);
}

/*
 * Steps come before the reports: the end of a task ends its steps. Usage follows the reports: it counts only
 * for tasks that have started.
 */
void link_flush(struct link *l, int64_t now_us, struct link_effects *out)
{
	if (l->state != LINK_OPEN)
		return;
	if (l->due && l->step_count)
		link_steps_flush(l, now_us, true, out);
	if (l->due)
		flush_reports(l, now_us, out);
	link_steps_flush(l, now_us, false, out);
	link_usage_flush(l, now_us, out);
}

void link_reports_acked(struct link *l, const Armada__ReportAck *ack, struct link_effects *out)
{
	struct task_key *keys = arena_alloc(out->arena, (ack->n_ended + 1) * sizeof(*keys));
	struct link_effect *x;
	struct pending *p;

	for (size_t i = 0; i < ack->n_started; i++) {
		p = pending_find(l, ack->started[i]);
		if (p && p->report->kind == ARMADA__REPORT__KIND__REPORT_STARTED) {
			p->acked = true;
			pending_due(l, p, false);
		}
	}
	for (size_t i = 0; i < ack->n_ended; i++) {
		p = pending_find(l, ack->ended[i]);
		if (p && p->report->kind == ARMADA__REPORT__KIND__REPORT_ENDED)
			pending_drop(l, p);
		/*
		 * The ledger decides what it may remove; after a restart it may have entries that
		 * the link does not have.
		 */
		keys[i] = report_key(ack->ended[i]);
	}
	if (!ack->n_ended)
		return;
	x = link_effect_add(out, LINK_ACKED);
	x->keys = keys;
	x->key_count = ack->n_ended;
}

uint32_t link_reports_running(const struct link *l)
{
	uint32_t n = 0;

	for (const struct pending *p = l->pending; p; p = p->hh.next)
		n += p->report->kind != ARMADA__REPORT__KIND__REPORT_ENDED;
	return n;
}

size_t link_pending(const struct link *l)
{
	return HASH_COUNT(l->pending);
}
