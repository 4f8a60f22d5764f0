/* Holds: who put one on a job says who may take it off. */
#include "core/request.h"

#define BY(name) ARMADA__HOLDER__HOLDER_##name

/* What the caller of this input would hold it as: of an own job as its owner, whatever else they are. */
static Armada__Holder holder_of(const struct core *c, const struct job *j)
{
	const struct caller *who = c->in->caller;

	if (j->user->uid == who->uid)
		return BY(OWNER);
	return may(c, who, VERB_ADMIN, NULL, NULL) ? BY(ADMIN) : BY(QUEUE);
}

static void hold(struct core *c, const struct job *j, bool held, Armada__Holder by)
{
	Armada__JobHeld *m;
	Armada__Event *ev = event_make(c, ARMADA__EVENT__KIND_JOB_HELD, &m);

	m->job = j->id;
	m->held = held;
	m->by = by;
	emit(c, ev);
}

bool job_hold_by_caller(struct core *c, const struct job *j)
{
	Armada__Holder by = holder_of(c, j);

	if (j->held && j->held_by >= by)
		return false;
	hold(c, j, true, by);
	return true;
}

void job_release(struct core *c, const struct job *j)
{
	if (j->held)
		hold(c, j, false, BY(OWNER));
}

bool may_release(const struct core *c, const struct job *j)
{
	const struct caller *who = c->in->caller;

	switch (j->held ? j->held_by : BY(OWNER)) {
	case BY(OWNER):
		return may(c, who, VERB_CANCEL, j, NULL);
	case BY(QUEUE):
		return may(c, who, VERB_RELEASE, j, NULL);
	default:
		return may(c, who, VERB_ADMIN, NULL, NULL);
	}
}

const char *held_reason(const struct job *j, enum sched_why *ret_why)
{
	*ret_why = j->held_by == BY(ADMIN) ? WHY_HELD_ADMIN : WHY_HELD;
	switch (j->held_by) {
	case BY(ADMIN):
		return "held by an administrator, who alone may release it";
	case BY(QUEUE):
		return "held by a manager of its queue, until one releases it";
	default:
		return "held, until actl release";
	}
}
