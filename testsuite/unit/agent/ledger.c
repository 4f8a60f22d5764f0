/*
 * The ledger of a node: a table of every state with every input, stale and invalid orders, the
 * floor, and loading from the spool. Crashes are tested in ledger_crash.c.
 */
#include "agent/report.h"
#include "tap/tap.h"
#include "unit/agent/ledger_rig.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

/* The expected effects and next states; a table that is independent of the table of the ledger. */
struct expect {
	enum ledger_state next;
	const char *words;
};
/* clang-format off */
static const struct expect expected[LEDGER_ACKED + 1][WHATS] = {
	[0] = {
		[LAUNCH] = {LEDGER_ACCEPTED, "ACCEPT START REPORT1"},
		[REFUSE] = {LEDGER_ENDED, "END REPORT3"},
		[KILL] = {LEDGER_ENDED, "END REPORT3"},
		[RELEASE] = {0, ""}, [STEP] = {0, ""},
		[SETTINGS] = {0, ""},
		[SIGNAL] = {0, ""}, [READY] = {0, ""},
		[STARTED] = {0, ""}, [ENDED] = {0, ""}, [ENDED_WRITE] = {0, ""}, [ACKED] = {0, ""},
		[FLOOR] = {0, "LEASE"}, [EPOCH] = {0, "META LEASE"},
	},
	[LEDGER_ACCEPTED] = {
		[LAUNCH] = {LEDGER_ACCEPTED, "REPORT1"}, [REFUSE] = {LEDGER_ACCEPTED, "REPORT1"},
		[KILL] = {LEDGER_ACCEPTED, "KILL(4,2000)"},
		[RELEASE] = {LEDGER_ACCEPTED, ""}, [STEP] = {LEDGER_ACCEPTED, ""},
		[SETTINGS] = {LEDGER_ACCEPTED, ""},
		[SIGNAL] = {LEDGER_ACCEPTED, ""},
		[READY] = {LEDGER_READY, "REPORT4"},
		[STARTED] = {LEDGER_STARTED, "REPORT2"},
		[ENDED] = {LEDGER_ENDED, "REPORT3"}, [ENDED_WRITE] = {LEDGER_ENDED, "END REPORT3"},
		[ACKED] = {LEDGER_ACCEPTED, ""},
		[FLOOR] = {LEDGER_ACCEPTED, "LEASE"}, [EPOCH] = {LEDGER_ACCEPTED, "META LEASE"},
	},
	[LEDGER_READY] = {
		[LAUNCH] = {LEDGER_READY, "REPORT4"}, [REFUSE] = {LEDGER_READY, "REPORT4"},
		[KILL] = {LEDGER_READY, "KILL(4,2000)"},
		[RELEASE] = {LEDGER_READY, "RELEASE"}, [STEP] = {LEDGER_READY, ""},
		[SETTINGS] = {LEDGER_READY, "SETTINGS"},
		[SIGNAL] = {LEDGER_READY, ""},
		[READY] = {LEDGER_READY, ""},
		[STARTED] = {LEDGER_STARTED, "REPORT2"},
		[ENDED] = {LEDGER_ENDED, "REPORT3"}, [ENDED_WRITE] = {LEDGER_ENDED, "END REPORT3"},
		[ACKED] = {LEDGER_READY, ""},
		[FLOOR] = {LEDGER_READY, "LEASE"}, [EPOCH] = {LEDGER_READY, "META LEASE"},
	},
	[LEDGER_STARTED] = {
		[LAUNCH] = {LEDGER_STARTED, "REPORT2"}, [REFUSE] = {LEDGER_STARTED, "REPORT2"},
		[KILL] = {LEDGER_STARTED, "KILL(4,2000)"},
		[RELEASE] = {LEDGER_STARTED, "REPORT2"}, [STEP] = {LEDGER_STARTED, "STEP"},
		[SETTINGS] = {LEDGER_STARTED, "SETTINGS"},
		[SIGNAL] = {LEDGER_STARTED, "SIGNAL"},
		[READY] = {LEDGER_STARTED, ""},
		[STARTED] = {LEDGER_STARTED, ""},
		[ENDED] = {LEDGER_ENDED, "REPORT3"}, [ENDED_WRITE] = {LEDGER_ENDED, "END REPORT3"},
		[ACKED] = {LEDGER_STARTED, ""},
		[FLOOR] = {LEDGER_STARTED, "LEASE"}, [EPOCH] = {LEDGER_STARTED, "META LEASE"},
	},
	[LEDGER_ENDED] = {
		[LAUNCH] = {LEDGER_ENDED, "REPORT3"}, [REFUSE] = {LEDGER_ENDED, "REPORT3"},
		[KILL] = {LEDGER_ENDED, "REPORT3"},
		[RELEASE] = {LEDGER_ENDED, "REPORT3"}, [STEP] = {LEDGER_ENDED, "REPORT3"},
		[SETTINGS] = {LEDGER_ENDED, "REPORT3"},
		[SIGNAL] = {LEDGER_ENDED, "REPORT3"},
		[READY] = {LEDGER_ENDED, ""},
		[STARTED] = {LEDGER_ENDED, ""},
		[ENDED] = {LEDGER_ENDED, ""}, [ENDED_WRITE] = {LEDGER_ENDED, ""},
		[ACKED] = {LEDGER_ACKED, ""},
		[FLOOR] = {LEDGER_ENDED, "LEASE"}, [EPOCH] = {LEDGER_ENDED, "META LEASE"},
	},
	[LEDGER_ACKED] = {
		[LAUNCH] = {LEDGER_ACKED, ""}, [REFUSE] = {LEDGER_ACKED, ""},
		[KILL] = {LEDGER_ACKED, ""},
		[RELEASE] = {LEDGER_ACKED, ""}, [STEP] = {LEDGER_ACKED, ""},
		[SETTINGS] = {LEDGER_ACKED, ""},
		[SIGNAL] = {LEDGER_ACKED, ""},
		[READY] = {LEDGER_ACKED, ""},
		[STARTED] = {LEDGER_ACKED, ""},
		[ENDED] = {LEDGER_ACKED, ""}, [ENDED_WRITE] = {LEDGER_ACKED, ""},
		[ACKED] = {LEDGER_ACKED, ""},
		[FLOOR] = {0, "LEASE META FORGET"}, [EPOCH] = {LEDGER_ACKED, "META LEASE"},
	},
};
/* clang-format on */

