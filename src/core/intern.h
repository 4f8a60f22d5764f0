/*
 * What many jobs share, kept once: scripts, environments, specs, users. Each is counted by those
 * who use it and goes with the last of them.
 */
#ifndef CORE_INTERN_H
#define CORE_INTERN_H

#include "core/core.h"

#include <errno.h>
#include <inttypes.h>
#include <uthash.h>

enum { CORE_RESOURCES = SCHED_RESOURCES, HASH_SIZE = 32 };

/* A script or an environment, stored once. */
struct blob {
	uint8_t hash[HASH_SIZE];
	uint32_t refs;
	size_t len;
	uint8_t *data;
	UT_hash_handle hh;
};

struct resources {
	int64_t amount[CORE_RESOURCES];
};

/* What a job says of the gang of jobs that it is a member of. */
struct gang_spec {
	uint32_t cardinality, min; /* members */
	char *id, *uniformity, *priority_class;
};

/* One group of tasks, where a spec has several. Ranks count through the groups in their order. */
struct spec_group {
	uint32_t replicas;
	bool service;
	struct resources request; /* of one task */
	struct blob *script;      /* counted; NULL: the job's */
};

/* A packed JobSpec, shared by every job that asked for the same, and what is needed often. */
struct spec {
	uint8_t hash[HASH_SIZE];
	uint32_t refs;
	uint32_t len;
	uint8_t *packed;
	struct blob *script, *env; /* counted; NULL: none */
	uint32_t tasks, least;     /* of an element; the fewest that it starts with */
	uint32_t throttle;
	int32_t priority;
	int64_t grace_ms;
	struct resources request;  /* of one task; of several groups, of the first */
	struct spec_group *groups; /* NULL: one, of which all is said here */
	size_t group_count;
	uint8_t on_task_failure; /* enum TaskFailure */
	uint32_t per_member;     /* tasks that share a node */
	bool array, no_requeue, no_fence, exclusive, distinct;
	uint32_t max_requeues; /* 0: as armada.conf says */
	int64_t lease_s;       /* 0: as its queue or armada.conf says */
	bool first_alone;      /* rank 0 runs the program, the others stand by */
	const char *queue, *job_set, *name, *priority_class; /* own copies */
	struct gang_spec *gang;             /* NULL: of none */
	UT_hash_handle hh;
};

/* A spec as unpacked into the arena of an input: one listing asks for the same many times. */
struct opened_spec {
	const struct spec *spec; /* NULL: none */
	const Armada__JobSpec *message;
};

/* Who submitted: uid, gid, name and groups as they were then. */
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

#endif
