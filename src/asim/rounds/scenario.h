/*
 * A scenario: the document that `asim rounds` plays.
 *
 * The whole document is checked before the first round: names are resolved to indices, entries with
 * a count are expanded, gangs are assembled. It does not change while its rounds are played.
 */
#pragma once

#include "conf/conf.h"
#include "sched/sched.h"

struct scenario_node {
	const char *name;
	int64_t total[SCHED_RESOURCES];
	struct sched_label *labels;
	struct sched_taint *taints;
	size_t label_count, taint_count;
	bool cordoned;
};

struct scenario_class {
	const char *name;
	int64_t priority;
	bool fair_share_preemptible, urgency_preemptible;
	struct sched_fraction limit;
};

struct scenario_queue {
	const char *name;
	double factor;
	bool cordoned;
	struct sched_fraction limit;
	struct sched_class_limit *class_limits;
	size_t class_limit_count;
	struct quota quota, user_quota; /* of all its jobs; of those of each user in it */
};

struct scenario_gang {
	const char *id, *uniformity, *user, *account;
	uint32_t queue, cardinality, min;
	bool scavenge;
	uint32_t members; /* in the whole document */
};

enum { NONE = UINT32_MAX };

/* The properties that the jobs of one entry share. */
struct scenario_shape {
	uint32_t queue, class, gang;     /* gang NONE: a single job */
	const char *user, *account;      /* NULL: none */
	int64_t priority, time_limit_us; /* 0: no limit */
	bool scavenge;                   /* all others displace it */
	int64_t request[SCHED_RESOURCES];
	int64_t licenses[SCHED_RESOURCES]; /* of floating resources; not in request */
	struct sched_selector *selectors;
	struct sched_toleration *tolerations;
	size_t selector_count, toleration_count;
};

struct scenario_job {
	const char *id;
	const struct scenario_shape *shape;
	uint32_t node; /* its node at the beginning; NONE: it does not run */
};

enum scenario_act { ACT_FINISH, ACT_CANCEL, ACT_REMOVE_NODE, ACT_CORDON, ACT_UNCORDON, ACTS };

struct scenario_round {
	int64_t advance_us;
	uint32_t first_job, job_count; /* submitted */
	uint32_t *acts[ACTS];          /* jobs or nodes */
	size_t act_counts[ACTS];
	int64_t *floating; /* other totals of floating resources from now on; NULL: the same */
};

enum { POLICIES = 4 };

struct scenario {
	struct arena *arena;
	struct conf
		*conf; /* what the document does not say: the file of --config, or the defaults */
	bool sited;    /* it is the file of --config */
	const char *resources[SCHED_RESOURCES];
	size_t resource_count;
	uint32_t floats; /* a bit for each resource of the cluster; the others are of nodes */
	int64_t floating[SCHED_RESOURCES];
	const char *plugin_dir;
	struct plugin plugins[POLICIES]; /* fairness, order, preempt, select */
	struct sched_limits limits;
	struct quota user_quota;  /* of each user in all queues, except for these */
	struct sched_user *users; /* by name */
	struct sched_account *accounts;
	size_t user_count, account_count;
	bool drop_queued;
	struct scenario_node *nodes;
	struct scenario_class *classes;
	struct scenario_queue *queues;
	struct scenario_gang *gangs;
	struct scenario_job *jobs; /* first the running ones, then in order of submission */
	struct scenario_round *rounds;
	size_t node_count, class_count, queue_count, gang_count, job_count, running_count;
	size_t round_count, gang_cap, job_cap;
};

/* Where the rest of a scenario comes from. */
struct scenario_source {
	const char *config;     /* armada.conf; NULL: the document replaces its defaults */
	const char *plugin_dir; /* NULL: that of the configuration */
};

/* Read and check a document; the text of err has the path in it. */
int scenario_load(struct scenario *sc, const char *file, const struct scenario_source *from,
		  struct err *err);
/* The same from memory. */
int scenario_parse(struct scenario *sc, const char *text, size_t len,
		   const struct scenario_source *from, struct err *err);
void scenario_done(struct scenario *sc);
