/*
 * What others use of the room that is reserved, until the gang starts for which it is reserved.
 *
 * Input: the reservation, and the nodes as the round leaves them. Output: what the gang needs there; what of
 * it is idle; what of it is used by jobs that take nothing from the gang. These are jobs that scavenge, and
 * jobs that started since the gang holds the reservation and end before its start. Other running jobs are
 * those for whose end the gang waits: their room cannot be recovered.
 *
 * If a node has more room than the gang needs, idle room counts first, so the used part is not overstated.
 */
#include "sched/round/recovered.h"
#include "sched/round/queue_rows.h"

/*
 * The reservation lasts as long as the same element holds it. What this round starts gets numbers in the
 * sequence of its decisions. Returns whether it is new.
 */
static bool note_holder(struct round *r)
{
	struct reservation *v = &r->s->reservation;
	uint64_t id = r->m->jobs.list[v->job].id;

	if (v->held && v->holder_id == id && v->holder_element == v->element)
		return false;
	v->held = true;
	v->holder_id = id;
	v->holder_element = v->element;
	v->since_us = r->in->now_us;
	v->since_born = r->m->tasks.opened + v->before;
	return true;
}

void recovered_forget(struct round *r)
{
	if (!r->probe)
		r->s->reservation.held = false;
}

/* By task: has it lost its nodes in this round? NULL: no task has. */
static bool *list_gone(const struct round *r)
{
	const struct running_gangs *all = &r->s->gangs;
	bool *gone;

	if (!r->gone_count)
		return NULL;
	gone = arena_zalloc(r->arena, r->m->tasks.count + 1, sizeof(*gone));
	for (size_t i = 0; i < all->running; i++)
		gone[all->list[i].task] = all->list[i].state == GANG_OUT;
	return gone;
}

/* What running jobs use of the node, and give back before the start. */
static void add_running(const struct round *r, const bool *gone, uint32_t node, int64_t *used)
{
	struct model *m = r->m;
	const struct reservation *v = &r->s->reservation;
	const struct release_times *e = &m->releases.of_node[node];

	for (uint32_t i = 0; i < e->count && e->list[i].at_us <= v->start_us; i++) {
		const struct release_time *t = &e->list[i];

		if (m->tasks.born[t->task] > v->since_born &&
		    m->tasks.list[t->task].start_us >= v->since_us && !(gone && gone[t->task]) &&
		    !m->shapes.list[t->part].scavenge)
			amounts_change(used, job_shape_request(m, t->part), 1, m->dims);
	}
}

/*
 * The same for jobs that this round has started, into rows of the reserved nodes. If the reservation is new,
 * those that were started before it was made do not count.
 */
static void add_fresh(const struct round *r, bool is_new, int64_t *rows)
{
	struct model *m = r->m;
	const struct reservation *v = &r->s->reservation;

	for (size_t i = 0; i < v->fresh_count; i++) {
		const struct fresh_member *f = &v->fresh[i];
		uint32_t at = m->nodes.list[f->node].reserved;

		if (at != NIL && (f->later || !is_new) && f->end.at_us <= v->start_us &&
		    !m->shapes.list[f->end.part].scavenge)
			amounts_change(rows + at * m->dims, job_shape_request(m, f->end.part), 1,
				       m->dims);
	}
}

/* Only jobs that scavenge count at level 1 and not at level 2. */
static void add_scavenged(const struct model *m, uint32_t node, int64_t *used)
{
	if (!m->levels.scavenging || m->nodes.list[node].overfull)
		return;
	for (size_t d = 0; d < m->dims; d++)
		used[d] += priority_level_row(m, node, 2)[d] - priority_level_row(m, node, 1)[d];
}

static int64_t lower(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

void recovered_measure(struct round *r, struct sched_reservation *out)
{
	struct model *m = r->m;
	const struct reservation *v = &r->s->reservation;
	int64_t need[SCHED_RESOURCES] = {0}, idle[SCHED_RESOURCES] = {0},
		recovered[SCHED_RESOURCES] = {0};
	int64_t *used;
	const bool *gone;

	if (r->probe)
		return;
	used = arena_zalloc(r->arena, v->at.count * m->dims + 1, sizeof(*used));
	gone = list_gone(r);
	add_fresh(r, note_holder(r), used);
	for (size_t i = 0; i < v->at.count; i++) {
		uint32_t node = v->at.nodes[i].node;
		int64_t *row = used + i * m->dims;

		add_running(r, gone, node, row);
		add_scavenged(m, node, row);
		for (size_t d = 0; d < m->dims; d++) {
			int64_t wanted = v->at.need[i * m->dims + d],
				left = nodes_free(m, node)[d] > 0 ? nodes_free(m, node)[d] : 0;

			left = lower(wanted, left);
			need[d] += wanted;
			idle[d] += left;
			recovered[d] += lower(wanted - left, row[d]);
		}
	}
	out->need = queue_rows_cost(r, need);
	out->idle = queue_rows_cost(r, idle);
	out->recovered = queue_rows_cost(r, recovered);
}
