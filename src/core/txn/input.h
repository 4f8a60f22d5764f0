/*
 * What the controller's shell gives the core: one input a call, with the time, and whatever the shell
 * had to look up for it. Everything is borrowed for the length of the call.
 */
#pragma once

#include "conf/compare.h"
#include "core/txn/policy.h"
#include "sched/explain.h"
#include "util/rangeset.h"

/* Who sent a message, as the shell proved and looked up. */
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
};

enum input_kind {
	INPUT_BEGIN = 1,     /* once, after replay: this controller takes the lead */
	INPUT_MESSAGE = 2,   /* conn, request, type, message, caller */
	INPUT_CLOSED = 3,    /* conn is gone */
	INPUT_TICK = 4,      /* at least every second */
	INPUT_DECISIONS = 5, /* of a scheduling round */
	INPUT_POLICY = 6,    /* reconfigured: policy; conn and request if somebody waits for it */
	INPUT_EXPLAINED = 7, /* the scheduler's answer to EFFECT_EXPLAIN: conn, request, ask */
	/* what came of EFFECT_FENCE: node, fence_seq, fenced: its power is off; text: why not */
	INPUT_FENCED = 8,
};

/* What became of a job that has left memory, as the history tells it. */
struct core_past {
	uint64_t job;
	bool known, array;
	struct rangeset elements; /* all it had; of what is no array: 0 */
	struct rangeset bad;      /* those that did not COMPLETE */
	int64_t start_us;         /* when the last of them began; 0: none did */
};

/* A user or a group that a request names, as the shell looked it up. */
struct core_name {
	bool group; /* else a user */
	const char *name;
	/* the answer; neither: there is none of that name */
	bool known, failed;        /* failed: it could not be looked up */
	uint32_t id;               /* uid or gid */
	const uint32_t *gids;      /* of a user */
	const char *const *groups; /* names of gids */
	size_t gid_count;
};

/* Whose jobs somebody sees in a private cluster: their own, and all of some queues. */
struct core_viewer {
	uint32_t uid;
	const char *user; /* NULL: the uid has no name */
	const char *const *queues;
	size_t queue_count;
};

/* What is to be explained: a job's waiting part, or one element. */
struct explain_ask {
	uint64_t job;
	bool has_element;
	uint32_t element;
	uint64_t as; /* what the scheduler knows it by: the first job of its gang of jobs */
	bool hides;  /* other jobs are not named to who asks */
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
	size_t from, upto; /* DECISIONS: of its decisions and then its reasons; upto 0: all */
	uint64_t round;    /* DECISIONS: its number, when it began (wall) and how long it took */
	int64_t round_start_us, round_took_us;
	struct explain_ask ask;
	const struct sched_explanation *explanation; /* EXPLAINED; NULL: the job does not wait */
	const struct core_past
		*past; /* MESSAGE, given again after EFFECT_PAST; NULL: the first time */
	size_t past_count;
	const struct core_name *names; /* MESSAGE, given again after EFFECT_NAMES */
	size_t name_count;
	const struct core_policy *policy;
	const struct conf_changes
		*changes;        /* POLICY: what the file says otherwise; NULL: nothing */
	bool dry_run;            /* POLICY: say what would change, and change nothing */
	const char *node, *text; /* FENCED */
	uint64_t fence_seq;
	bool fenced;
	const char *host;    /* BEGIN: this machine */
	const char *release; /* BEGIN */
};
