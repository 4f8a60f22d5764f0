/*
 * Job shapes, interned: found by all fields that placement depends on, compared in full.
 *
 * Input: the description of a job. Output: the number of its shape. A shape holds a reference to
 * its constraint and to each of its parts. It is freed with the last subqueue or shape that refers
 * to it. Its number may then be reused, so results stored under the number are discarded
 * (`changes`).
 */
#include "sched/model/job_shape.h"
#include "sched/model/model.h"
#include "sched/model/table.h"

#include <string.h>

/* The key of a shape. */
struct wanted {
	const int64_t *request;
	const int64_t *licenses; /* NULL: none */
	struct constraint *constraint;
	uint32_t class, members, min_members;
	const uint32_t *parts;
	uint32_t part_count;
	uint32_t keeper;
	bool distinct, exclusive, exclusive_user;
};

static bool same_shape(const void *arg, uint32_t shape, const void *what)
{
	const struct model *m = arg;
	const struct job_shape *k = &m->shapes.list[shape];
	const struct wanted *w = what;

	return k->class == w->class && k->members == w->members &&
	       k->min_members == w->min_members && k->distinct == w->distinct &&
	       k->exclusive == w->exclusive && k->keeper == w->keeper &&
	       k->exclusive_user == w->exclusive_user && k->part_count == w->part_count &&
	       (!k->part_count ||
		memcmp(k->parts, w->parts, k->part_count * sizeof(*k->parts)) == 0) &&
	       !k->licenses == !w->licenses &&
	       (!w->licenses || memcmp(k->licenses, w->licenses, m->dims * sizeof(int64_t)) == 0) &&
	       memcmp(job_shape_request(m, shape), w->request, m->dims * sizeof(int64_t)) == 0 &&
	       k->constraint == w->constraint;
}

static uint32_t hash_shape(const struct model *m, const struct wanted *w)
{
	uint32_t fields[] = {w->class,       w->members,
			     w->min_members, w->distinct,
			     w->exclusive,   w->constraint ? w->constraint->id + 1 : 0,
			     w->keeper,      w->exclusive_user};
	uint32_t h = hash_bytes(0, fields, sizeof(fields));

	h = hash_bytes(h, w->request, m->dims * sizeof(int64_t));
	if (w->licenses)
		h = hash_bytes(h, w->licenses, m->dims * sizeof(int64_t));
	return w->part_count ? hash_bytes(h, w->parts, w->part_count * sizeof(*w->parts)) : h;
}

static uint32_t shape_place(struct model *m)
{
	uint32_t shape = TABLE_PLACE(&m->shapes, members);

	GROW(m->shapes.requests, m->shapes.request_cap, m->shapes.count * m->dims);
	return shape;
}

/* Saturates: an absurd request is allowed, and then found not to fit. */
static int64_t add_times(int64_t a, int64_t b, uint32_t times)
{
	int64_t sum;

	if (__builtin_mul_overflow(b, (int64_t)times, &b) || __builtin_add_overflow(a, b, &sum))
		return INT64_MAX;
	return sum;
}

const uint32_t *job_shape_parts(const struct model *m, const uint32_t *shape, uint32_t *ret_count)
{
	const struct job_shape *k = &m->shapes.list[*shape];

	*ret_count = k->part_count ? k->part_count : 1;
	return k->part_count ? k->parts : shape;
}

uint32_t job_shape_cutoff(const struct model *m, uint32_t shape, uint32_t part)
{
	const struct armada_preempt_traits *t = &m->policies.preempt_traits;
	const struct job_shape *k = &m->shapes.list[shape];

	return k->urgent && m->levels.count && (t->fair_share || t->urgency || k->scavenge)
		       ? m->levels.of_class[m->shapes.list[part].class]
		       : m->levels.count;
}

