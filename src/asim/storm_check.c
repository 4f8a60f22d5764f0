/* What must be true when everything has drained. */
#include "asim/storm_parts.h"

#include <string.h>

bool check_drained(struct storm *s)
{
	struct storm_ctl *c = &s->ctl;

	if (!c->up || c->pending_count)
		return false;
	for (size_t i = 0; i < s->job_count; i++)
		if (!s->jobs[i].id)
			return false;
	for (size_t i = 0; i < s->run_count; i++)
		if (s->runs[i].live)
			return false;
	for (size_t i = 0; i < STORM_NODES; i++)
		if (!s->nodes[i].up || !link_open(s->nodes[i].link) ||
		    link_pending(s->nodes[i].link))
			return false;
	return core_idle(c->core);
}

static void check_replay(struct storm *s)
{
	struct core *copy = core_new(&s->policy);
	struct output out;
	uint8_t a[32], b[32];
	struct err err;

	for (size_t i = 0; i < s->ctl.disk_count; i++)
		if (core_replay(copy, s->ctl.disk[i].data, s->ctl.disk[i].len, &out, &err) < 0)
			storm_violate(s, "the log does not replay: %s", err.text);
	core_hash(s->ctl.core, a);
	core_hash(copy, b);
	core_free(copy);
	if (memcmp(a, b, sizeof(a)) != 0)
		storm_violate(s, "I8: a replay of the log is not the state");
}

/* Ends are told as they happen; ids that became known later are told by a replay. */
static void tell_history(struct storm *s)
{
	struct core *copy = core_new(&s->policy);
	struct output out;
	struct err err;

	for (size_t i = 0; i < s->ctl.disk_count; i++) {
		if (core_replay(copy, s->ctl.disk[i].data, s->ctl.disk[i].len, &out, &err) < 0)
			break;
		for (size_t k = 0; k < out.effect_count; k++)
			if (out.effects[k].row)
				client_history(s, out.effects[k].row);
	}
	core_free(copy);
}

void check_end(struct storm *s)
{
	tell_history(s);
	for (size_t i = 0; i < s->job_count; i++)
		for (uint32_t e = 0; e < s->jobs[i].elements; e++)
			if (!s->jobs[i].ended[e])
				storm_violate(s, "I1: %llu_%u was acknowledged and has no end",
					      (unsigned long long)s->jobs[i].id, e);
	check_replay(s);
}
