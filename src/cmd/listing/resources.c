#include "cmd/listing/resources.h"

#include "conf/resource_table.h"

#include <string.h>

int64_t resources_amount(Armada__Resource *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i]->name, name))
			return list[i]->amount;
	return 0;
}

void resources_format(const char *name, bool in_bytes, int64_t amount, char *out, size_t size)
{
	int r = resource_index(name);

	unit_format(in_bytes ? RESOURCE_SIZE
		    : r < 0  ? RESOURCE_COUNT
			     : resource_unit((size_t)r),
		    amount, out, size);
}

void resources_add(Armada__Resource *const *list, size_t count, const char *separator,
		   struct buf *out)
{
	char text[32];

	for (size_t i = 0; i < count; i++) {
		resources_format(list[i]->name, list[i]->size, list[i]->amount, text, sizeof(text));
		buf_addf(out, "%s%s=%s", i ? separator : "", list[i]->name, text);
	}
}

void resources_add_part(const char *name, int64_t part, int64_t all, struct buf *out)
{
	char used[32], whole[32];

	resources_format(name, false, part, used, sizeof(used));
	resources_format(name, false, all, whole, sizeof(whole));
	buf_addf(out, "%s/%s", used, whole);
}

json_t *resources_json(Armada__Resource *const *list, size_t count)
{
	json_t *object = json_object();

	for (size_t i = 0; i < count; i++)
		json_object_set_new(object, list[i]->name, json_integer(list[i]->amount));
	return object;
}
