#include "cmd/common/deferred_options.h"

#include "util/mem.h"

#include <string.h>

static bool is_job_option(const struct opt *o)
{
	return o >= spec_options.rows && o < spec_options.rows + spec_options.count;
}

int deferred_options_read(struct deferred_options *l, const struct opt_table *const *tables,
			  int argc, char **argv, void *target, struct err *err)
{
	struct opt_parser p = {.tables = tables, .argv = argv, .argc = argc, .next = 1};
	const struct opt *o;
	const char *value;
	int rc;

	*l = (struct deferred_options){.list = xcalloc((size_t)argc, sizeof(*l->list))};
	while ((rc = opt_next(&p, &o, &value, err)) == OPT_OPTION) {
		if (is_job_option(o)) {
			struct deferred_option *g = &l->list[l->count++];

			*g = (struct deferred_option){.o = o, .value = value};
			memcpy(g->shown, p.shown, sizeof(g->shown));
			continue;
		}
		rc = opt_set(o, target, value, err);
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

void deferred_options_done(struct deferred_options *l)
{
	free(l->list);
	*l = (struct deferred_options){0};
}

int deferred_options_apply(const struct deferred_options *l, struct spec *s, struct err *err)
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
