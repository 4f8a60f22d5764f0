/* Files of servers that are changed while they are down (server.h). */
#include "asim/replicated/server.h"

#include <string.h>

bool server_empty(struct world *w, struct server *s)
{
	if (s->alive || !s->count)
		return false;
	world_trace(w, "redis%d loses its files", s->number);
	s->count = 0;
	s->changed_us = w->now_us;
	w->severe = true;
	return true;
}

bool server_truncate(struct world *w, struct server *s, size_t keep)
{
	if (s->alive || keep >= s->count)
		return false;
	world_trace(w, "redis%d loses the last %zu of %zu batches", s->number, s->count - keep,
		    s->count);
	s->count = keep;
	s->changed_us = w->now_us;
	w->severe = true;
	return true;
}

static struct entry *flip_entry(struct world *w, const struct entry *e)
{
	struct entry *copy = arena_memdup(w->run, e, sizeof(*e));
	struct blob *b = &copy->fields[1 + world_random(w, ENTRY_FIELDS - 1)];
	char *data = arena_memdup(w->run, b->data, b->len);

	data[world_random(w, b->len)] ^= (char)(1 << world_random(w, 7));
	b->data = data;
	copy->flipped = true;
	return copy;
}

/* One bit of a record, in its checksum, its chain or its data. */
bool server_flip(struct world *w, struct server *s)
{
	size_t at = s->count ? world_random(w, s->count) : 0;
	struct batch *copy;

	if (s->alive)
		return false;
	while (at < s->count && s->list[at]->first->kind != WRITE_ENTRY)
		at++;
	if (at >= s->count)
		return false;
	copy = batch_new(w->run, true);
	for (const struct write *x = s->list[at]->first; x; x = x->next) {
		struct write *n = batch_add(w->run, copy, x->kind, x->key);

		n->field = x->field;
		n->value = x->value;
		n->seq = x->seq;
		n->entry = x->entry;
	}
	copy->first->entry = flip_entry(w, copy->first->entry);
	s->list[at] = copy;
	s->changed_us = w->now_us;
	w->severe = true;
	world_trace(w, "redis%d has a flipped bit in record %" PRIu64, s->number,
		    copy->first->entry->seq);
	return true;
}
