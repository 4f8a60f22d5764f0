/*
 * A controller: the threads of armctld around the plugin, as in src/armctld/replica.c, commit.c and
 * standby.c. Its records say only which submission they are.
 */
#pragma once

#include "asim/replicated/peer_marks.h"
#include "asim/replicated/truth.h"
#include "asim/replicated/world.h"

#include <armada/state.h>

/* What a controller has folded. */
struct fold {
	uint64_t seq, epoch;
	uint64_t of_key[KEYS_MAX]; /* the record of a submission; 0: none */
};

struct record {
	uint64_t epoch, key; /* key 0: the first record of a leader */
};

struct controller {
	struct world *world;
	int number;
	const struct armada_state_ops *ops;
	const struct armada_option_value *values;
	char dir[128];
	double rate; /* of its clock */
	int64_t offset_us;
	/* of the process: */
	bool alive, paused;
	bool ends;     /* at once, as by SIGKILL or _exit */
	bool stopping; /* gives the lead up */
	bool interrupted, side_done;
	int64_t rests_us; /* before it starts again */
	int heir;
	void *handle;
	struct task *main, *side;
	struct fold fold;
	struct record records[SEQ_MAX]; /* from given_from on */
	uint64_t given_from;
	bool named;         /* it has announced itself */
	int64_t answers_us; /* since when it answers other controllers without a pause; 0: it does not */
	bool refuses; /* a standby: the store lacks records, and it tells others what it knows */
	struct peer_marks marks;
	bool holds;      /* the lead ... */
	int64_t held_us; /* ... since then */
	bool acts;       /* its first record is on all copies */
	uint64_t led;
	int64_t lease_us;
	uint64_t queue[KEYS_MAX]; /* submissions that are not appended */
	size_t queued;
	bool pending[KEYS_MAX];
	uint64_t snapshot_seq, history_seq, set_version;
};

void controllers_init(struct world *w, const struct armada_state_ops *ops,
		      const struct armada_option_value *values, const char *dir);
void controllers_done(struct world *w);
int64_t controller_clock_us(const struct controller *c);
/* A time of its clock in virtual time. */
int64_t controller_span_us(const struct controller *c, int64_t us);
void controller_kill(struct world *w, struct controller *c);
void controller_pause(struct world *w, struct controller *c, bool on);
/* It gives the lead up; heir: -1 is any other one. */
void controller_resign(struct world *w, struct controller *c, int heir);
/* A message of a user. A stopped or dead controller does not answer. */
void controller_receive(struct world *w, struct controller *c, uint64_t key, bool submits);
/* It tells other controllers what it knows as acknowledged. */
bool controller_answers(const struct controller *c);
/* Between tasks: the process ends, and starts again later. */
void controller_end(struct controller *c, int64_t rests_us, const char *why);
bool controller_leads(const struct controller *c);
