#include "sched/parts.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

/*
 * The values of one label, kept from gang to gang: kinds of node come, but none changes or goes. So
 * a label with a value for each node costs what its nodes cost, not their square.
 */

const char *kind_label(const struct kind *k, const char *key)
{
	for (size_t i = 0; i < k->label_count; i++)
		if (strcmp(k->labels[i].key, key) == 0)
			return k->labels[i].value;
	return NULL;
}

static int compare(const void *a, const void *b)
{
	const struct label_value *x = a, *y = b;
	int c = strcmp(x->text, y->text);

	return c ? c : (x->kind > y->kind) - (x->kind < y->kind);
}

const struct label_values *values_of(struct sched *s, const char *label)
{
	struct label_values *v = &s->values;

	if (v->label && strcmp(v->label, label) == 0 && v->kinds == s->kind_count)
		return v;
	free(v->label);
	v->label = xstrdup(label);
	v->kinds = s->kind_count;
	v->count = 0;
	GROW(v->list, v->cap, s->kind_count + 1);
	for (uint32_t i = 0; i < s->kind_count; i++) {
		const char *text = kind_label(&s->kinds[i], label);

		if (text)
			v->list[v->count++] = (struct label_value){text, i};
	}
	qsort(v->list, v->count, sizeof(*v->list), compare);
	return v;
}

size_t values_end(const struct label_values *v, size_t at)
{
	size_t end = at;

	while (end < v->count && strcmp(v->list[end].text, v->list[at].text) == 0)
		end++;
	return end;
}

void values_done(struct label_values *v)
{
	free(v->label);
	free(v->list);
}