static void test_table(void)
{
	struct out o = {0};

	for (int state = 0; state <= LEDGER_ACKED; state++)
		for (int what = 0; what < WHATS; what++) {
			struct ledger *l = ledger_new(&meta0);

			reach(l, state, &o);
			is_int(ledger_find(l, &key1), state, "state %d is reached", state);
			give(l, what, &key1, 20, &o);
			is_str(words(&o), expected[state][what].words, "state %d, %s: effects",
			       state, what_names[what]);
			is_int(ledger_find(l, &key1), expected[state][what].next,
			       "state %d, %s: next", state, what_names[what]);
			is_int(ledger_stale_orders(l),
			       what <= SETTINGS && !expected[state][what].words[0],
			       "state %d, %s: dropped", state, what_names[what]);
			ledger_free(l);
		}
	out_done(&o);
}

static void test_stale_orders(void)
{
	struct ledger *l = ledger_new(&meta0);
	struct out o = {0};
	struct order bad[6];

	for (int i = 0; i < 6; i++)
		bad[i] = order_of(i & 1 ? ORDER_KILL : ORDER_LAUNCH, &key1, 20);
	bad[0].cluster_id[15] = 1;
	bad[1].node_id[0] = 9;
	bad[2].epoch = 4;
	bad[3].seq = 9;
	memset(bad[4].cluster_id, 0, 16);
	bad[5] = order_of(ORDER_LAUNCH, &key1, 20);
	order_boot("another boot", bad[5].boot);
	for (int i = 0; i < 6; i++) {
		out_clear(&o);
		ledger_order(l, &bad[i], &allowed, &o.e);
		is_str(words(&o), "", "stale order %d changes nothing", i);
		is_int(ledger_stale_orders(l), i + 1, "it is counted");
		is_int(ledger_count(l), 0, "it leaves no entry");
	}
	bad[0] = order_of(ORDER_LAUNCH, &key1, 20);
	bad[0].epoch = 6;
	out_clear(&o);
	ledger_order(l, &bad[0], &allowed, &o.e);
	is_str(words(&o), "META ACCEPT START REPORT1", "a newer epoch is made durable first");
	is_int(ledger_meta(l)->epoch, 6, "it is kept");
	ledger_free(l);
	out_done(&o);
}

