/*
 * The reservation of the referee: when and where a gang without room could start if running
 * units use their time limits, and which later units it holds back.
 */
#include "unit/sched/referee_parts.h"

#include <string.h>

/* The latest end of a unit. */
static int64_t end_of(const struct bout *b, int unit)
{
	int64_t lowered = b->fresh[unit] ? b->limit[unit] : b->w->units[unit].limit;
	int64_t limit = lowered ? lowered : b->w->jobs[unit / REF_ELEMENTS].limit;
	bool here = b->now.phase[unit] == PHASE_BOUND || b->now.phase[unit] == PHASE_EVICTED;

	if (!here || !limit || !ref_running(b, unit))
		return INT64_MAX;
	return (b->fresh[unit] ? b->in->now_us : b->w->units[unit].start) + limit;
}

static const int64_t *level_of(const struct bout *b, const struct ref_reserve *v, int node)
{
	return v->leveled && !(node >= 0 && b->over[node]) ? &v->level : NULL;
}

/* Those that scavenge are gone for a unit that wants nodes for itself or its user. */
static void survey_all(const struct bout *b, const struct ref_reserve *v, struct ref_ground *g)
{
	ref_survey(b, NULL, -1, g);
	for (int n = 0; n < b->w->node_count && !v->leveled; n++) {
		if (b->over[n])
			continue;
		for (int u = 0; u < REF_UNITS; u++)
			if (ref_scavenges(b->w, u) && ref_urgent(b->w, u))
				g->has[n][u] = false;
		for (int d = 0; d < REF_DIMS; d++)
			g->room[n][d] += g->lent[n][d];
	}
}

/* The node for a member: of the nodes with room the one with least of it. */
static int node_then(const struct bout *b, int unit, const struct ref_part *p, const char *value)
{
	const struct ref_shape *shape = ref_shape(b->w, unit);
	const struct ref_reserve *v = &b->reserve;
	struct ref_ground at_level, at_all;
	const int64_t *best_room = NULL;
	int best = -1;

	ref_survey(b, level_of(b, v, -1), -1, &at_level);
	survey_all(b, v, &at_all);
	for (int n = 0; n < b->w->node_count; n++) {
		const int64_t *room = level_of(b, v, n) ? at_level.room[n] : at_all.room[n];
		bool used = false;
		int c;

		for (int m = 0; m < shape->members; m++)
			used = used || b->now.nodes[unit][m] == n;
		if (!ref_suits(b->w, p, n) || !ref_joins(b, &at_all, unit, n) ||
		    !ref_fits(room, p->request) || (shape->distinct && used) ||
		    (value && strcmp(b->w->nodes[n].labels[shape->uniform], value) != 0))
			continue;
		c = best < 0 ? -1 : ref_compare_room(room, best_room);
		b->result->tie = b->result->tie || c == 0;
		if (c > 0 || (c == 0 && b->w->nodes[n].order[b->in->twin] >
						b->w->nodes[best].order[b->in->twin]))
			continue;
		best = n;
		best_room = room;
	}
	return best;
}

static bool place_then(struct bout *b, int unit, const char *value)
{
	const struct ref_shape *shape = ref_shape(b->w, unit);
	int found = 0, want = b->w->policy.partial ? shape->min : shape->members;

	b->now.phase[unit] = PHASE_BOUND;
	for (int m = 0; m < REF_MEMBERS; m++)
		b->now.nodes[unit][m] = -1;
	for (int m = 0; m < shape->members && found < want; m++) {
		if (b->w->policy.partial && shape->parts[0].min && !ref_of_minimum(b->w, unit, m))
			continue; /* each part has a minimum, and no more are looked for */
		b->now.nodes[unit][m] = node_then(b, unit, ref_part(b->w, unit, m), value);
		found += b->now.nodes[unit][m] >= 0;
	}
	return found == want;
}

/* Would the unit have room after the end of all units with limits up to then? */
static bool fits_then(struct bout *b, int unit, int64_t until_us)
{
	int uniform = ref_shape(b->w, unit)->uniform;
	struct ref_stand before = b->now;
	const char *value = uniform < 0 ? NULL : ref_next_value(b->w, uniform, NULL);

	for (; uniform < 0 || value; value = ref_next_value(b->w, uniform, value)) {
		b->now = before;
		for (int u = 0; u < b->w->job_count * REF_ELEMENTS; u++)
			if (end_of(b, u) <= until_us)
				b->now.phase[u] = PHASE_OUT;
		if (place_then(b, unit, value))
			return true;
		if (uniform < 0)
			break;
	}
	b->now = before;
	return false;
}

