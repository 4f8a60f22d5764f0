#include "cmd/common/problems.h"

#include "util/mem.h"
#include "util/visible.h"

#include <stdlib.h>

static void print_last(struct problems *p)
{
	if (p->last)
		visible_complain(p->before, p->last);
	free(p->last);
	p->last = NULL;
}

void problems_add(struct problems *p, char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		print_last(p);
		p->last = xstrdup(list[i]);
		p->count++;
	}
}

int problems_end(struct problems *p, uint64_t failed, int rc, struct err *err)
{
	if (p->last && rc < 0 && failed == p->count) {
		rc = err_set(err, rc, "%s", p->last);
		free(p->last);
		p->last = NULL;
	}
	print_last(p);
	return rc;
}
