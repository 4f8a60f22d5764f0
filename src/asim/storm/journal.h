/*
 * The journal that tasks keep: what began where, and what still runs. It is the truth that the
 * controller's picture is held against; nothing that is killed or restarted forgets it.
 */
#pragma once

#include "asim/storm/storm.h"

struct sim_run {
	struct task_key key;
	int node;
	bool live;
};

struct sim_journal {
	struct sim_run *runs;
	size_t count, cap;
};

struct sim_node;

void sim_journal_start(struct storm *s, const struct sim_node *n, const struct task_key *key);
void sim_journal_end(struct storm *s, const struct task_key *key);
/* Does anything run, on this node or (-1) on any? */
bool sim_journal_runs(const struct storm *s, int node);
/* A task that runs at the moment; NULL: none does. */
const struct task_key *sim_journal_draw(struct storm *s);
