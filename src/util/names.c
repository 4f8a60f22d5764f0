#include "util/names.h"

#include <string.h>

size_t names_index(const char *const *names, size_t count, const char *name)
{
	size_t i = 0;

	while (i < count && strcmp(names[i], name) != 0)
		i++;
	return i;
}

bool names_have(const char *const *names, size_t count, const char *name)
{
	return names_index(names, count, name) < count;
}

int names_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int names_compare_indirect(const void *a, const void *b)
{
	return names_compare(*(const void *const *)a, *(const void *const *)b);
}
