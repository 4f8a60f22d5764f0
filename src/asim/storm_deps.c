/*
 * Jobs that wait for others, or for a time, from the records and from what their users asked for: no
 * element is leased before it may be, and none is given up that could still be.
 *
 * Nothing of the core is asked but for what an update says that a job waits for. After a crash the
 * books are made anew from what is durable. The same books are the history that the core has asked.
 */
#include "asim/storm_parts.h"

#include <stdlib.h>
#include <string.h>

#define DEP(name) ARMADA__DEPENDENCY_TYPE__DEPENDENCY_##name

enum { BEGUN = 1, ENDED = 2, GOOD = 4, LEASED = 8 };

/* One job, by its id. */
struct storm_book {
	uint32_t elements, left;
	uint8_t *state;    /* of each element: what of the above */
	int64_t *begun_us; /* or ended without */
	struct storm_dep deps[STORM_DEPS];
	size_t dep_count;
	bool any, known;
	int64_t begin_us;
	char name[16];
};

static struct storm_book *book_of(struct storm *s, uint64_t job)
{
	if (job >= s->book_count)
		return NULL;
	return s->books[job].known ? &s->books[job] : NULL;
}

static void book_free(struct storm_book *b)
{
	free(b->state);
	free(b->begun_us);
	*b = (struct storm_book){0};
}

void deps_done(struct storm *s)
{
	for (size_t i = 0; i < s->book_count; i++)
		book_free(&s->books[i]);
	free(s->books);
	s->books = NULL;
	s->book_count = s->book_cap = 0;
}

static const struct storm_job *asker(const struct storm *s, const Armada__JobSubmitted *m)
{
	for (size_t i = 0; i < s->job_count; i++)
		if (m->key.len == sizeof(s->jobs[i].key) &&
		    memcmp(s->jobs[i].key, m->key.data, m->key.len) == 0)
			return &s->jobs[i];
	return NULL;
}

static void note_submitted(struct storm *s, const Armada__JobSubmitted *m)
{
	const struct storm_job *j = asker(s, m);
	struct storm_book *b;

	if (!j)
		return;
	while (s->book_count <= m->id) {
		GROW(s->books, s->book_cap, s->book_count + 1);
		s->books[s->book_count++] = (struct storm_book){0};
	}
	b = &s->books[m->id];
	book_free(b);
	*b = (struct storm_book){
		.elements = j->elements,
		.left = j->elements,
		.state = xcalloc(j->elements, 1),
		.begun_us = xcalloc(j->elements, sizeof(int64_t)),
		.dep_count = j->dep_count,
		.any = j->dep_any,
		.begin_us = j->begin_us,
		.known = true,
	};
	memcpy(b->deps, j->deps, sizeof(b->deps));
	strncpy(b->name, j->name, sizeof(b->name) - 1);
}

static void note_updated(struct storm *s, const Armada__JobUpdated *m)
{
	struct storm_book *b = book_of(s, m->job);

	if (!b || !m->set_waits)
		return;
	b->dep_count = 0;
	b->begin_us = m->waits ? m->waits->begin_us : 0;
	b->any = m->waits && m->waits->any;
	for (size_t i = 0; m->waits && i < m->waits->n_dependencies && i < STORM_DEPS; i++) {
		const Armada__Dependency *d = m->waits->dependencies[i];

		b->deps[b->dep_count++] = (struct storm_dep){d->type, d->job, d->has_element,
							     d->element, (int)d->delay_s};
	}
}

/* How a dependency stands: it holds, it never will, or neither. */
enum standing { WAITS, HOLDS, NEVER };

static enum standing stands_one(const struct storm *s, const struct storm_book *on,
				const struct storm_dep *d, uint32_t from, uint32_t to,
				int64_t now_us)
{
	uint32_t begun = 0, ended = 0, good = 0, due = 0, n = to - from + 1;

	for (uint32_t e = from; e <= to; e++) {
		begun += (on->state[e] & (BEGUN | ENDED)) != 0;
		ended += (on->state[e] & ENDED) != 0;
		good += (on->state[e] & GOOD) != 0;
		due += on->begun_us[e] + d->delay_s * INT64_C(1000000) <= now_us;
	}
	switch (d->type) {
	case DEP(AFTER):
		/* no record tells what a clock showed that was set back meanwhile */
		return begun == n && (due || !d->delay_s || s->clock_jumps) ? HOLDS : WAITS;
	case DEP(AFTERANY):
		return ended == n ? HOLDS : WAITS;
	case DEP(AFTERNOTOK):
		return ended < n ? WAITS : good < n ? HOLDS : NEVER;
	default:
		return good == n ? HOLDS : ended > good ? NEVER : WAITS;
	}
}

