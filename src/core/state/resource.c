#include "core/state/resource.h"

#include "conf/resource_table.h"
#include "util/mem.h"

#include <assert.h>
#include <string.h>

void resources_of(Armada__Resource *const *list, size_t n, struct resources *ret)
{
	*ret = (struct resources){0};
	for (size_t i = 0; i < n; i++) {
		int r = resource_index(list[i]->name);

		if (r >= 0 && !resource_is_floating((size_t)r))
			ret->amount[r] += list[i]->amount;
	}
}

bool resources_floating(Armada__Resource *const *list, size_t n, struct resources *ret)
{
	bool any = false;

	*ret = (struct resources){0};
	for (size_t i = 0; i < n; i++) {
		int r = resource_index(list[i]->name);

		if (r < 0 || !resource_is_floating((size_t)r))
			continue;
		ret->amount[r] += list[i]->amount;
		any |= list[i]->amount != 0;
	}
	return any;
}

bool resources_add(struct resources *sum, const struct resources *one, int64_t times)
{
	bool fits = true;

	for (size_t r = 0; r < CORE_RESOURCES; r++) {
		int64_t more;

		if (!__builtin_mul_overflow(one->amount[r], times, &more) &&
		    !__builtin_add_overflow(sum->amount[r], more, &sum->amount[r]))
			continue;
		sum->amount[r] = INT64_MAX;
		fits = false;
	}
	return fits;
}

Armada__Resource **resources_message(const int64_t *amounts, struct arena *a, size_t *ret_count)
{
	Armada__Resource **list = arena_alloc(a, resource_count() * sizeof(*list));

	for (size_t r = 0; r < resource_count(); r++) {
		list[r] = arena_alloc(a, sizeof(**list));
		armada__resource__init(list[r]);
		list[r]->name = (char *)resource_name(r);
		list[r]->amount = amounts[r];
		list[r]->size = resource_is_added(r) && resource_unit(r) == RESOURCE_SIZE;
	}
	*ret_count = resource_count();
	return list;
}

void spec_task_request(const Armada__JobSpec *spec, struct resources *ret)
{
	assert(spec->n_groups);
	resources_of(spec->groups[0]->resources, spec->groups[0]->n_resources, ret);
}
