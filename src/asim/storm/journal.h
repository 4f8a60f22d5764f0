/*
 * The journal that tasks keep: which tasks began where, and which still run. The controller's view
 * is compared with it. No kill or restart erases it.
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
/* Does any task run on this node (-1: on any node)? */
bool sim_journal_runs(const struct storm *s, int node);
/* A task that runs now; NULL: none does. */
const struct task_key *sim_journal_draw(struct storm *s);