uint32_t job_shape_find_part(const struct model *m, uint32_t shape, uint32_t member)
{
	const struct job_shape *k = &m->shapes.list[shape];

	for (uint32_t i = 0; i + 1 < k->part_count; i++) {
		if (member < m->shapes.list[k->parts[i]].members)
			return k->parts[i];
		member -= m->shapes.list[k->parts[i]].members;
	}
	return k->parts[k->part_count - 1];
}

uint32_t job_shape_part_least(const struct model *m, uint32_t shape, uint32_t part)
{
	return m->shapes.list[shape].part_count ? m->shapes.list[part].min_members : 0;
}

/* The sum of a shape with one member is its request. */
static void sum_up(struct model *m, uint32_t shape)
{
	struct job_shape *k = &m->shapes.list[shape];
	uint32_t n;
	const uint32_t *parts = job_shape_parts(m, &shape, &n);

	if (k->sum || (k->members == 1 && !k->part_count && !k->licenses))
		return;
	k->sum = xcalloc(m->dims, sizeof(*k->sum));
	for (uint32_t i = 0; i < n; i++)
		for (size_t r = 0; r < m->dims; r++)
			k->sum[r] = add_times(k->sum[r], job_shape_request(m, parts[i])[r],
					      m->shapes.list[parts[i]].members);
	for (size_t r = 0; k->licenses && r < m->dims; r++)
		k->sum[r] = add_times(k->sum[r], k->licenses[r], 1);
}

/* A gang that wants nodes for itself or its user is never displaced. */
void job_shape_complete(struct model *m, uint32_t shape)
{
	struct job_shape *k = &m->shapes.list[shape];
	uint32_t n;
	const uint32_t *parts = job_shape_parts(m, &shape, &n);

	sum_up(m, shape);
	k->fair = k->urgent = !k->exclusive && !k->exclusive_user;
	k->top = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct job_shape *p = &m->shapes.list[parts[i]];

		k->fair = k->fair && m->levels.classes[p->class].fair_share_preemptible;
		k->urgent = k->urgent && m->levels.classes[p->class].urgency_preemptible;
		if (m->levels.of_class[p->class] > k->top)
			k->top = (uint16_t)m->levels.of_class[p->class];
		m->levels.mixed |= p->class != k->class;
	}
}

void job_shape_describe(const struct model *m, uint32_t shape, struct sched_job *ret)
{
	const struct job_shape *k = &m->shapes.list[shape];
	const struct constraint *c = k->constraint;

	*ret = (struct sched_job){.class_name = m->levels.classes[k->class].name,
				  .members = k->members,
				  .min_members = k->min_members,
				  .distinct = k->distinct,
				  .exclusive = k->exclusive,
				  .exclusive_user = k->exclusive_user,
				  .scavenge = k->scavenge};
	memcpy(ret->request, job_shape_request(m, shape), m->dims * sizeof(int64_t));
	if (k->licenses)
		memcpy(ret->licenses, k->licenses, m->dims * sizeof(int64_t));
	if (!c)
		return;
	ret->selectors = c->selectors;
	ret->selector_count = c->selector_count;
	ret->of_queue = c->of_queue;
	ret->tolerations = c->tolerations;
	ret->toleration_count = c->toleration_count;
	ret->include = c->include;
	ret->include_count = c->include_count;
	ret->exclude = c->exclude;
	ret->exclude_count = c->exclude_count;
	ret->avoid = c->exclude + c->exclude_count;
	ret->avoid_count = c->avoid_count;
	ret->uniformity = *c->uniformity ? c->uniformity : NULL;
}

/* The shapes of the parts; the gang's shape uses each of them. */
static uint32_t *intern_parts(struct model *m, const struct sched_job *job)
{
	uint32_t *parts = xcalloc(job->part_count, sizeof(*parts));

	for (size_t i = 0; i < job->part_count; i++) {
		struct sched_job part = job->parts[i];

		part.distinct = job->distinct;
		part.exclusive = job->exclusive;
		part.exclusive_user = job->exclusive_user;
		part.user = job->user;
		part.scavenge = job->scavenge;
		part.parts = NULL;
		part.part_count = 0;
		memset(part.licenses, 0, sizeof(part.licenses));
		parts[i] = job_shape_intern(m, &part);
		m->shapes.list[parts[i]].users++;
	}
	return parts;
}

