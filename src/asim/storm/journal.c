#include "asim/storm/journal.h"
#include "asim/storm/invariant.h"
#include "asim/storm/node.h"

void sim_journal_start(struct storm *s, const struct sim_node *n, const struct task_key *key)
{
	struct sim_journal *j = s->journal;
	char text[64];

	s->count.runs++;
	INVARIANTS(s, on_start, n, key);
	RUN_GROW(s, j->runs, j->cap, j->count);
	j->runs[j->count++] = (struct sim_run){*key, n->index, true};
	task_key_format(key, text);
	storm_trace(s, "%s: %s runs", n->name, text);
}

void sim_journal_end(struct storm *s, const struct task_key *key)
{
	for (size_t i = 0; i < s->journal->count; i++)
		if (task_key_equal(&s->journal->runs[i].key, key))
			s->journal->runs[i].live = false;
}

bool sim_journal_runs(const struct storm *s, int node)
{
	for (size_t i = 0; i < s->journal->count; i++)
		if (s->journal->runs[i].live && (node < 0 || s->journal->runs[i].node == node))
			return true;
	return false;
}

const struct task_key *sim_journal_draw(struct storm *s)
{
	size_t from = storm_random(s, s->journal->count);

	for (size_t i = 0; i < s->journal->count; i++) {
		const struct sim_run *r = &s->journal->runs[(from + i) % s->journal->count];

		if (r->live)
			return &r->key;
	}
	return NULL;
}
