/*
 * The reader of a scenario in its parts. Private to src/asim/rounds_*.c.
 */
#ifndef ASIM_ROUNDS_READ_H
#define ASIM_ROUNDS_READ_H

#include "asim/rounds.h"
#include "asim/rounds_json.h"
#include "sched/map.h"

struct reader {
	struct doc doc;
	struct scenario *sc;
	struct arena *arena;
	struct map nodes, jobs, gangs, queues; /* by name */
	uint32_t default_class;
	bool *removed; /* nodes, by a round up to here */
};

/* Text that outlives the document. */
const char *keep(struct reader *r, const char *text);
/* One row of amounts by resource name. */
void read_amounts(struct reader *r, const struct at *at, int64_t *ret_row);
void read_fraction(struct reader *r, const struct at *at, struct sched_fraction *ret);
/* The resource that the key names. */
size_t find_resource(struct reader *r, const struct at *at);
uint32_t find_node(struct reader *r, const struct at *at);
uint32_t find_queue(struct reader *r, const struct at *at);
uint32_t find_class(struct reader *r, const struct at *at);
uint32_t find_job(struct reader *r, const struct at *at);

/* rounds_policy.c: policy, limits. */
void read_policy(struct reader *r, const struct at *root, const char *plugin_dir);
void read_limits(struct reader *r, const struct at *at);
/* rounds_most.c: limits in absolute numbers, of a queue or a user; of a queue, those of each user. */
void read_most(struct reader *r, const struct at *at, bool of_user, struct most *ret);
void read_users(struct reader *r, const struct at *root);
/* rounds_cluster.c: resources, nodes, classes, queues. */
void read_cluster(struct reader *r, const struct at *root);
/* rounds_jobs.c: an entry of running or submit, written out. */
void read_entry(struct reader *r, const struct at *at, bool running);
void check_running(struct reader *r, const struct at *running);

#endif
