/*
 * The tasks of a node, as far as it matters who else may join them.
 */
#pragma once

#include "sched/model/job_shape.h"

struct tenants {
	uint32_t tasks;
	uint32_t exclusive; /* of them: those that want the whole node */
	uint32_t kept;      /* those that share the node only with tasks of their user */
	/* the sum of the keepers of all (struct job_shape), and the sum of the squares */
	uint64_t keepers, squares;
};

/* A member of the shape comes to the node (1) or leaves it (-1). */
static inline void tenants_change(struct tenants *t, const struct job_shape *k, int sign)
{
	uint64_t keeper = k->keeper;

	t->tasks += (uint32_t)sign;
	t->exclusive += (uint32_t)sign * k->exclusive;
	t->kept += (uint32_t)sign * k->exclusive_user;
	t->keepers += (uint64_t)sign * keeper;
	t->squares += (uint64_t)sign * keeper * keeper;
}
/* These tasks leave the node. */
static inline void tenants_leave(struct tenants *t, const struct tenants *who)
{
	t->tasks -= who->tasks;
	t->exclusive -= who->exclusive;
	t->kept -= who->kept;
	t->keepers -= who->keepers;
	t->squares -= who->squares;
}

/*
 * May a member of the shape share the node? If it keeps the node, or a member there does, all must have its
 * keeper: a sum of n numbers and a sum of their squares are n times a number and its square only if all are
 * this number. Users have small numbers, so the sums are exact.
 */
static inline bool tenants_admit(const struct tenants *t, const struct job_shape *k)
{
	uint64_t keeper = k->keeper;

	if (t->exclusive || (k->exclusive && t->tasks))
		return false;
	return !(k->exclusive_user ? t->tasks : t->kept) ||
	       (t->keepers == t->tasks * keeper && t->squares == t->tasks * keeper * keeper);
}