static enum standing stands_alone(struct storm *s, uint64_t job)
{
	const struct storm_book *me = book_of(s, job);

	for (uint64_t i = 0; i < job; i++)
		if (s->books[i].known && s->books[i].left && !strcmp(s->books[i].name, me->name))
			return WAITS;
	return HOLDS;
}

static enum standing stands(struct storm *s, uint64_t job, const struct storm_dep *d,
			    uint32_t element, int64_t now_us)
{
	const struct storm_book *on = book_of(s, d->job);

	if (d->type == DEP(SINGLETON))
		return stands_alone(s, job);
	if (!on)
		return NEVER;
	if (d->type == DEP(AFTERCORR))
		return stands_one(s, on, d, element, element, now_us);
	return stands_one(s, on, d, d->has_element ? d->element : 0,
			  d->has_element ? d->element : on->elements - 1, now_us);
}

static enum standing stands_all(struct storm *s, uint64_t job, uint32_t element, int64_t now_us)
{
	const struct storm_book *b = book_of(s, job);
	size_t holds = 0, never = 0;

	for (size_t i = 0; i < b->dep_count; i++) {
		enum standing one = stands(s, job, &b->deps[i], element, now_us);

		holds += one == HOLDS;
		never += one == NEVER;
	}
	if (b->any && b->dep_count)
		return holds ? HOLDS : never == b->dep_count ? NEVER : WAITS;
	return never ? NEVER : holds == b->dep_count ? HOLDS : WAITS;
}

static void check_leased(struct storm *s, uint64_t job, uint32_t element, int64_t now_us)
{
	struct storm_book *b = book_of(s, job);
	bool again;

	if (!b || element >= b->elements)
		return;
	s->count.waited += b->dep_count || b->begin_us;
	/* who was leased before may have been while his job was told to wait for more */
	again = b->state[element] & LEASED;
	b->state[element] |= LEASED;
	if (again)
		return;
	if (b->begin_us > now_us)
		storm_violate(s, "%llu_%u is leased before its begin time", (unsigned long long)job,
			      element);
	if (stands_all(s, job, element, now_us) != HOLDS)
		storm_violate(s, "%llu_%u is leased though what it waits for does not hold",
			      (unsigned long long)job, element);
}

static void check_given_up(struct storm *s, const Armada__ElementEnded *m, int64_t now_us)
{
	if (strncmp(m->reason, "DependencyNeverSatisfied", 24) != 0 || !book_of(s, m->job))
		return;
	s->count.given_up++;
	for (size_t i = 0; i < m->n_elements; i++)
		for (uint32_t e = m->elements[i]->first; e <= m->elements[i]->last; e++)
			if (stands_all(s, m->job, e, now_us) != NEVER)
				storm_violate(s, "%llu_%u is given up though it might have started",
					      (unsigned long long)m->job, e);
}

static void note_ended(struct storm *s, const Armada__ElementEnded *m, int64_t now_us)
{
	struct storm_book *b = book_of(s, m->job);

	for (size_t i = 0; b && i < m->n_elements; i++)
		for (uint32_t e = m->elements[i]->first;
		     e <= m->elements[i]->last && e < b->elements; e++) {
			bool good = m->state == ARMADA__JOB_STATE__JOB_COMPLETED;

			b->left -= !(b->state[e] & ENDED);
			b->state[e] |= good ? ENDED | GOOD : ENDED;
			if (!b->begun_us[e])
				b->begun_us[e] = now_us;
		}
}

static void note_started(struct storm *s, const Armada__TaskStarted *m, int64_t now_us)
{
	struct storm_book *b = m->all ? book_of(s, m->key->job) : NULL;

	if (!b || m->key->element >= b->elements)
		return;
	b->state[m->key->element] |= BEGUN;
	if (!b->begun_us[m->key->element])
		b->begun_us[m->key->element] =
			m->start_us && m->start_us < now_us ? m->start_us : now_us;
}