/* An order with a valid signature can still be stale: for another boot, or of an old epoch. */
static void test_stale_releases(void)
{
	static const struct {
		enum order_kind kind;
		enum ledger_state state;
		const char *words;
	} kinds[] = {{ORDER_RELEASE, LEDGER_READY, "RELEASE"},
		     {ORDER_STEP, LEDGER_STARTED, "STEP"}};

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		struct ledger *l = ledger_new(&meta0);
		struct out o = {0};
		struct order bad[5];

		reach(l, kinds[k].state, &o);
		for (int i = 0; i < 5; i++)
			bad[i] = order_of(kinds[k].kind, &key1, 20);
		bad[0].cluster_id[15] = 1;
		bad[1].node_id[0] = 9;
		bad[2].epoch = 4;
		bad[3].seq = 9;
		order_boot("another boot", bad[4].boot);
		for (int i = 0; i < 5; i++) {
			out_clear(&o);
			ledger_order(l, &bad[i], &allowed, &o.e);
			is_str(words(&o), "", "kind %d: stale order %d changes nothing",
			       kinds[k].kind, i);
			is_int(ledger_stale_orders(l), i + 1, "it is counted");
		}
		for (int i = 0; i < 2; i++) {
			bad[0] = order_of(kinds[k].kind, &key1, 20);
			out_clear(&o);
			ledger_order(l, &bad[0], &allowed, &o.e);
			is_str(words(&o), kinds[k].words, "kind %d: a good one has its effect",
			       kinds[k].kind);
		}
		is_int(ledger_find(l, &key1), kinds[k].state,
		       "the state of the entry does not change");
		ledger_free(l);
		out_done(&o);
	}
}

/* A signal order differs from its copy only in its number, which increases within an epoch. */
static void test_signals(void)
{
	static const struct {
		uint64_t epoch, number;
		const char *words;
	} orders[] = {{5, 3, "SIGNAL"},      {5, 3, ""}, {5, 2, ""}, {5, 4, "SIGNAL"}, {5, 0, ""},
		      {6, 1, "META SIGNAL"}, {6, 1, ""}, {5, 9, ""}, {6, 2, "SIGNAL"}};
	struct ledger *l = ledger_new(&meta0);
	struct out o = {0};

	reach(l, LEDGER_STARTED, &o);
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		struct order x = order_of(ORDER_SIGNAL, &key1, 20);

		x.epoch = orders[i].epoch;
		x.number = orders[i].number;
		x.cause = 10 | ORDER_TO_FIRST;
		out_clear(&o);
		ledger_order(l, &x, &allowed, &o.e);
		is_str(words(&o), orders[i].words, "signal %llu of epoch %llu",
		       (unsigned long long)x.number, (unsigned long long)x.epoch);
		if (o.e.count == 1)
			is_int(o.e.list[0].cause, x.cause,
			       "the effect has the signal and its target");
	}
	is_int(ledger_find(l, &key1), LEDGER_STARTED, "the task continues");
	ledger_free(l);
	out_done(&o);
}

/* An output order needs no entry. Each number counts once in an epoch, apart from those of signals. */
static void test_outputs(void)
{
	static const struct {
		uint64_t epoch, seq, number;
		const char *words;
	} orders[] = {
		{5, 20, 3, "OUTPUT"},      {5, 20, 3, ""}, {5, 20, 2, ""}, {5, 20, 4, "OUTPUT"},
		{6, 20, 1, "META OUTPUT"}, {6, 20, 1, ""}, {5, 20, 9, ""}, {6, 1, 2, ""},
		{6, 20, 2, "OUTPUT"}};
	struct ledger_meta meta = meta0;
	struct order boot = order_of(ORDER_OUTPUT, &key1, 20);
	struct ledger *l;
	struct out o = {0};

	meta.floor = 10;
	l = ledger_new(&meta);
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		struct order x = order_of(ORDER_OUTPUT, &key1, orders[i].seq);

		x.epoch = orders[i].epoch;
		x.number = orders[i].number;
		out_clear(&o);
		ledger_order(l, &x, &allowed, &o.e);
		has_str(words(&o), orders[i].words, "output %zu", i);
		is_int(strstr(words(&o), "OUTPUT") != NULL,
		       strstr(orders[i].words, "OUTPUT") != NULL, "... is read, or not");
	}
	boot.number = 99;
	boot.epoch = 6;
	boot.boot[0] ^= 1;
	out_clear(&o);
	ledger_order(l, &boot, &allowed, &o.e);
	is_str(words(&o), "", "an order of another boot reads nothing");
	is_int((long long)ledger_count(l), 0, "no entry is made");
	ledger_free(l);
	out_done(&o);
}

