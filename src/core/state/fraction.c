#include "core/state/fraction.h"

#include "util/names.h"

#include <errno.h>
#include <string.h>

void fraction_take(const char *const *names, size_t count, Armada__Fraction *const *list, size_t n,
		   struct sched_fraction *ret)
{
	*ret = (struct sched_fraction){0};
	for (size_t i = 0; i < n; i++) {
		size_t r = names_index(names, count, list[i]->resource);

		if (r == count)
			continue;
		ret->limited |= UINT32_C(1) << r;
		ret->of[r] = list[i]->part;
	}
}

Armada__Fraction **fraction_give(const char *const *names, size_t count,
				 const struct sched_fraction *f, struct arena *a, size_t *ret_n)
{
	Armada__Fraction **list = arena_alloc(a, (count + 1) * sizeof(*list));
	size_t n = 0;

	for (size_t r = 0; r < count; r++) {
		if (!(f->limited >> r & 1))
			continue;
		list[n] = arena_alloc(a, sizeof(**list));
		armada__fraction__init(list[n]);
		list[n]->resource = (char *)names[r];
		list[n++]->part = f->of[r];
	}
	*ret_n = n;
	return list;
}

int fraction_check(const char *const *names, size_t count, Armada__Fraction *const *list, size_t n,
		   struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		const char *name = list[i]->resource;

		if (names_index(names, count, name) == count)
			return err_prefix(err, resource_need(name, err), "limit");
		if (!(list[i]->part >= 0 && list[i]->part <= 1))
			return err_set(
				err, -EINVAL,
				"limit: %s: %g is not a fraction of the cluster: expected 0 to 1",
				name, list[i]->part);
		for (size_t k = 0; k < i; k++)
			if (strcmp(list[k]->resource, name) == 0)
				return err_set(err, -EINVAL, "limit: %s is given twice", name);
	}
	return 0;
}