void deps_follow(struct storm *s, const Armada__Record *r)
{
	for (size_t i = 0; i < r->n_events; i++) {
		const Armada__Event *ev = r->events[i];

		switch (ev->kind_case) {
		case ARMADA__EVENT__KIND_JOB_SUBMITTED:
			note_submitted(s, ev->job_submitted);
			break;
		case ARMADA__EVENT__KIND_JOB_UPDATED:
			note_updated(s, ev->job_updated);
			break;
		case ARMADA__EVENT__KIND_ELEMENT_LEASED:
			check_leased(s, ev->element_leased->job, ev->element_leased->element,
				     r->wall_us);
			break;
		case ARMADA__EVENT__KIND_TASK_STARTED:
			note_started(s, ev->task_started, r->wall_us);
			break;
		case ARMADA__EVENT__KIND_ELEMENT_ENDED:
			check_given_up(s, ev->element_ended, r->wall_us);
			note_ended(s, ev->element_ended, r->wall_us);
			break;
		default:
			break;
		}
	}
}

void deps_restart(struct storm *s)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);

	deps_done(s);
	for (size_t i = 0; i < s->ctl.disk_count; i++) {
		const Armada__Record *r =
			msg_unpack_own(&armada__record__descriptor, s->ctl.disk[i].data,
				       s->ctl.disk[i].len, arena);

		if (r)
			deps_follow(s, r);
		arena_clear(arena);
	}
}

/* Jobs that are over, by id, as the history has them. */
struct core_past *deps_past(struct storm *s, size_t *ret_count)
{
	struct core_past *list = xcalloc(s->book_count + 1, sizeof(*list));
	size_t n = 0;

	for (uint64_t id = 0; id < s->book_count; id++) {
		const struct storm_book *b = &s->books[id];
		struct core_past *p = &list[n];

		if (!b->known || b->left)
			continue;
		*p = (struct core_past){.job = id, .known = true, .array = b->elements > 1};
		rangeset_add(&p->elements, 0, b->elements - 1);
		for (uint32_t e = 0; e < b->elements; e++) {
			if (!(b->state[e] & GOOD))
				rangeset_add(&p->bad, e, e);
			if (b->begun_us[e] > p->start_us)
				p->start_us = b->begun_us[e];
		}
		n++;
	}
	*ret_count = n;
	return list;
}

void deps_past_free(struct core_past *past, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		rangeset_done(&past[i].elements);
		rangeset_done(&past[i].bad);
	}
	free(past);
}

/* Somebody known to the controller to wait for; nothing that it would refuse. */
static void draw_one(struct storm *s, struct storm_job *j)
{
	const struct storm_job *on = &s->jobs[storm_random(s, s->job_count)];
	struct storm_dep *d = &j->deps[j->dep_count];

	if (!on->id || on == j)
		return;
	*d = (struct storm_dep){.job = on->id};
	d->type = DEP(AFTER) + storm_random(s, 5);
	if (d->type == DEP(AFTERCORR) && (j->elements < 2 || on->elements < j->elements))
		d->type = DEP(AFTEROK);
	if (d->type == DEP(AFTER) && storm_random(s, 2))
		d->delay_s = 60 * (1 + storm_random(s, 2));
	if (d->type != DEP(AFTERCORR) && on->elements > 1 && storm_random(s, 2)) {
		d->has_element = true;
		d->element = storm_random(s, on->elements);
	}
	j->dep_count++;
}

void deps_draw(struct storm *s, struct storm_job *j)
{
	if (j->elements > 1 && storm_random(s, 2))
		j->throttle = 1 + storm_random(s, 4);
	if (storm_random(s, 8) == 0)
		j->begin_us = clock_wall_us(s) + storm_random(s, 200000000);
	j->name = storm_random(s, 6) ? "storm" : "alone";
	if (storm_random(s, 3) || j->gang)
		return;
	for (uint64_t n = 1 + storm_random(s, 2); n > 0; n--)
		draw_one(s, j);
	j->dep_any = j->dep_count > 1 && storm_random(s, 2);
	if (!strcmp(j->name, "alone") && storm_random(s, 2))
		j->deps[j->dep_count++] = (struct storm_dep){.type = DEP(SINGLETON)};
}

void deps_spec(const struct storm_job *j, Armada__Dependency *deps, Armada__Dependency **list,
	       Armada__JobSpec *spec)
{
	for (size_t i = 0; i < j->dep_count; i++) {
		armada__dependency__init(&deps[i]);
		deps[i].type = j->deps[i].type;
		deps[i].job = j->deps[i].job;
		deps[i].has_element = j->deps[i].has_element;
		deps[i].element = j->deps[i].element;
		deps[i].delay_s = j->deps[i].delay_s;
		list[i] = &deps[i];
	}
	spec->dependencies = list;
	spec->n_dependencies = j->dep_count;
	spec->dependency_any = j->dep_any;
	spec->begin_us = j->begin_us;
}
