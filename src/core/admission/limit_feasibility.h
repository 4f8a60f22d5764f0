/*
 * What the limits of armada.conf would never let start, on an empty cluster and after any wait.
 *
 * They count what starts together at its full size, whatever minimum it would do with.
 */
#pragma once

#include "core/admission/admission.h"

/*
 * The gang: how many members it has, what each asks for (INT64_MAX: beyond counting) and for how
 * many tasks.
 */
void admit_gang(const struct admission *a, struct resources *ret_want, uint32_t *ret_members,
		uint32_t *ret_each);
/* would the limits ever let it start? */
int admit_limits(struct admission *a);
/* The same of a gang of jobs like that of a->spec, by what all its members ask for together. */
int admit_limits_of(struct admission *a, const struct resources *sum, uint32_t members);
