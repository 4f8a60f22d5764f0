#include "core/state/resource.h"
#include "conf/conf.h"


#include <assert.h>
#include <string.h>

int resource_index(const char *name)
{
	for (size_t i = 0; i < CONF_RESOURCES; i++)
		if (strcmp(conf_resources[i], name) == 0)
			return (int)i;
	return -1;
}

void resources_of(Armada__Resource *const *list, size_t n, struct resources *ret)
{
	*ret = (struct resources){0};
	for (size_t i = 0; i < n; i++) {
		int r = resource_index(list[i]->name);

		if (r >= 0)
			ret->amount[r] += list[i]->amount;
	}
}

void spec_task_request(const Armada__JobSpec *spec, struct resources *ret)
{
	assert(spec->n_groups);
	resources_of(spec->groups[0]->resources, spec->groups[0]->n_resources, ret);
}
