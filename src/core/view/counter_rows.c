/* Rows of COUNTERS (counter_rows.h). Input: a row of the table and its value. Output: the row in a reply. */
#include "core/view/counter_rows.h"

static Armada__Counter *add(struct counter_rows *r, enum counter row)
{
	const struct counter_info *info = counter_info(row);
	Armada__Counter *m = arena_alloc(r->arena, sizeof(*m));
	Armada__CountersReply *reply = r->reply;

	armada__counter__init(m);
	m->name = (char *)info->name;
	m->help = (char *)info->help;
	m->is_count = info->type == COUNTER_COUNT;
	reply->rows =
		arena_grow(r->arena, reply->rows, &r->cap, reply->n_rows, sizeof(*reply->rows));
	reply->rows[reply->n_rows++] = m;
	return m;
}

void counter_row(struct counter_rows *r, enum counter row, const char *value, double amount)
{
	Armada__Counter *m = add(r, row);

	m->amount = amount;
	m->label = (char *)counter_info(row)->label;
	m->value = (char *)value;
}

void counter_row_histogram(struct counter_rows *r, enum counter row, const struct histogram *h)
{
	Armada__Counter *m = add(r, row);

	m->amount = h->sum_s;
	m->n_bounds = HISTOGRAM_BOUNDS;
	m->bounds = arena_memdup(r->arena, histogram_bounds, sizeof(histogram_bounds));
	m->n_counts = HISTOGRAM_BOUNDS + 1;
	m->counts = arena_memdup(r->arena, h->counts, sizeof(h->counts));
}