/* Reports have the number of the settings that the shepherd has confirmed, the highest of them. */
static void test_settings(void)
{
	static const struct {
		uint64_t number, reported;
	} rows[] = {{7, 7}, {5, 7}, {9, 9}};
	struct order settings = order_of(ORDER_SETTINGS, &key1, 20);
	struct ledger *l = ledger_new(&meta0);
	struct out o = {0};

	reach(l, LEDGER_STARTED, &o);
	settings.number = 7;
	out_clear(&o);
	ledger_order(l, &settings, &allowed, &o.e);
	is_int((long long)o.e.list[0].number, 7, "the effect has the number of the order");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		out_clear(&o);
		ledger_settings(l, &key1, rows[i].number, &o.e);
		is_str(words(&o), "REPORT2", "confirmed settings are reported");
		is_int((long long)o.e.list[0].report->settings, (long long)rows[i].reported,
		       "the report has the highest number");
	}
	ledger_free(l);
	l = ledger_new(&meta0);
	reach(l, LEDGER_ENDED, &o);
	out_clear(&o);
	ledger_settings(l, &key1, 9, &o.e);
	is_str(words(&o), "", "a task that has ended confirms nothing");
	ledger_free(l);
	out_done(&o);
}

/* A refusal has the cause that the caller's check gives. */
static void test_refused_as(void)
{
	struct ledger_check leaving = {.why = "down", .cause = ARMADA__END_CAUSE__END_SHUTDOWN};
	struct order launch = order_of(ORDER_LAUNCH, &key1, 20);
	struct ledger *l = ledger_new(&meta0);
	struct out o = {0};

	out_clear(&o);
	ledger_order(l, &launch, &leaving, &o.e);
	is_str(words(&o), "END REPORT3", "an order is refused durably");
	is_int(o.e.list[1].report->end->cause, ARMADA__END_CAUSE__END_SHUTDOWN,
	       "the end has the cause of the check");
	is_int((long long)ledger_unacknowledged(l), 1, "the report is pending");
	give(l, ACKED, &key1, 20, &o);
	is_int((long long)ledger_unacknowledged(l), 0, "after its acknowledgement it is not");
	ledger_free(l);
	out_done(&o);
}

static void test_controller(void)
{
	static const uint8_t none[16], other[16] = {9};
	struct ledger_meta fresh = meta0;
	struct ledger *l;
	struct out o = {0};
	struct err err;

	memset(fresh.cluster_id, 0, 16);
	fresh.epoch = fresh.floor = 0;
	l = ledger_new(&fresh);
	give(l, LAUNCH, &key1, 20, &o);
	is_str(words(&o), "", "orders before the first contact have no effect");
	give(l, FLOOR, &key1, 20, &o);
	is_str(words(&o), "", "a lease order has none either");
	out_clear(&o);
	is_int(ledger_controller(l, none, &o.e, &err), -EPERM,
	       "a controller without a cluster id is refused");
	is_int(ledger_controller(l, meta0.cluster_id, &o.e, &err), 0,
	       "the first contact is accepted");
	is_str(words(&o), "META", "it is made durable");
	ok(memcmp(ledger_meta(l)->cluster_id, meta0.cluster_id, 16) == 0, "it sets the cluster");
	is_int(ledger_meta(l)->epoch, 0, "it does not set the epoch, which no order has named");
	out_clear(&o);
	is_int(ledger_controller(l, other, &o.e, &err), -EPERM,
	       "a controller of another cluster is refused");
	has_str(err.text, "another cluster", "the error says so");
	is_int(ledger_controller(l, meta0.cluster_id, &o.e, &err), 0,
	       "the same cluster is accepted");
	is_str(words(&o), "", "nothing is written");
	ledger_free(l);
	out_done(&o);
}

/* Epoch and floor come from signed orders for this node, and only rise, whatever is repeated. */
static void test_statements(void)
{
	static const struct task_key none;
	struct ledger *l = ledger_new(&meta0);
	struct order old = order_of(ORDER_LEASE, &none, 30), now = old, foreign = old;
	struct out o = {0};

	old.floor = 20;
	now.seq = now.floor = 40;
	now.epoch = 6;
	foreign.node_id[0]++;
	foreign.epoch = foreign.seq = foreign.floor = UINT64_MAX;
	out_clear(&o);
	ledger_order(l, &old, NULL, &o.e);
	is_int(ledger_meta(l)->floor, 20, "a lease order raises the floor");
	ledger_order(l, &now, NULL, &o.e);
	is_int(ledger_meta(l)->epoch, 6, "the next one raises the epoch");
	is_int(ledger_meta(l)->floor, 40, "and the floor");
	ledger_order(l, &old, NULL, &o.e);
	now.floor = 35;
	ledger_order(l, &now, NULL, &o.e);
	ledger_order(l, &foreign, NULL, &o.e);
	is_int(ledger_meta(l)->epoch, 6, "an old one and one for another node do not change it");
	is_int(ledger_meta(l)->floor, 40, "nor the floor");
	ledger_free(l);
	out_done(&o);
}

