#include "util/steps.h"

void steps_add(struct rangeset *s, uint32_t first, uint32_t last, uint32_t step)
{
	if (step > 1)
		for (uint64_t n = first; n <= last; n += step)
			rangeset_add(s, (uint32_t)n, (uint32_t)n);
	else if (first <= last)
		rangeset_add(s, first, last);
}