static void keep(struct bout *b, int unit, int64_t start_us, struct ref_stand *before)
{
	struct ref_reserve *v = &b->reserve;
	struct ref_ground at_level, at_all;

	v->made = true;
	v->unit = unit;
	v->start_us = start_us > b->in->now_us ? start_us : b->in->now_us;
	ref_survey(b, level_of(b, v, -1), -1, &at_level);
	survey_all(b, v, &at_all);
	for (int n = 0; n < b->w->node_count; n++)
		memcpy(before->spare[n], level_of(b, v, n) ? at_level.room[n] : at_all.room[n],
		       sizeof(before->spare[n]));
	for (int m = 0; m < ref_shape(b->w, unit)->members; m++)
		if (b->now.nodes[unit][m] >= 0)
			v->uses[b->now.nodes[unit][m]]++;
}

void ref_seek(struct bout *b, int unit)
{
	struct ref_reserve *v = &b->reserve;
	struct ref_stand before = b->now;
	int64_t last = INT64_MIN;

	if (!b->w->policy.backfill || v->made || v->asked == REF_ASKED || ref_scavenges(b->w, unit))
		return;
	v->asked++;
	/* without preemption all but those that scavenge count */
	v->level = b->w->policy.preempt == REF_NOBODY ? INT64_MIN + 1 : ref_priority(b->w, unit);
	v->leveled = !ref_shape(b->w, unit)->exclusive && !b->w->jobs[unit / REF_ELEMENTS].keeps;
	/* Other nodes would do now, but members are not moved: no start is known. */
	if (fits_then(b, unit, INT64_MIN)) {
		b->now = before;
		return;
	}
	for (;;) {
		int64_t next = INT64_MAX;

		for (int u = 0; u < b->w->job_count * REF_ELEMENTS; u++)
			if (end_of(b, u) > last && end_of(b, u) < next)
				next = end_of(b, u);
		if (next == INT64_MAX)
			return;
		last = next;
		if (fits_then(b, unit, next))
			break;
	}
	keep(b, unit, last, &before);
	b->now = before;
}

bool ref_binds(const struct bout *b, int unit)
{
	const struct ref_reserve *v = &b->reserve;
	int64_t limit = b->w->jobs[unit / REF_ELEMENTS].limit;

	if (!v->made || ref_scavenges(b->w, unit) ||
	    (limit && b->in->now_us + limit <= v->start_us))
		return false;
	return !v->leveled || !ref_urgent(b->w, unit) || ref_most_urgent(b->w, unit) >= v->level;
}

int64_t ref_lowered(const struct bout *b, int unit)
{
	const struct ref_job *j = &b->w->jobs[unit / REF_ELEMENTS];
	int64_t left = b->reserve.start_us - b->in->now_us;

	return j->least && j->least <= left ? left / 1000000 * 1000000 : 0;
}

bool ref_refuses(const struct bout *b, int unit, const struct ref_part *part, int node)
{
	const struct ref_reserve *v = &b->reserve;

	if (!v->binding || !v->uses[node])
		return false;
	return !ref_share(b->w, v->unit, unit) || !ref_fits(b->now.spare[node], part->request);
}

void ref_take(struct bout *b, const struct ref_part *part, int node)
{
	for (int d = 0; b->reserve.binding && d < REF_DIMS; d++)
		b->now.spare[node][d] -= part->request[d];
}

void ref_hold(struct bout *b, int unit)
{
	const struct ref *w = b->w;

	for (int u = 0; u < w->job_count * REF_ELEMENTS; u++)
		if (ref_kind(w, u) == ref_kind(w, unit) && ref_binds(b, u) && !ref_lowered(b, u))
			b->reserve.held[u] = true;
}

void ref_tell_reserve(const struct bout *b, struct buf *out)
{
	const struct ref_reserve *v = &b->reserve;

	if (!v->made)
		return;
	buf_addf(out, " | %d.%d at %lld", v->unit / REF_ELEMENTS + 1, v->unit % REF_ELEMENTS,
		 (long long)v->start_us);
	for (int n = 0; n < b->w->node_count; n++)
		if (v->uses[n])
			buf_addf(out, " n%d*%d", n, v->uses[n]);
}
