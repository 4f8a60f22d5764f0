/*
 * Requests about many jobs are done in portions, one record each, and say in words of a few jobs why it
 * could not be done.
 */
#ifndef CORE_PORTION_H
#define CORE_PORTION_H

#include "core/world.h"

enum { PROBLEMS_MAX = 20 };

/* Is that enough for one record? The client asks again from where it ends. work: as filter_cost counts. */
bool portion_is_full(const struct core *c, int64_t work);

/* One sentence more in the list of a reply, in the arena of the input; beyond PROBLEMS_MAX: no more. */
void problem_add(struct core *c, char ***list, size_t *count, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* "812" or, of an array and e not NULL, "812_7"; in the arena of the input. */
const char *problem_job(struct core *c, const struct job *j, const struct element *e);

#endif
