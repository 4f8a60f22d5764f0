/*
 * Backup of the nodes that a round changes: each is saved once, and restored when the round ends.
 */
#pragma once

#include <stdbool.h>
#include "sched/model/tenants.h"

#include <stddef.h>
#include <stdint.h>

struct model;
struct sched;

struct node_backup {
	struct saved {
		uint32_t node;
		struct tenants tenants, scavengers;
	} * saved;
	int64_t *saved_free; /* a row for each */
	size_t saved_count, saved_cap, saved_free_cap;
	uint32_t *levels_saved; /* nodes whose levels are saved in levels_rows */
	int64_t *levels_rows;
	size_t levels_saved_count, levels_saved_cap, levels_rows_cap;
	bool levels_kept; /* the levels of all nodes are saved in kept_levels and kept_bounds */
	int64_t *kept_levels, *kept_bounds;
	size_t kept_levels_cap, kept_bounds_cap;
};

void node_backup_save(struct sched *s, uint32_t node);
void node_backup_restore(struct sched *s);
void node_backup_levels(struct sched *s, uint32_t node); /* before a round changes them */
/* all at once, if most of them will change */
void node_backup_all_levels(struct sched *s);
void node_backup_restore_levels(struct sched *s);
