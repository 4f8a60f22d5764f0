/*
 * The inputs of the core. The controller's shell gives it one input in each call, with the time and
 * the data that the shell had to look up for it. Everything is borrowed for the length of the call.
 */
#pragma once

#include "conf/compare.h"
#include "core/state/token.h"
#include "core/txn/policy.h"
#include "sched/explain.h"
#include "sched/trial.h"
#include "util/rangeset.h"
#include <armada/replica.h>

/* The sender of a message, as the shell authenticated it and looked it up. */
struct caller {
	enum role role;
	uint32_t uid, gid;
	const char *user; /* NULL: the uid has no name here */
	const uint32_t *gids;
	size_t gid_count;
	const char *const *groups; /* names of gids */
	size_t group_count;
	const char *address; /* of the peer */
	const char *host;
	const struct token_scope *scope; /* of its token; NULL: it authenticated itself */
};

enum input_kind {
	INPUT_BEGIN = 1,     /* once, after replay: this controller becomes the active one */
	INPUT_MESSAGE = 2,   /* conn, request, type, message, caller */
	INPUT_CLOSED = 3,    /* the connection is closed */
	INPUT_TICK = 4,      /* at least every second */
	INPUT_DECISIONS = 5, /* the decisions of a scheduling round */
	INPUT_POLICY = 6,    /* reconfigured: policy; conn and request if a client waits for it */
	INPUT_EXPLAINED = 7, /* the scheduler's answer to EFFECT_EXPLAIN: conn, request, ask */
	/* the result of EFFECT_FENCE: node, fence_seq, fenced: its power is off; text: why not */
	INPUT_FENCED = 8,
	/* the scheduler's answer to EFFECT_EXPLAIN with a body: conn, request, ask, text, trial */
	INPUT_TRIED = 9,
	/* what others use of a floating resource: resource, outside; text: why it is not known */
	INPUT_FLOATING = 10,
	/* the set of copies has another version: copies; conn, request, text: the administrator asked */
	INPUT_COPIES = 11,
};

/* The result of a job that has left memory, from the history. */
struct core_finished_job {
	uint64_t job;
	bool known, array;
	struct rangeset elements; /* all its elements; without an array: 0 */
	struct rangeset bad;      /* elements that did not COMPLETE */
	int64_t start_us;         /* when the last of them started; 0: none did */
	/*
	 * by_element: instead of the results, the end of this element and the specification of the job,
	 * both in arena. NULL: the element has not ended.
	 */
	bool by_element;
	uint32_t element;
	const Armada__JobRow *row;
	const Armada__JobSpec *spec;
	struct arena *arena;
};

/* A user or a group that a request names, as the shell looked it up. */
struct core_name {
	bool group; /* false: a user */
	const char *name;
	/* The answer. Neither flag: no user or group of that name. */
	bool known, failed;        /* failed: the lookup failed */
	uint32_t id;               /* uid or gid */
	const uint32_t *gids;      /* groups of a user */
	const char *const *groups; /* names of gids */
	size_t gid_count;
};

/*
 * The jobs that a caller sees in a private cluster: the caller's own, and all jobs of some queues.
 */
struct core_viewer {
	uint32_t uid;
	const char *user; /* NULL: the uid has no name */
	const char *const *queues;
	size_t queue_count;
};

/* The subject of an explanation: the waiting part of a job, or one element. */
struct explain_ask {
	uint64_t job;
	bool has_element;
	uint32_t element;
	uint64_t as;  /* id in the scheduler: the first job of its gang of jobs */
	bool hides;   /* do not name other jobs to the caller */
	uint32_t uid; /* of the caller */
};

struct input {
	enum input_kind kind;
	int64_t wall_us;
	int64_t steady_us; /* never stored */
	uint64_t conn;
	uint32_t request;
	const struct caller *caller;
	enum msg_type type;
	const void *message; /* borrowed for the call */
	const struct sched_result *decisions;
	/* DECISIONS: the part to handle, decisions first, then reasons; upto 0: all */
	size_t from, upto;
	uint64_t round; /* DECISIONS: number, start (wall) and duration of the round */
	int64_t round_start_us, round_took_us;
	struct explain_ask ask;
	const struct sched_explanation *explanation; /* EXPLAINED; NULL: the job does not wait */
	const struct sched_trial *trial;             /* TRIED; NULL: a plugin failed */
	const struct core_finished_job
		*past; /* MESSAGE, given again after EFFECT_FINISHED_JOBS; NULL: the first time */
	size_t finished_count;
	const struct core_name *names; /* MESSAGE, given again after EFFECT_NAMES */
	size_t name_count;
	/* MESSAGE of a step: connections of nodes with so many unsent orders that they take no step */
	const uint64_t *busy;
	size_t busy_count;
	const struct core_policy *policy;
	const struct conf_changes
		*changes; /* POLICY: how the new file differs; NULL: no difference */
	bool dry_run;     /* POLICY: only report the changes */
	const char *node; /* FENCED */
	const char *
		text; /* FENCED, FLOATING, COPIES; TICK: a fault of this machine; NULL or "": none */
	const char *resource;                       /* FLOATING */
	const struct armada_replica_copies *copies; /* COPIES */
	int64_t outside;
	uint64_t fence_seq;
	bool fenced;
	int log_jobs; /* the least important level of lines about jobs that the log wants; 0: none */
	const char *host;    /* BEGIN: this machine */
	const char *release; /* BEGIN */
	uint64_t epoch;      /* BEGIN: the one that the state's engine gave; 0: the next */
};
