#include "sched/model/amounts.h"
#include "conf/resource_table.h"

void amounts_format(size_t resource, int64_t amount, char *out, size_t size)
{
	if (amount < 0) /* a level within a round, until preempted tasks have freed the rest */
		amount = 0;
	unit_format(resource < resource_count() ? resource_unit(resource) : RESOURCE_COUNT, amount,
		    out, size);
}
