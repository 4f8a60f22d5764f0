#include "sched/model/label_values.h"
#include "sched/model/model.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

/*
 * The values of one label are kept from gang to gang: node classes are added, but never changed or
 * removed. So a label with a value for each node costs in proportion to the nodes, not to their
 * square.
 */

static int compare(const void *a, const void *b)
{
	const struct label_value *x = a, *y = b;
	int c = strcmp(x->text, y->text);

	return c ? c : (x->kind > y->kind) - (x->kind < y->kind);
}

const struct label_values *label_values_of(struct model *m, const char *label)
{
	struct label_values *v = &m->values;

	if (v->label && strcmp(v->label, label) == 0 && v->kinds == m->node_classes.count)
		return v;
	free(v->label);
	v->label = xstrdup(label);
	v->kinds = m->node_classes.count;
	v->count = 0;
	GROW(v->list, v->cap, m->node_classes.count + 1);
	for (uint32_t i = 0; i < m->node_classes.count; i++) {
		const char *text = node_class_label(&m->node_classes.list[i], label);

		if (text)
			v->list[v->count++] = (struct label_value){text, i};
	}
	qsort(v->list, v->count, sizeof(*v->list), compare);
	return v;
}

size_t label_values_end(const struct label_values *v, size_t at)
{
	size_t end = at;

	while (end < v->count && strcmp(v->list[end].text, v->list[at].text) == 0)
		end++;
	return end;
}
