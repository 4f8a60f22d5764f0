/*
 * The durable state of the controller: everything that a snapshot contains, and nothing else.
 *
 * struct state owns every noun: jobs (sorted by id), queues, nodes, users, interned specs and
 * blobs. It is const for all code except the fold (link.h, fold.h). An element has a struct while
 * it is active or once it has used an attempt number. Waiting elements that have never been leased
 * have no struct: they are ranges in job->waiting.
 *
 * Always true between inputs: an element with tasks is CONFIGURING, RUNNING, COMPLETING or UNKNOWN.
 * An element in job->waiting is PENDING or has no struct. The allocation of a node is the sum over
 * its tasks and is stored nowhere else.
 *
 * Two sums of resources are checked for each node, and neither may exceed what the node has. The
 * first sum is of the tasks that may run there now: every task that has not ended, except those of
 * pending leases. The second sum is of the tasks that will be there once the yielding elements have
 * ended: every task that has not ended, including pending leases, except those of elements that
 * yield. core/lifecycle/pending_lease.h explains why.
 *
 * Volatile data (connections, reasons of waiting jobs, steady times) is in core/txn/live.h.
 */
#pragma once

#include "core/state/job.h"
#include "core/state/job_set.h"
#include "core/state/node.h"
#include "core/state/queue.h"
#include "core/state/submit_key.h"
#include "core/state/token.h"

struct state {
	uint8_t cluster_id[16];
	char *cluster;
	uint64_t seq, epoch, next_job;
	int64_t last_wall_us;
	uint32_t class_defaults; /* what armada.conf without priority_classes means: EpochBegan */

	LINK_ARRAY(job) jobs; /* sorted by id; NULL: the job has left memory */
	size_t job_slots, job_cap, job_live;
	uint64_t *job_ids; /* parallel to jobs */
	size_t id_cap;
	uint64_t waiting, active; /* numbers of elements */
	uint64_t stored;          /* bytes, the sum of the users'; stored.h */

	LINK(queue) queues;
	LINK(node) nodes;
	LINK(spec) specs;
	LINK(user) users;
	LINK(user_usage) user_usages;
	LINK(queue_user) queue_users;
	LINK(account_usage) account_usages;
	LINK(account_user) account_users;
	LINK(blob) blobs;
	LINK(gang) gangs;
	LINK(task_replacement) replacements; /* by id */
	LINK(extras) extras;                 /* of elastic elements, by number */
	uint64_t next_replacement;
	LINK(same_name) same_names;
	LINK(submit_key) keys;
	LINK_QUEUE(key_list, submit_key) keys_by_age; /* without the named ones */
	LINK_QUEUE(named_key_list, submit_key) named_keys;
	LINK(key_user) key_users; /* by uid */
	uint64_t key_count, named_key_count;
	LINK(job_set) job_sets;
	LINK_QUEUE(idle_set_list, job_set) idle_sets; /* the oldest first */
	LINK(job_set_user) idle_users;                /* by uid */
	uint64_t idle_set_count;
	uint64_t forgotten_events; /* the highest number of a job event of a forgotten set */
	LINK(token) tokens;        /* by number */
	uint64_t next_token;
	LINK_LIST(avoids) avoiding;
	LINK_LIST(element) paused; /* elements with not_before_us */
	/*
	 * Floating resources: how many there are, what armada.conf said, what others use, what active
	 * elements hold.
	 */
	struct resources floating_total, floating_configured, floating_outside, floating_held;
	/*
	 * The copies of the log that have to hold each record, as the engine changed them last; version 0:
	 * the log has no change.
	 */
	uint64_t copies_version;
	int64_t copies_us;
	char *copies_members, *copies_removed; /* names with ", " in between */
	char *copies_by;                       /* the administrator; "": the engine by itself */
	int64_t shares_noted_us;               /* time of the latest share note of any queue */

	struct slots job_places, element_places, node_places, gang_places;
};

#ifdef STATE_WRITES
struct state *state_new(void);
void state_free(struct state *state);
#endif