static void release_parts(struct model *m, uint32_t *parts, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		job_shape_release(m, parts[i]);
	free(parts);
}

/* NULL: none. */
static const int64_t *licenses_of(const struct model *m, const struct sched_job *job)
{
	for (size_t r = 0; r < m->dims; r++)
		if (job->licenses[r])
			return job->licenses;
	return NULL;
}

uint32_t job_shape_intern(struct model *m, const struct sched_job *job)
{
	uint32_t *parts = job->part_count ? intern_parts(m, job) : NULL;
	struct wanted w = {.request = job->request,
			   .licenses = licenses_of(m, job),
			   .constraint = constraint_intern(m, job),
			   .class = job->scavenge ? priority_level_scavenge_class(m)
						  : priority_level_find_class(m, job->class_name),
			   .members = job->members ? job->members : 1,
			   .min_members = job->min_members,
			   .parts = parts,
			   .part_count = (uint32_t)job->part_count,
			   .distinct = job->distinct && job->members > 1,
			   .exclusive = job->exclusive,
			   .exclusive_user = job->exclusive_user,
			   .keeper = users_keeper(m, job->user)};
	uint32_t hash = hash_shape(m, &w),
		 shape = map_find(&m->shapes.map, hash, same_shape, m, &w);

	if (shape != NIL) {
		constraint_release(m, w.constraint);
		release_parts(m, parts, w.part_count);
		return shape;
	}
	shape = shape_place(m);
	memcpy(job_shape_request(m, shape), job->request, m->dims * sizeof(int64_t));
	m->shapes.list[shape] = (struct job_shape){
		.constraint = w.constraint,
		.class = (uint16_t)w.class,
		.members = w.members,
		.min_members = w.min_members,
		.parts = parts,
		.part_count = w.part_count,
		.distinct = w.distinct,
		.exclusive = w.exclusive,
		.exclusive_user = w.exclusive_user,
		.keeper = w.keeper,
		.scavenge = job->scavenge,
		.licenses = w.licenses ? xmemdup(w.licenses, m->dims * sizeof(int64_t)) : NULL,
	};
	job_shape_complete(m, shape);
	map_add(&m->shapes.map, hash, shape);
	return shape;
}

void job_shape_done(struct job_shape *k)
{
	free(k->parts);
	free(k->sum);
	free(k->licenses);
}

void job_shape_release(struct model *m, uint32_t shape)
{
	struct job_shape *k = &m->shapes.list[shape];
	struct wanted w = {.request = job_shape_request(m, shape),
			   .licenses = k->licenses,
			   .constraint = k->constraint,
			   .class = k->class,
			   .members = k->members,
			   .min_members = k->min_members,
			   .parts = k->parts,
			   .part_count = k->part_count,
			   .distinct = k->distinct,
			   .exclusive = k->exclusive,
			   .exclusive_user = k->exclusive_user,
			   .keeper = k->keeper};
	uint32_t *parts = k->parts, count = k->part_count;

	if (--k->users)
		return;
	m->changes++; /* its number may be given to another shape */
	map_remove(&m->shapes.map, hash_shape(m, &w), shape);
	constraint_release(m, k->constraint);
	free(k->sum);
	free(k->licenses);
	*k = (struct job_shape){.members = m->shapes.unused};
	m->shapes.unused = shape;
	release_parts(m, parts, count);
}

const struct node_class_set *job_shape_classes(struct model *m, uint32_t shape)
{
	return constraint_classes(m, m->shapes.list[shape].constraint);
}