/*
 * A task that the controller does not know does not keep the floor low, and must still be ended.
 */
static void test_stray(void)
{
	struct ledger *l = ledger_new(&meta0);
	struct out o = {0};

	reach(l, LEDGER_STARTED, &o);
	give(l, FLOOR, &key1, 50, &o);
	give(l, LAUNCH, &key1, 20, &o);
	is_str(words(&o), "META", "a launch order below the floor is dropped");
	give(l, KILL, &key1, 20, &o);
	has_str(words(&o), "KILL", "a kill order ends a task below the floor");
	ledger_free(l);
	out_done(&o);
}

/* The floor is written when an entry or an order depends on it, and not before. */
static void test_floor(void)
{
	struct task_key k2 = key1, k3 = key1;
	struct ledger *l = ledger_new(&meta0);
	struct out o = {0};

	k2.rank = 2;
	k3.rank = 3;
	reach(l, LEDGER_ENDED, &o);
	give(l, FLOOR, &key1, 50, &o);
	is_str(words(&o), "LEASE", "an entry without acknowledgement is kept below the floor");
	give(l, ACKED, &key1, 20, &o);
	is_str(words(&o), "META FORGET", "the floor is durable before the entry is removed");
	is_int(ledger_count(l), 0, "the entry is removed");
	give(l, LAUNCH, &key1, 20, &o);
	is_str(words(&o), "", "a late copy of its order is dropped");
	give(l, LAUNCH, &k2, 60, &o);
	give(l, ENDED, &k2, 60, &o);
	give(l, ACKED, &k2, 60, &o);
	is_str(words(&o), "", "an acknowledged entry above the floor is kept");
	give(l, LAUNCH, &k3, 61, &o);
	give(l, ENDED, &k3, 61, &o);
	give(l, ACKED, &k3, 61, &o);
	give(l, FLOOR, &k3, 70, &o);
	is_str(words(&o), "LEASE META FORGET FORGET", "several entries are removed with one write");
	give(l, FLOOR, &k3, 80, &o);
	is_str(words(&o), "LEASE", "a floor without an effect is not written");
	give(l, LAUNCH, &key1, 75, &o);
	is_str(words(&o), "META", "it is written when it refuses an order");
	give(l, KILL, &key1, 75, &o);
	is_str(words(&o), "", "it is written once");
	ledger_free(l);
	out_done(&o);
}

static void test_load(void)
{
	static const struct {
		enum ledger_state state, next;
		bool end, same_boot;
		const char *words;
	} rows[] = {
		{LEDGER_ACCEPTED, LEDGER_ACCEPTED, false, true, ""},
		{LEDGER_READY, LEDGER_READY, false, true, ""},
		{LEDGER_READY, LEDGER_ENDED, false, false, "END"},
		{LEDGER_STARTED, LEDGER_STARTED, false, true, ""},
		{LEDGER_ACCEPTED, LEDGER_ENDED, false, false, "END"},
		{LEDGER_STARTED, LEDGER_ENDED, false, false, "END"},
		{LEDGER_ACCEPTED, LEDGER_ENDED, true, true, ""},
		{LEDGER_STARTED, LEDGER_ENDED, true, false, ""},
		{LEDGER_ENDED, LEDGER_ENDED, true, true, ""},
		{LEDGER_ENDED, LEDGER_ENDED, false, true, "END"},
		{LEDGER_ACKED, LEDGER_ACKED, true, false, ""},
	};
	struct out o = {0};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ledger *l = ledger_new(&meta0);
		Armada__TaskEnd end = ARMADA__TASK_END__INIT;

		end.cause = ARMADA__END_CAUSE__END_SIGNALED;
		out_clear(&o);
		ledger_load(l, &key1, 20, rows[i].state, 1000, rows[i].end ? &end : NULL,
			    rows[i].same_boot, &o.e);
		is_str(words(&o), rows[i].words, "load %zu: effects", i);
		is_int(ledger_find(l, &key1), rows[i].next, "load %zu: state", i);
		out_clear(&o);
		ledger_load(l, &key1, 21, LEDGER_ACCEPTED, 0, NULL, true, &o.e);
		is_int(ledger_count(l), 1, "load %zu: the same key again is ignored", i);
		ledger_inventory(l, &o.e);
		is_int(o.e.count, rows[i].next != LEDGER_ACKED, "load %zu: inventory", i);
		if (rows[i].next == LEDGER_ENDED)
			is_int(o.e.list[0].report->end->cause,
			       rows[i].end ? ARMADA__END_CAUSE__END_SIGNALED
					   : ARMADA__END_CAUSE__END_LOST,
			       "load %zu: cause", i);
		ledger_free(l);
	}
	out_done(&o);
}

