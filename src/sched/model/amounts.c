#include "sched/model/amounts.h"
#include "util/units.h"

#include <inttypes.h>
#include <stdio.h>

void amounts_format(size_t resource, int64_t amount, char *out, size_t size)
{
	if (amount < 0) /* a level within a round, until preempted tasks have freed the rest */
		amount = 0;
	if (resource == 0)
		format_cpu(amount, out, size);
	else if (resource == 1)
		format_size(amount, out, size);
	else
		snprintf(out, size, "%" PRId64, amount);
}
