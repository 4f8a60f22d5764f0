/*
 * RESOURCES: the resources of the cluster, and who holds floating ones. SET_FLOATING: another total.
 *
 * Cost of RESOURCES: O(nodes and jobs); the holders of a resource are sorted.
 */
#include "core/admission/licenses.h"
#include "core/lifecycle/floating.h"
#include "core/request/request.h"
#include "core/state/floating.h"
#include "core/txn/effects.h"
#include "core/txn/reply.h"
#include "core/view/rights.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HOLDERS_SHOWN = 20, FLOATING_MOST = 1000000000 };

static const char *const units[] = {
	[RESOURCE_MILLI] = "cpu", [RESOURCE_SIZE] = "bytes", [RESOURCE_COUNT] = ""};

static void sum_nodes(const struct txn *txn, size_t r, Armada__ResourceRow *row)
{
	for (const struct node *n = txn->state->nodes; n; n = n->hh.next) {
		struct resources used;

		if (n->state != ARMADA__NODE_STATE__NODE_UP)
			continue;
		node_used(n, &used);
		row->total += n->total.amount[r];
		row->used += used.amount[r];
		row->nodes += n->total.amount[r] > 0;
	}
}

static int by_amount(const void *a, const void *b)
{
	const Armada__ResourceHolder *x = *(Armada__ResourceHolder *const *)a,
				     *y = *(Armada__ResourceHolder *const *)b;

	if (x->amount != y->amount)
		return x->amount < y->amount ? 1 : -1;
	return (x->job > y->job) - (x->job < y->job);
}

static void add_holder(struct txn *txn, Armada__ResourceRow *row, const struct job *j,
		       int64_t amount)
{
	Armada__ResourceHolder *h = arena_alloc(txn->arena, sizeof(*h));

	armada__resource_holder__init(h);
	h->job = j->id;
	h->user = (char *)(uintptr_t)j->user->name;
	h->queue = j->queue->name;
	h->amount = amount;
	row->holders[row->n_holders++] = h;
}

static void find_holders(struct txn *txn, size_t r, Armada__ResourceRow *row)
{
	const struct state *state = txn->state;

	row->holders = arena_alloc(txn->arena, (state->job_slots + 1) * sizeof(*row->holders));
	for (size_t i = 0; i < state->job_slots; i++) {
		const struct job *j = state->jobs[i];
		int64_t each = j && j->spec->licenses ? j->spec->licenses->amount[r] : 0;
		uint32_t holds = each ? running_elements(j) : 0;

		if (holds && rights_sees(txn, j))
			add_holder(txn, row, j, each * holds);
	}
	qsort(row->holders, row->n_holders, sizeof(*row->holders), by_amount);
	if (row->n_holders > HOLDERS_SHOWN) {
		row->more = row->n_holders - HOLDERS_SHOWN;
		row->n_holders = HOLDERS_SHOWN;
	}
}

static void add_reserved(struct txn *txn, const struct conf_floating *f, Armada__ResourceRow *row)
{
	row->reserved = arena_alloc(txn->arena, (f->queue_count + 1) * sizeof(*row->reserved));
	for (size_t i = 0; i < f->queue_count; i++) {
		Armada__Resource *q = arena_alloc(txn->arena, sizeof(*q));

		armada__resource__init(q);
		q->name = (char *)(uintptr_t)f->queues[i].name;
		q->amount = (int64_t)f->queues[i].value;
		row->reserved[row->n_reserved++] = q;
	}
}

static void fill_floating(struct txn *txn, size_t r, Armada__ResourceRow *row)
{
	const struct conf_floating *f = floating_of(txn->policy, r);
	const char *problem = txn->live->floating_problems[r];

	row->total = txn->state->floating_total.amount[r];
	row->configured = txn->state->floating_configured.amount[r];
	row->used = txn->state->floating_held.amount[r];
	row->outside = txn->state->floating_outside.amount[r];
	row->problem = arena_strdup(txn->arena, problem ? problem : "");
	find_holders(txn, r, row);
	if (f)
		add_reserved(txn, f, row);
}

void req_resources(struct txn *txn, const Armada__ResourcesRequest *m)
{
	Armada__ResourcesReply reply_m = ARMADA__RESOURCES_REPLY__INIT;

	(void)m;
	reply_m.rows = arena_alloc(txn->arena, resource_count() * sizeof(*reply_m.rows));
	for (size_t r = 0; r < resource_count(); r++) {
		Armada__ResourceRow *row = arena_alloc(txn->arena, sizeof(*row));

		armada__resource_row__init(row);
		row->name = (char *)(uintptr_t)resource_name(r);
		row->unit = (char *)(uintptr_t)units[resource_unit(r)];
		row->floating = resource_is_floating(r);
		if (row->floating)
			fill_floating(txn, r, row);
		else
			sum_nodes(txn, r, row);
		reply_m.rows[reply_m.n_rows++] = row;
	}
	reply(txn, MSG_RESOURCES_REPLY, &reply_m);
}

void req_set_floating(struct txn *txn, const Armada__SetFloatingRequest *m)
{
	struct err err = {0};
	int r = resource_need(m->name, &err);
	const struct conf_floating *f = r < 0 ? NULL : floating_of(txn->policy, (size_t)r);
	int64_t total;

	if (r < 0) {
		reply_refuse(txn, 1, "%s", err.text);
		return;
	}
	if (!f) {
		reply_refuse(txn, 1,
			     "%s belongs to nodes: its total follows from theirs and cannot be set",
			     m->name);
		return;
	}
	total = m->reset ? f->total : m->total;
	if (total < 0 || total > FLOATING_MOST) {
		reply_refuse(txn, 1, "%s: %" PRId64 " is out of range: expected 0 to %d", m->name,
			     total, FLOATING_MOST);
		return;
	}
	floating_set_total(txn, f, total);
	effect_log(txn, 5, "%s: the total is %" PRId64 " now, set by %s", m->name, total,
		   txn->in->caller->user ? txn->in->caller->user : "an administrator");
	reply_ok(txn, "%s: the cluster has %" PRId64 " now, %" PRId64 " of them are free", m->name,
		 total,
		 floating_free(txn->state, (size_t)r) > 0 ? floating_free(txn->state, (size_t)r)
							  : 0);
}
