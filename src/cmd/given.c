#include "cmd/given.h"

#include "util/mem.h"

#include <string.h>

static bool of_the_job(const struct opt *o)
{
	return o >= spec_options.rows && o < spec_options.rows + spec_options.count;
}

int given_read(struct given_line *l, const struct opt_table *const *tables, int argc, char **argv,
	       void *target, struct err *err)
{
	struct opt_parser p = {.tables = tables, .argv = argv, .argc = argc, .next = 1};
	const struct opt *o;
	const char *value;
	int rc;

	*l = (struct given_line){.list = xcalloc((size_t)argc, sizeof(*l->list))};
	while ((rc = opt_next(&p, &o, &value, err)) == OPT_OPTION) {
		if (of_the_job(o)) {
			struct given *g = &l->list[l->count++];

			*g = (struct given){.o = o, .value = value};
			memcpy(g->shown, p.shown, sizeof(g->shown));
			continue;
		}
		rc = o->set(target, value, err);
		if (rc < 0)
			return err_prefix(err, rc, "%s", p.shown);
	}
	if (rc < 0)
		return rc;
	l->after_dashes = p.after_dashes;
	if (rc == OPT_OPERAND) {
		l->operands = (const char *const *)&argv[p.next - 1];
		l->operand_count = (size_t)(argc - p.next + 1);
	}
	return 0;
}

void given_done(struct given_line *l)
{
	free(l->list);
	*l = (struct given_line){0};
}

int given_apply(const struct given_line *l, struct spec *s, struct err *err)
{
	int rc = 0;

	s->source = SPEC_LINE;
	for (size_t i = 0; rc == 0 && i < l->count; i++) {
		rc = spec_set(s, l->list[i].o, l->list[i].value, err);
		if (rc < 0)
			err_prefix(err, rc, "%s", l->list[i].shown);
	}
	return rc;
}

const char *given_shown(const struct given_line *l, const char *name)
{
	for (size_t i = 0; i < l->count; i++)
		if (strcmp(l->list[i].o->name, name) == 0)
			return l->list[i].shown;
	return NULL;
}
