#include "tap/tap.h"
#include "util/names.h"

#include <stdlib.h>

struct thing {
	const char *name;
	int number;
};

int main(void)
{
	const char *names[] = {"b", "a", "", "c"}, *key = "c";
	struct thing things[] = {{"b", 1}, {"c", 2}, {"a", 3}};
	struct thing *order[] = {&things[0], &things[1], &things[2]}, *found;

	is_int(names_index(names, 4, "a"), 1, "the index of a name");
	is_int(names_index(names, 4, "x"), 4, "the index of a missing name is the count");
	ok(names_have(names, 4, ""), "an empty name is found");
	ok(!names_have(names, 3, "c"), "names beyond the count are not found");
	ok(!names_have(NULL, 0, "c"), "an empty list has no name");
	qsort(names, 4, sizeof(*names), names_compare);
	is_str(names[0], "", "strings are sorted");
	is_str(names[3], "c", "the last string");
	qsort(things, 3, sizeof(*things), names_compare);
	is_int(things[0].number, 3, "structs are sorted");
	found = bsearch(&key, things, 3, sizeof(*things), names_compare);
	is_int(found ? found->number : 0, 2, "a struct is found by name");
	qsort(order, 3, sizeof(struct thing *), names_compare_indirect);
	is_str(order[2]->name, "c", "pointers to them are sorted");
	return done();
}