static void test_report(void)
{
	struct ledger *l = ledger_new(&meta0);
	Armada__TaskEnd end = ARMADA__TASK_END__INIT;
	Armada__Usage usage = ARMADA__USAGE__INIT;
	CLEANUP_FREE char *text = xmalloc(4001);
	struct out o = {0};
	const Armada__Report *r;
	Armada__Report *copy;

	give(l, LAUNCH, &key1, 20, &o);
	for (int i = 0; i < 4000; i += 2)
		memcpy(text + i, "\xc3\xa9", 3);
	end.cause = ARMADA__END_CAUSE__END_EXITED;
	end.exit_code = 3;
	end.start_us = 1111;
	end.end_us = 2222;
	end.node_problem = (char *)"epilog: no";
	end.text =
		text + 1; /* begins inside a character, so that the cut is inside a character too */
	end.usage = &usage;
	usage.cpu_us = 42;
	out_clear(&o);
	ledger_ended(l, &key1, &end, false, &o.e);
	r = o.e.list[0].report;
	is_int((long long)r->key->job, 812, "job");
	is_int(r->key->element, 7, "element");
	is_int(r->key->rank, 1, "rank");
	is_int(r->key->attempt, 3, "attempt");
	is_int((long long)r->seq, 20, "seq of the order");
	is_int(r->start_us, 1111, "start");
	is_int(r->end->exit_code, 3, "exit code");
	is_int(r->end->end_us, 2222, "end");
	is_int(r->end->usage->cpu_us, 42, "usage");
	is_int((long long)strlen(r->end->text), 1023, "a long text is cut between characters");
	is_str(r->end->node_problem, "epilog: no", "the report has the problem of the node");
	copy = report_dup(r);
	is_str(copy->end->node_problem, "epilog: no", "a copy of the report has it too");
	ok(copy->end->node_problem != r->end->node_problem, "the copy has its own text");
	free(copy);
	ledger_free(l);
	out_done(&o);
}

/*
 * Orders for the node itself are protected against forgery and replay like orders for tasks.
 */
static void test_node_orders(void)
{
	static const enum order_kind kinds[] = {ORDER_LEASE, ORDER_REBOOT};
	static const char *const does[] = {"LEASE", "REBOOT"};
	static const struct task_key none;
	struct out o = {0};

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		struct ledger *l = ledger_new(&meta0);
		struct order good = order_of(kinds[k], &none, 20), bad[5];

		for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
			bad[i] = good;
		bad[0].cluster_id[0]++;
		bad[1].node_id[0]++;
		bad[2].epoch--;
		order_boot("another", bad[3].boot);
		bad[4].seq = 9;
		out_clear(&o);
		ledger_order(l, &good, &refused, &o.e);
		is_str(words(&o), does[k], "a %s order is carried out", does[k]);
		for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
			out_clear(&o);
			ledger_order(l, &bad[i], &allowed, &o.e);
			ok(!strstr(words(&o), does[k]), "invalid order %zu is not carried out", i);
		}
		is_int(ledger_stale_orders(l), ARRAY_SIZE(bad), "each of them is counted");
		give(l, LAUNCH, &key1, 30, &o);
		out_clear(&o);
		ledger_order(l, &good, &allowed, &o.e);
		is_str(words(&o), k ? "" : "LEASE", "a running task prevents a reboot only");
		ledger_free(l);
	}
	out_done(&o);
}

int main(void)
{
	test_table();
	test_node_orders();
	test_stale_orders();
	test_stale_releases();
	test_signals();
	test_outputs();
	test_settings();
	test_refused_as();
	test_controller();
	test_statements();
	test_floor();
	test_stray();
	test_load();
	test_report();
	return done();
}
