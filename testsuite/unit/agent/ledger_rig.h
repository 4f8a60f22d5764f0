/*
 * Shared by the tests of the ledger: a task key, inputs of the ledger by name, and its effects as
 * text.
 */
#pragma once

#include "agent/ledger.h"
#include "util/buf.h"

extern const struct ledger_meta meta0;
extern const struct ledger_check allowed, refused;
extern const struct task_key key1;

/* Effects, with an arena for them. Initialize it with zeros. */
struct out {
	struct ledger_effects e;
	struct buf words;
};

void out_clear(struct out *o);
void out_done(struct out *o);
/* The effects as text, such as "ACCEPT START REPORT(1)". Valid until the next call. */
const char *words(struct out *o);

struct order order_of(enum order_kind kind, const struct task_key *key, uint64_t seq);

enum what {
	LAUNCH,
	REFUSE,
	KILL,
	RELEASE,
	STEP,
	SIGNAL,
	SETTINGS,
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
/* Gives the ledger the inputs that lead to this state. */
void reach(struct ledger *l, enum ledger_state state, struct out *o);
