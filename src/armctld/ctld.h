/*
 * The controller's shell: everything that has a clock, a disk, a socket or a thread, around the
 * core that has none.
 *
 * The core is touched by the loop's thread alone. An input goes in through ctld_input; its record
 * goes to the scheduler's mirror and to the commit, its effects leave through effect_out once the
 * record is durable.
 */
#ifndef ARMCTLD_CTLD_H
#define ARMCTLD_CTLD_H

#include "armctld/callers.h"
#include "armctld/commit.h"
#include "armctld/faults.h"
#include "armctld/fence.h"
#include "armctld/history.h"
#include "armctld/orderkey.h"
#include "armctld/plugins.h"
#include "armctld/policy.h"
#include "armctld/pool.h"
#include "armctld/rounds.h"
#include "armctld/sessions.h"

struct event;
struct event_base;

enum { SIGNALS = 3 };

struct ctld {
	const char *conf_file; /* as given; NULL: the installed one */
	bool level_given;      /* the command line chose the log level */
	struct conf *conf;     /* in force */
	struct conf *boot;     /* started with: what was opened then borrows from it */
	struct policy *policy;
	struct plugins plugins;
	const struct armada_auth_ops *auth;
	void *auth_handle;
	const struct armada_state_ops *state;
	void *state_handle;
	struct armada_state_info found; /* when the state was opened */
	struct order_key key;
	char host[256];

	struct event_base *base;
	struct event *tick, *again, *signals[SIGNALS], *drain;
	struct core *core;
	struct pool *pool;
	struct callers *callers;
	struct history *history;
	struct commit *commit;
	struct rounds *rounds;
	struct faults faults; /* of the scheduler's plugins */
	struct sessions *sessions;
	struct fences *fences;

	uint64_t snapshot_seq; /* of the last snapshot taken */
	bool reloading, stopping;
	struct lookup *lookups, *last_lookup; /* names.c: the first is under way, the rest wait */
	unsigned lookup_count;
	int64_t stop_by_us; /* steady */
};

/* startup.c: from the configuration to READY=1. On failure everything is released again. */
int ctld_start(struct ctld *c, const char *conf_file, struct err *err);
void ctld_release(struct ctld *c);
/* replay.c: snapshot and log into the core. */
int ctld_replay(struct ctld *c, struct err *err);

/* ctld.c */
void ctld_run(struct ctld *c);
void ctld_input(struct ctld *c, struct input *in);
/* The state is big enough, or it is the end: keep a snapshot of it. */
void ctld_snapshot(struct ctld *c);
/* Answer what is under way, keep a snapshot, then leave the loop. */
void ctld_stop(struct ctld *c, const char *why);
int ctld_start_rounds(struct ctld *c, struct err *err);
/* Another configuration for the scheduler. Takes next; on failure nothing has changed. */
int ctld_reconfigure_rounds(struct ctld *c, const struct conf *conf, const struct policy *policy,
			    struct plugins *next, struct err *err);
/* Would the scheduler take it? */
int ctld_try_rounds(const struct conf *conf, const struct policy *policy,
		    const struct plugins *next, struct err *err);
int64_t ctld_steady_us(void);
int64_t ctld_wall_us(void);

/* effects.c */
void effect_out(struct ctld *c, const struct effect *e);

/* introduce.c: Registered, completed with the credential of the order key. */
void introduce(struct ctld *c, const struct effect *e);

/* reload.c: armada.conf again; dry_run: what would change. conn 0: nobody waits for the answer. */
void ctld_reload(struct ctld *c, uint64_t conn, uint32_t request, bool dry_run);

/* setup.c: the modes that are not the daemon; each returns an exit code. */
int setup_init(const char *conf_file);
int setup_check(const char *conf_file);
int setup_show(const char *conf_file);
/* The uid that the configuration names must be ours. */
int setup_check_user(const struct conf *conf, const struct policy *policy, struct err *err);

#endif
