/*
 * Clients: the requests of users and their replies. All requests are sent through sim_client_ask;
 * user.h decides which.
 */
#pragma once

#include "asim/storm/storm.h"
#include "core/core.h"

enum { SIM_DEPS = 3 };

struct sim_job {
	uint8_t key[16];
	uint64_t id; /* 0: not acknowledged */
	uint32_t elements, tasks, least, cpus;
	const char *queue, *class_name;
	bool exclusive, exclusive_user, scavenge, no_requeue, stubborn, no_fence;
	int64_t lease_s;
	uint32_t first,
		/* tasks of the first of two groups, and their cpus; 0: there is one group */
		first_cpus;
	bool service;                /* the first group is a service */
	uint32_t policy;             /* enum TaskFailure */
	uint32_t minima[SIM_GROUPS]; /* of the groups; 0: none */
	bool own_policy;             /* the second group has a rule of its own */
	uint32_t second_policy;
	bool elastic;
	int32_t elastic_signal;
	uint32_t gang, members, least_members; /* number of the gang of jobs; 0: none */
	const char *name;
	Armada__Dependency deps[SIM_DEPS];
	size_t dep_count;
	bool dep_any;
	int64_t begin_us; /* wall clock; 0: at once */
	uint32_t throttle;
	/* the user got a reply that all elements are cancelled: none may be leased again */
	bool cancelled;
	int tries;
	uint8_t *ended; /* state by element, 0: none */
};

/* The job of this submission. NULL: unknown. */
const struct sim_job *sim_client_find(const struct storm *s, const Armada__JobSubmitted *m);
bool sim_client_is_over(const struct sim_job *j);
/* Every second single job belongs to bob, the others to ann. */
const char *sim_client_user(const struct storm *s, uint64_t number);
/* Send the request if the controller is up. The reply goes to job `number`; SIM_JOBS: to none. */
void sim_client_ask(struct storm *s, uint32_t number, enum msg_type type, const void *message);
void sim_client_reply(struct storm *s, const struct sim_event *ev);
/*
 * A row of the history, repeated after every restart: each element has one end, which never
 * changes.
 */
void sim_client_history(struct storm *s, const struct armada_history_row *row);
