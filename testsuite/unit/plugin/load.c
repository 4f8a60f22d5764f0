/*
 * Loads one plugin and prints its description: load DIR KIND NAME. Used by
 * testsuite/t/0200-plugin-outside.t.
 */
#include "plugin/plugin.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	struct err err = {""};
	struct plugin p;

	if (argc != 4 || !plugin_kind_of(argv[2])) {
		fprintf(stderr, "usage: load DIR KIND NAME\n");
		return 2;
	}
	if (plugin_load(&p, argv[1], plugin_kind_of(argv[2]), argv[3], &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	printf("%s/%s: %s\n", argv[2], p.desc->name, p.desc->description);
	for (size_t i = 0; i < p.desc->option_count; i++)
		printf("option %s = %s\n", p.desc->options[i].name,
		       p.values[i].s ? p.values[i].s : "");
	plugin_free(&p);
	return 0;
}
