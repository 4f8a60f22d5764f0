#include "core/lifecycle/hold.h"

#include "core/txn/emit.h"
#include "core/view/rights.h"

#define BY(name) ARMADA__HOLDER__HOLDER_##name

/*
 * The rank of the caller's hold on the job. A caller counts as the owner of its own jobs, even if
 * it is an administrator.
 */
static Armada__Holder holder_of(const struct txn *txn, const struct job *j)
{
	const struct caller *who = txn->in->caller;

	if (j->user->uid == who->uid)
		return BY(OWNER);
	return rights_may(txn, who, VERB_ADMIN, NULL, NULL) ? BY(ADMIN) : BY(QUEUE);
}

static void hold(struct txn *txn, const struct job *j, bool held, Armada__Holder by)
{
	Armada__JobHeld *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_JOB_HELD, &m);

	m->job = j->id;
	m->held = held;
	m->by = by;
	emit_event(txn, ev);
}

bool job_hold_by_caller(struct txn *txn, const struct job *j)
{
	Armada__Holder by = holder_of(txn, j);

	if (j->held && j->held_by != BY(GANG) && j->held_by >= by)
		return false;
	hold(txn, j, true, by);
	return true;
}

void job_hold_by_gang(struct txn *txn, const struct job *j)
{
	if (!j->held)
		hold(txn, j, true, BY(GANG));
}

void job_release(struct txn *txn, const struct job *j)
{
	if (j->held)
		hold(txn, j, false, BY(OWNER));
}

bool hold_may_release(const struct txn *txn, const struct job *j)
{
	const struct caller *who = txn->in->caller;

	switch (j->held ? j->held_by : BY(OWNER)) {
	case BY(OWNER):
		return rights_may(txn, who, VERB_CANCEL, j, NULL);
	case BY(QUEUE):
		return rights_may(txn, who, VERB_RELEASE, j, NULL);
	case BY(GANG):
		return false; /* the missing members release it */
	default:
		return rights_may(txn, who, VERB_ADMIN, NULL, NULL);
	}
}
