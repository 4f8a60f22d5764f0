/*
 * Floating resources (floating.h). Input: the policy. Output: the event floating_set for each total
 * that has changed. A total below what is held ends nothing.
 */
#include "core/lifecycle/floating.h"

#include "core/admission/licenses.h"
#include "core/txn/emit.h"

static void note(struct txn *txn, const struct conf_floating *f)
{
	Armada__FloatingSet *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_FLOATING_SET, &m);

	m->name = (char *)f->name;
	m->total = m->configured = f->total;
	emit_event(txn, ev);
}

void floating_follow(struct txn *txn)
{
	for (size_t r = 0; r < resource_count(); r++) {
		const struct conf_floating *f = floating_of(txn->policy, r);

		if (f && f->total != txn->state->floating_configured.amount[r])
			note(txn, f);
	}
}
