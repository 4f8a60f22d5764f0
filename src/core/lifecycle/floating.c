/*
 * Floating resources (floating.h). Input: the policy, requests, and what programs say that others use.
 * Output: the event floating_set for each change. A total below what is held ends nothing.
 */
#include "core/lifecycle/floating.h"

#include "core/admission/licenses.h"
#include "core/txn/emit.h"
#include "util/mem.h"

#include <string.h>

static void note(struct txn *txn, const struct conf_floating *f, int64_t total, int64_t outside)
{
	Armada__FloatingSet *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_FLOATING_SET, &m);

	m->name = (char *)f->name;
	m->total = total;
	m->configured = f->total;
	m->outside = outside;
	emit_event(txn, ev);
	txn->wants_round = true;
}

static void set_problem(struct txn *txn, size_t resource, const char *text)
{
	char **at = &txn->live->floating_problems[resource];

	free(*at);
	*at = text && *text ? xstrdup(text) : NULL;
}

void floating_follow(struct txn *txn)
{
	for (size_t r = 0; r < resource_count(); r++) {
		const struct conf_floating *f = floating_of(txn->policy, r);
		int64_t outside = txn->state->floating_outside.amount[r];
		int64_t total = txn->state->floating_total.amount[r];

		if (!f)
			continue;
		if (!f->source || !*f->source) {
			outside = 0;
			set_problem(txn, r, NULL);
		}
		if (f->total != txn->state->floating_configured.amount[r])
			total = f->total;
		if (total != txn->state->floating_total.amount[r] ||
		    f->total != txn->state->floating_configured.amount[r] ||
		    outside != txn->state->floating_outside.amount[r])
			note(txn, f, total, outside);
	}
}

void floating_set_total(struct txn *txn, const struct conf_floating *f, int64_t total)
{
	int r = resource_index(f->name);

	if (r >= 0 && total != txn->state->floating_total.amount[r])
		note(txn, f, total, txn->state->floating_outside.amount[r]);
}

void floating_input(struct txn *txn)
{
	int r = resource_index(txn->in->resource);
	const struct conf_floating *f = r < 0 ? NULL : floating_of(txn->policy, (size_t)r);

	if (!f || !f->source || !*f->source)
		return;
	set_problem(txn, (size_t)r, txn->in->text);
	if (txn->in->outside != txn->state->floating_outside.amount[r])
		note(txn, f, txn->state->floating_total.amount[r], txn->in->outside);
}
