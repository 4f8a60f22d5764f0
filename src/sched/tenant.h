/*
 * Users and what runs of theirs, in a queue (a tenant) and in all. Private to src/sched.
 *
 * A tenant is there while its user has jobs in its queue, a user while there are tenants or armada.conf
 * has limits for that name. Each job knows its tenant; queues have the same sums over all users.
 */
#ifndef SCHED_TENANT_H
#define SCHED_TENANT_H

#include "sched/sched.h"

/* What somebody's jobs use: elements that run, and what those ask for. */
struct use {
	int64_t running;
	int64_t amounts[SCHED_RESOURCES];
};
struct spending {
	struct use now;
	/* round: what it has started; of the round of this number */
	struct use started;
	uint32_t started_round;
	/* round: what was said last of whoever is too many, in the round of this number */
	uint32_t told_round, told_about;
	int64_t told_has, told_asks;
	const char *told;
};

/* A user, in all queues. */
struct user {
	char *name;
	uint32_t tenants;
	bool named;       /* armada.conf has limits for this one */
	struct most own;  /* those */
	struct most most; /* what holds: those, and for the rest everybody's */
	struct spending spending;
	uint32_t free_next; /* when the place is free */
};

/* A user in a queue, for as long as there are jobs. */
struct tenant {
	uint32_t queue, user;
	uint32_t jobs;
	struct spending spending;
	uint32_t free_next; /* when the place is free */
};

/* With a job more of it; NIL: nobody's. And less. */
uint32_t tenant_intern(struct sched *s, uint32_t queue, const char *user);
void tenant_release(struct sched *s, uint32_t tenant);
const char *tenant_name(const struct sched *s, uint32_t tenant);
/* What runs of the job is so much more (1) or less (-1), for all whom limits may be for. */
void tenant_spend(struct sched *s, uint32_t job, const int64_t *amounts, int sign);
void tenant_count(struct sched *s, uint32_t job, int64_t elements);
/* What a vacancy asks for is its element's own, from when it waits (1) until it is gone (-1). */
void tenant_vacancy(struct sched *s, uint32_t job, int sign);
/* Whose lane its jobs stand in. */
uint32_t tenant_who(const struct sched *s, uint64_t id, uint32_t queue, uint32_t tenant);
/* The users' limits of the whole cluster. */
void users_limit(struct sched *s, const struct sched_config *config);
void users_done(struct sched *s);

#endif
