/*
 * What the tests of the ledger share: one key, and what is given to a ledger as words.
 */
#pragma once

#include "agent/ledger.h"
#include "util/buf.h"

extern const struct ledger_meta meta0;
extern const struct ledger_check allowed, refused;
extern const struct task_key key1;

/* Effects in an arena of their own. Zeroed to begin with. */
struct out {
	struct ledger_effects e;
	struct buf words;
};

void out_clear(struct out *o);
void out_done(struct out *o);
/* "ACCEPT START REPORT(1)": what followed. Borrowed until the next call. */
const char *words(struct out *o);

struct order order_of(enum order_kind kind, const struct task_key *key, uint64_t seq);

enum what {
	LAUNCH,
	REFUSE,
	KILL,
	RELEASE,
	STEP,
	SIGNAL,
	READY,
	STARTED,
	ENDED,
	ENDED_WRITE,
	ACKED,
	FLOOR,
	EPOCH,
	WHATS
};
extern const char *const what_names[];

void give(struct ledger *l, enum what what, const struct task_key *key, uint64_t seq,
	  struct out *o);
/* How each state is reached. */
void reach(struct ledger *l, enum ledger_state state, struct out *o);
