/*
 * Inputs of the ledger by name, signed orders for them, and the effects of the ledger as text.
 */
#include "unit/agent/ledger_rig.h"

#include <string.h>

const struct ledger_meta meta0 = {.node_id = {1},
				  .spool_id = {2},
				  .cluster_id = {3},
				  .epoch = 5,
				  .floor = 10,
				  .boot_id = "b"};
const struct ledger_check allowed = {.allowed = true};
const struct ledger_check refused = {.why = "no such user"};
const struct task_key key1 = {.job = 812, .element = 7, .rank = 1, .attempt = 3};

void out_clear(struct out *o)
{
	if (!o->e.arena)
		o->e.arena = arena_new(0);
	arena_clear(o->e.arena);
	o->e.list = NULL;
	o->e.count = o->e.cap = 0;
	buf_clear(&o->words);
}

void out_done(struct out *o)
{
	arena_free(o->e.arena);
	buf_done(&o->words);
}

const char *words(struct out *o)
{
	static const char *const names[] = {
		[LEDGER_WRITE_META] = "META",   [LEDGER_WRITE_ACCEPT] = "ACCEPT",
		[LEDGER_WRITE_END] = "END",     [LEDGER_START] = "START",
		[LEDGER_KILL] = "KILL",         [LEDGER_FORGET] = "FORGET",
		[LEDGER_REPORT] = "REPORT",     [LEDGER_RELEASE] = "RELEASE",
		[LEDGER_STEP] = "STEP",         [LEDGER_LEASE] = "LEASE",
		[LEDGER_REBOOT] = "REBOOT",     [LEDGER_SIGNAL] = "SIGNAL",
		[LEDGER_SETTINGS] = "SETTINGS", [LEDGER_OUTPUT] = "OUTPUT",
	};

	buf_clear(&o->words);
	buf_addstr(&o->words, "");
	for (size_t i = 0; i < o->e.count; i++) {
		const struct ledger_effect *x = &o->e.list[i];

		buf_addf(&o->words, "%s%s", i ? " " : "", names[x->kind]);
		if (x->kind == LEDGER_REPORT)
			buf_addf(&o->words, "%d", (int)x->report->kind);
		else if (x->kind == LEDGER_KILL)
			buf_addf(&o->words, "(%u,%lld)", x->cause, (long long)x->grace_ms);
	}
	return o->words.data ? (const char *)o->words.data : "";
}

struct order order_of(enum order_kind kind, const struct task_key *key, uint64_t seq)
{
	struct order o = {.kind = kind,
			  .cluster_id = {3},
			  .node_id = {1},
			  .epoch = 5,
			  .seq = seq,
			  .key = *key,
			  .cause = ARMADA__END_CAUSE__END_CANCELLED,
			  .grace_ms = 2000};

	order_boot("b", o.boot);
	return o;
}

const char *const what_names[] = {"launch",
				  "refused launch",
				  "kill",
				  "release",
				  "step",
				  "signal",
				  "settings",
				  "ready",
				  "started",
				  "ended",
				  "ended without record",
				  "acked",
				  "floor",
				  "epoch"};

void give(struct ledger *l, enum what what, const struct task_key *key, uint64_t seq, struct out *o)
{
	struct order launch = order_of(ORDER_LAUNCH, key, seq);
	struct order kill = order_of(ORDER_KILL, key, seq);
	struct order release = order_of(ORDER_RELEASE, key, seq);
	struct order step = order_of(ORDER_STEP, key, seq);
	struct order signal = order_of(ORDER_SIGNAL, key, seq);
	struct order settings = order_of(ORDER_SETTINGS, key, seq);
	struct order lease = order_of(ORDER_LEASE, key, seq);
	Armada__TaskEnd end = ARMADA__TASK_END__INIT;

	out_clear(o);
	end.cause = ARMADA__END_CAUSE__END_EXITED;
	end.exit_code = 7;
	end.start_us = 1000;
	switch (what) {
	case LAUNCH:
		ledger_order(l, &launch, &allowed, &o->e);
		break;
	case REFUSE:
		ledger_order(l, &launch, &refused, &o->e);
		break;
	case KILL:
		ledger_order(l, &kill, NULL, &o->e);
		break;
	case RELEASE:
		ledger_order(l, &release, &allowed, &o->e);
		break;
	case STEP:
		ledger_order(l, &step, &allowed, &o->e);
		break;
	case SETTINGS:
		settings.number = 7;
		ledger_order(l, &settings, &allowed, &o->e);
		break;
	case SIGNAL:
		signal.number = 1;
		ledger_order(l, &signal, &allowed, &o->e);
		break;
	case READY:
		ledger_ready(l, key, &o->e);
		break;
	case STARTED:
		ledger_started(l, key, 1000, &o->e);
		break;
	case ENDED:
	case ENDED_WRITE:
		ledger_ended(l, key, &end, what == ENDED_WRITE, &o->e);
		break;
	case ACKED:
		ledger_acked(l, key, &o->e);
		break;
	case FLOOR:
		lease.seq = lease.floor = seq + 1;
		lease.epoch = ledger_meta(l)->epoch;
		ledger_order(l, &lease, NULL, &o->e);
		break;
	case EPOCH:
		lease.seq = seq > ledger_meta(l)->floor ? seq : ledger_meta(l)->floor;
		lease.epoch = ledger_meta(l)->epoch + 1;
		ledger_order(l, &lease, NULL, &o->e);
		break;
	case WHATS:
		break;
	}
}

void reach(struct ledger *l, enum ledger_state state, struct out *o)
{
	static const enum what path[] = {LAUNCH, READY, STARTED, ENDED, ACKED};

	for (int i = 0; i < (int)state; i++)
		give(l, path[i], &key1, 20, o);
}
