#include "agent/report.h"

#include "util/mem.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

struct block {
	Armada__Report report;
	Armada__TaskKey key;
	Armada__TaskEnd end;
	Armada__Usage usage;
	char text[];
};

/* Drop unknown fields (of a newer release), because they point into the arena of the original. */
static void forget_unknown(ProtobufCMessage *base)
{
	base->n_unknown_fields = 0;
	base->unknown_fields = NULL;
}

Armada__Report *report_dup(const Armada__Report *r)
{
	const char *text = r->end && r->end->text ? r->end->text : "";
	const char *problem = r->end && r->end->node_problem ? r->end->node_problem : "";
	size_t len = strlen(text), more = strlen(problem);
	struct block *b = xmalloc(sizeof(*b) + len + 1 + more + 1);

	/* The report is the first member, so that free(report) frees the block. */
	static_assert(offsetof(struct block, report) == 0, "the report comes first");
	b->report = *r;
	b->key = *r->key;
	b->report.key = &b->key;
	memcpy(b->text, text, len + 1);
	memcpy(b->text + len + 1, problem, more + 1);
	forget_unknown(&b->report.base);
	forget_unknown(&b->key.base);
	if (r->end) {
		b->end = *r->end;
		b->end.text = b->text;
		b->end.node_problem = b->text + len + 1;
		b->report.end = &b->end;
		forget_unknown(&b->end.base);
	}
	if (r->end && r->end->usage) {
		b->usage = *r->end->usage;
		b->end.usage = &b->usage;
		forget_unknown(&b->usage.base);
	}
	return &b->report;
}

struct task_key report_key(const Armada__TaskKey *key)
{
	return (struct task_key){.job = key->job,
				 .element = key->element,
				 .rank = key->rank,
				 .attempt = key->attempt};
}

Armada__TaskKey *report_key_message(const struct task_key *key, struct arena *arena)
{
	Armada__TaskKey *m = arena_alloc(arena, sizeof(*m));

	armada__task_key__init(m);
	m->job = key->job;
	m->element = key->element;
	m->rank = key->rank;
	m->attempt = key->attempt;
	return m;
}
