/*
 * Data that many jobs share, stored once: scripts, environments, specs, users. Each struct counts
 * its references and is freed with the last of them.
 */
#pragma once

#include "core/state/link.h"
#include "core/state/resource.h"
#include "util/shared.h"

#include <errno.h>
#include <inttypes.h>
#include <uthash.h>

struct holder;
struct state;

enum { HASH_SIZE = 32 };

/* A script or an environment, stored once. */
struct blob {
	uint8_t hash[HASH_SIZE];
	uint32_t refs;
	struct shared
		*bytes; /* also of the history, which may write it after the last job has left */
	LINK(holder) holders; /* the users whose specs refer to it; stored.c */
	UT_hash_handle hh;
};

/* A label of a job. */
struct spec_label {
	char *key, *value;
};

/* The gang of jobs in a job's spec. */
struct gang_spec {
	uint32_t cardinality, min; /* members */
	bool of_queue;             /* members may be in any job sets of the queue */
	char *id, *uniformity, *priority_class;
};

/* One task group of a spec that has several. Ranks count through the groups in their order. */
struct spec_group {
	uint32_t replicas;
	uint32_t least;   /* its minimum; 0: only the job as a whole has one */
	uint32_t members; /* its tasks in a decision of the scheduler: without extra tasks */
	bool service, first_alone;
	uint8_t on_task_failure;  /* enum TaskFailure: its own, or that of the job */
	struct resources request; /* of one task */
	LINK(blob) script;        /* counted reference; NULL: the job's script */
};

/* A packed JobSpec, shared by all jobs with the same spec, and members that are needed often. */
struct spec {
	uint8_t hash[HASH_SIZE];
	uint32_t refs;
	uint32_t len;
	uint8_t *packed;
	LINK(blob) script; /* counted references, script and env; NULL: none */
	LINK(blob) env;
	uint32_t tasks, least; /* tasks of an element; the least number to start with */
	uint32_t throttle;
	int32_t priority;
	int64_t grace_ms;
	struct resources request; /* of one task; of the first group if there are several */
	LINK(spec_label) labels;
	size_t label_count;
	LINK(resources) licenses; /* floating resources of an element; NULL: none */
	LINK(spec_group) groups;  /* NULL: only one group, described here */
	size_t group_count;
	uint8_t on_task_failure; /* enum TaskFailure */
	bool outlives_failures;  /* the rule of some group is not fail_job */
	bool elastic;            /* tasks beyond `least` start when there is room (extra.h) */
	int32_t elastic_signal;  /* when tasks join or leave; 0: none */
	/* Tasks that share a node; the first `larger` members have one more. */
	uint32_t per_member, larger;
	bool array, no_requeue, no_fence, exclusive, distinct, scavenge;
	bool exclusive_user;   /* it shares nodes only with jobs of its user */
	bool lacks_resource;   /* it names a resource that is not in the table */
	bool whole_memory;     /* its tasks have all memory of their nodes; exclusive is set, too */
	uint32_t max_requeues; /* 0: as armada.conf says */
	int64_t time_limit_s, time_min_s; /* time_min_s: 0: the limit is not lowered */
	int64_t deadline_us;              /* 0: none */
	int64_t lease_s;                  /* 0: the queue or armada.conf says it */
	bool first_alone;                 /* rank 0 runs the program, the others are for steps */
	const char *queue, *job_set, *name, *priority_class, *account; /* own copies */
	bool mails_elements; /* a mail for each element, or the only one; not for a whole array */
	bool mails_start; /* a mail when it starts; of a whole array when its first element does */
	LINK(gang_spec) gang; /* NULL: not in a gang */
	LINK(holder) holders; /* the users whose jobs have it; stored.c */
	UT_hash_handle hh;
};

/* The owner of a job: uid, gid, name and groups at the time of submission. */
struct user {
	uint32_t refs;
	uint32_t uid, gid;
	char *name;
	uint32_t *gids;
	size_t gid_count;
	size_t key_len;
	char *key; /* all of the above as bytes */
	UT_hash_handle hh;
};

/* True if an element can start with this many tasks. */
bool spec_starts_with(const struct spec *s, uint64_t tasks);
/* True if an element can start with, or continue with, this many tasks of each group. */
bool spec_minima_met(const struct spec *s, const uint32_t *tasks);
/* True if the groups have minima of their own. */
bool spec_has_minima(const struct spec *s);
/* The latest start with which it ends before its deadline; 0: it has none. */
int64_t spec_latest_start_us(const struct spec *s);
/* The number of members, and of the tasks of a member. A member is what shares a node. */
uint32_t spec_members(const struct spec *s);
uint32_t spec_member_tasks(const struct spec *s, uint32_t member);
/* What happens when a task of the group fails (enum TaskFailure). */
uint8_t spec_task_failure(const struct spec *s, uint32_t group);
/* The resources that one task of a group requests. */
const struct resources *spec_request(const struct spec *s, uint32_t group);
/* True if only the first task of this group runs its program; the others stand by. */
bool spec_launches_first(const struct spec *s, uint32_t group);
/* The group of a member in a decision of the scheduler. */
uint32_t spec_group_of(const struct spec *s, uint32_t member);
/* The specification as a message in the arena. */
const Armada__JobSpec *spec_unpack(const struct spec *s, struct arena *a);
/* NULL: not stored. */
LINK(blob) blob_find(const struct state *state, const uint8_t hash[HASH_SIZE]);
void core_digest(const void *data, size_t len, uint8_t ret_hash[HASH_SIZE]);

#ifdef STATE_WRITES
struct spec *spec_obtain(struct state *state, const Armada__JobSpec *spec);
void spec_release(struct state *state, struct spec *s);
struct user *user_obtain(struct state *state, const Armada__JobSubmitted *job);
void user_release(struct state *state, struct user *u);
struct blob *blob_add(struct state *state, const uint8_t hash[HASH_SIZE], const void *data,
		      size_t len);
void blob_drop_unused(struct state *state, struct blob *b);
#endif
