/*
 * The durable state of the controller: everything that a snapshot holds, and nothing else.
 *
 * struct state owns every noun: jobs (sorted by id), queues, nodes, users, interned specs and blobs.
 * It is const for everybody but the fold (link.h, fold.h). An element exists while it is active or
 * once it has used an attempt number, never for waiting elements that were not tried yet: those are
 * ranges in job->waiting.
 *
 * Always true between inputs: an element with tasks is CONFIGURING, RUNNING, COMPLETING or UNKNOWN;
 * an element in job->waiting is PENDING or has no struct; what a node has allocated is the sum over
 * its tasks and is kept nowhere else (F8).
 *
 * Room on a node is counted twice. What really runs there, or may (every task that has not ended,
 * but for promised ones), never exceeds what the node has. Neither does what is to stay: every task
 * that has not ended, promised ones too, but for those of elements that yield.
 * core/lifecycle/pending_lease.h.
 *
 * What is not durable (connections, reasons of waiting jobs, steady times) is in core/txn/live.h.
 */
#pragma once

#include "core/state/job.h"
#include "core/state/node.h"
#include "core/state/queue.h"
#include "core/state/submit_key.h"

struct state {
	uint8_t cluster_id[16];
	char *cluster;
	uint64_t seq, epoch, next_job;
	int64_t last_wall_us;

	LINK_ARRAY(job) jobs; /* sorted by id; NULL: left memory */
	size_t job_slots, job_cap, job_live;
	uint64_t *job_ids; /* parallel to jobs */
	size_t id_cap;
	uint64_t waiting, active; /* elements */

	LINK(queue) queues;
	LINK(node) nodes;
	LINK(spec) specs;
	LINK(user) users;
	LINK(user_usage) user_usages;
	LINK(queue_user) queue_users;
	LINK(blob) blobs;
	LINK(gang) gangs;
	LINK(task_replacement) replacements; /* by id */
	uint64_t next_replacement;
	LINK(same_name) same_names;
	LINK(submit_key) keys;
	LINK_QUEUE(key_list, submit_key) keys_by_age;
	LINK_LIST(avoids) avoiding;
	int64_t shares_noted_us; /* of the youngest note of a queue that there is */

	struct slots job_places, element_places, node_places, gang_places;
};

#ifdef STATE_WRITES
struct state *state_new(void);
void state_free(struct state *state);
#endif
