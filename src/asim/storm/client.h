/*
 * Clients: what users asked for, and what they were told. Requests leave through sim_client_ask;
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
	bool exclusive, no_requeue, stubborn, no_fence;
	int64_t lease_s;
	uint32_t first,
		first_cpus; /* tasks of the first of two groups, and their cpus; 0: there is one */
	bool service;       /* the first group is one */
	uint32_t policy;    /* enum TaskFailure */
	uint32_t gang, members, least_members; /* of a gang of jobs: its number; 0: of none */
	const char *name;
	Armada__Dependency deps[SIM_DEPS];
	size_t dep_count;
	bool dep_any;
	int64_t begin_us; /* wall clock; 0: at once */
	uint32_t throttle;
	bool cancelled; /* its user was told that all of it is: nothing of it may be leased again */
	int tries;
	uint8_t *ended; /* state by element, 0: none */
};

/* Whose submission this was. NULL: not known. */
const struct sim_job *sim_client_find(const struct storm *s, const Armada__JobSubmitted *m);
bool sim_client_is_over(const struct sim_job *j);
/* Every other job that is alone is bob's, the rest is ann's. */
const char *sim_client_user(const struct storm *s, uint64_t number);
/* Sent if there is a controller; its answer goes to job `number`, SIM_JOBS: to nobody. */
void sim_client_ask(struct storm *s, uint32_t number, enum msg_type type, const void *message);
void sim_client_reply(struct storm *s, const struct sim_event *ev);
/* What the history is told, again after every restart: one end for each element, for ever. */
void sim_client_history(struct storm *s, const struct armada_history_row *row);
