/*
 * The controller as a deterministic state machine.
 *
 * One call takes one input and yields one output: the log record that the input causes (if it
 * changed anything) and the effects that must follow. The core does no I/O, reads no clock, draws
 * no randomness and starts no thread. Its shell makes the record durable before it lets any of the
 * effects out, in order; effects of an output without a record wait for the records before them.
 *
 * Everything the core knows is a fold over the records (core/fold.h); core_input decides, the fold
 * applies. What is not durable by intent (connections, waiters, reasons of waiting jobs, steady
 * times) is in the core but not in its snapshot or hash.
 */
#ifndef CORE_CORE_H
#define CORE_CORE_H

#include "conf/compare.h"
#include "core/policy.h"
#include "proto/msg.h"
#include "proto/order.h"
#include "sched/explain.h"
#include "util/arena.h"
#include "util/buf.h"
#include "util/err.h"
#include "util/rangeset.h"
#include <armada/state.h>

struct core;

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
	const struct conf_changes *changes; /* POLICY: what the file says otherwise; NULL: nothing */
	bool dry_run;                       /* POLICY: say what would change, and change nothing */
	const char *node, *text;            /* FENCED */
	uint64_t fence_seq;
	bool fenced;
	const char *host;    /* BEGIN: this machine */
	const char *release; /* BEGIN */
};

enum effect_kind {
	EFFECT_SEND = 1,    /* conn, request, type, body */
	EFFECT_ORDER = 2,   /* conn, order (to be signed), body: packed TaskBody or empty */
	EFFECT_CLOSE = 3,   /* conn, text */
	EFFECT_HISTORY = 4, /* row, job or shares: to be written behind */
	EFFECT_FIND = 5, /* conn, request: answer from the history; message: HistoryRequest body */
	EFFECT_SHOW =
		6, /* conn, request, job: ShowJob from the history; wait: WaitJob; ask: Explain */
	EFFECT_RECONFIGURE = 7, /* conn, request, dry_run: read armada.conf, then INPUT_POLICY */
	EFFECT_SHUTDOWN = 8,
	EFFECT_LOG = 9, /* level, text: for the shell's log */
	/* conn, request, ask, viewer_uid: have it explained, then INPUT_EXPLAINED */
	EFFECT_EXPLAIN = 10,
	/*
	 * conn, request, type, body: look up past_jobs in the history, then give the message again as
	 * INPUT_MESSAGE of the same caller, with what was found of each. An error is answered instead.
	 */
	EFFECT_PAST = 11,
	/* text: node, fence_seq: prove its power off, then INPUT_FENCED with both */
	EFFECT_FENCE = 12,
	EFFECT_SHARES = 15, /* conn, request: answer from the history; body: SharesRequest */
	/*
	 * conn, request, type, body: look names up, then give the message again as INPUT_MESSAGE of the
	 * same caller with the answers. core/names.h.
	 */
	EFFECT_NAMES = 13,
};

struct effect {
	enum effect_kind kind;
	uint64_t conn;
	uint32_t request;
	enum msg_type type;
	const uint8_t *body;
	size_t len;
	struct order order;
	struct armada_history_row *row;
	struct armada_history_job *history_job;
	const struct armada_history_share *shares;
	size_t share_count;
	uint64_t needs; /* SEND: it tells of no record above; 0: of any before it */
	uint64_t job;
	const uint64_t *past_jobs;
	size_t past_count;
	const struct core_name *names; /* NAMES: group and name of each */
	size_t name_count;
	struct explain_ask ask; /* of EXPLAIN; SHOW: its job is 0 unless it is to be explained */
	bool wait, with_script, with_env;
	bool dry_run;        /* RECONFIGURE */
	uint32_t viewer_uid; /* SHOW: script and environment are for the job's owner */
	bool viewer_admin;   /* ... and for administrators only */
	const struct core_viewer
		*viewer; /* FIND, SHOW, PAST: others' jobs are not there; NULL: all are */
	int level;
	const char *text;
	uint64_t fence_seq;
};

/* Borrowed from the core until the next core_input. */
struct output {
	const uint8_t *record; /* packed Record, NULL: nothing changed */
	size_t record_len;
	uint64_t seq;                  /* of the record */
	const Armada__Record *decoded; /* the same, for the scheduler's mirror */
	const struct effect *effects;
	size_t effect_count;
	uint64_t needs;   /* the effects tell of no record above and may leave then; 0: they wait */
	bool wants_round; /* something changed that a scheduling round might use */
	bool unfinished;  /* more is to be done than one record should hold: a TICK soon does it */
};

struct core *core_new(const struct core_policy *policy);
void core_free(struct core *c);

/*
 * Before INPUT_BEGIN: the chunks of a snapshot, then records in order. A bad record is an error
 * with its sequence in err. core_replay also yields, through core_input's output conventions, the
 * history rows that the record caused (for records above the history's own sequence).
 */
int core_restore(struct core *c, const void *chunk, size_t len, struct err *err);
int core_replay(struct core *c, const void *record, size_t len, struct output *ret_output,
		struct err *err);

void core_input(struct core *c, const struct input *in, struct output *ret_output);

uint64_t core_seq(const struct core *c);   /* of the last record */
uint64_t core_epoch(const struct core *c); /* 0 before INPUT_BEGIN */
const uint8_t *core_cluster_id(const struct core *c);
/* A new cluster: before INPUT_BEGIN, on a core without records. */
void core_set_cluster(struct core *c, const uint8_t cluster_id[16]);

/*
 * The durable state as chunks for armada_state_ops.snapshot: on_chunk is called for each. The same
 * state gives the same bytes.
 */
void core_snapshot(const struct core *c, void (*on_chunk)(void *arg, const void *data, size_t len),
		   void *arg);
/* BLAKE2b-256 of the snapshot: equal states have equal hashes. */
void core_hash(const struct core *c, uint8_t ret_hash[32]);
/* Bring a fresh mirror up to date with this state; later records follow through mirror_apply. */
struct mirror;
void core_fill_mirror(const struct core *c, struct mirror *m);

/* Nothing waits and nothing runs. */
bool core_idle(const struct core *c);
/* Every rule that must hold between inputs (I3, I4, I6, I7); 0 or -EINVAL with the breach in err. */
int core_check(const struct core *c, struct err *err);

#endif
