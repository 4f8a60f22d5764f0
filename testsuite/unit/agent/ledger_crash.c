/*
 * The ledger after a crash between any two of its effects. A model of a node has the contents of
 * the disk, the running shepherds and the reports to the controller; it checks that no task is
 * started twice and no end is lost. All short sequences of inputs are tried, and long random
 * ones.
 */
#include "tap/tap.h"
#include "unit/agent/ledger_rig.h"

/*
 * A model of a node: the contents of its disk, the live shepherds, the reports to the controller.
 * Crashes fall between any two effects.
 */
enum { KEYS = 3 };

struct attempt {
	bool accepted, ended, started, ready; /* on disk */
	bool released;
	int32_t cause;
	bool shepherd;     /* alive */
	unsigned forked;   /* times */
	bool end_reported; /* the controller got the end report */
	int32_t cause_reported;
	bool acked, past; /* acked: by the controller; past: below its floor */
};

struct world {
	struct ledger *l;
	struct ledger_meta meta; /* on disk */
	struct attempt a[KEYS];
	struct out *o; /* shared by all runs, for speed */
	bool broken;
};

static struct task_key world_key(int i)
{
	return (struct task_key){.job = 9, .rank = (uint32_t)i, .attempt = 1};
}

static void carry_out(struct world *w, size_t limit)
{
	for (size_t i = 0; i < w->o->e.count && i < limit; i++) {
		const struct ledger_effect *x = &w->o->e.list[i];
		struct attempt *a = &w->a[x->key.rank];

		switch (x->kind) {
		case LEDGER_WRITE_META:
			w->meta = *ledger_meta(w->l);
			break;
		case LEDGER_WRITE_ACCEPT:
			a->accepted = true;
			break;
		case LEDGER_WRITE_END:
			w->broken |= a->ended;
			a->ended = true;
			a->cause = x->report->end->cause;
			break;
		case LEDGER_START:
			/*
			 * A task is started once only, after its order is on disk, and not after a
			 * refusal.
			 */
			w->broken |= a->forked || !a->accepted || a->ended || a->end_reported;
			a->forked++;
			a->shepherd = true;
			break;
		case LEDGER_KILL:
		case LEDGER_LEASE:
		case LEDGER_REBOOT:
		case LEDGER_STEP:
		case LEDGER_SIGNAL:
		case LEDGER_OUTPUT:
		case LEDGER_SETTINGS:
			break;
		case LEDGER_RELEASE:
			/* Only a waiting task that has not ended is released. */
			w->broken |= !a->ready || a->ended;
			a->released = true;
			break;
		case LEDGER_FORGET:
			w->broken |= !a->past;
			a->accepted = a->ended = a->started = a->ready = false;
			break;
		case LEDGER_REPORT:
			if (!x->report->end)
				break;
			/* A reported end is on disk, and equal to an earlier report. */
			w->broken |= !a->ended || (int32_t)x->report->end->cause != a->cause ||
				     (a->end_reported && a->cause_reported != a->cause) ||
				     a->shepherd;
			a->end_reported = true;
			a->cause_reported = a->cause;
			break;
		}
	}
}

/* A new launcher reads the spool: first the entries, then the running shepherds. */
static void restart(struct world *w, bool reboot)
{
	struct task_key key;

	ledger_free(w->l);
	w->l = ledger_new(&w->meta);
	for (int i = 0; i < KEYS; i++) {
		struct attempt *a = &w->a[i];
		Armada__TaskEnd end = ARMADA__TASK_END__INIT;

		key = world_key(i);
		if (reboot)
			a->shepherd = false;
		if (!a->accepted && !a->ended)
			continue;
		end.cause = (Armada__EndCause)a->cause;
		out_clear(w->o);
		ledger_load(w->l, &key, 20 + i,
			    a->started ? LEDGER_STARTED
			    : a->ready ? LEDGER_READY
				       : LEDGER_ACCEPTED,
			    0, a->ended ? &end : NULL, !reboot, &w->o->e);
		carry_out(w, SIZE_MAX);
		if (a->ended || a->shepherd)
			continue;
		end.cause = ARMADA__END_CAUSE__END_LOST;
		out_clear(w->o);
		ledger_ended(w->l, &key, &end, true, &w->o->e);
		carry_out(w, SIZE_MAX);
	}
}

enum happening {
	H_LAUNCH,
	H_REFUSE,
	H_KILL,
	H_START,
	H_EXIT,
	H_DIE,
	H_ACK,
	H_FLOOR,
	H_BOOT,
	H_PLAIN, /* the following are for gated tasks, in the random test only */
	H_READY = H_PLAIN,
	H_RELEASE,
	HS,
};

/* One input is fed; `limit` of its effects are carried out before a crash, or all for SIZE_MAX. */
static void happen(struct world *w, int i, enum happening h, size_t limit)
{
	struct task_key key = world_key(i);
	struct attempt *a = &w->a[i];
	static const enum what whats[] = {LAUNCH, REFUSE, KILL,  STARTED, ENDED,  ENDED_WRITE,
					  ACKED,  FLOOR,  WHATS, READY,   RELEASE};

	if ((h == H_START || h == H_EXIT || h == H_DIE || h == H_READY) && !a->shepherd)
		return;
	if ((h == H_READY && a->started) || (h == H_START && a->ready && !a->released))
		return;
	if (h == H_READY)
		a->ready = true;
	if (h == H_ACK && !a->end_reported)
		return;
	/* A floor covers all earlier orders. */
	for (int j = 0; h == H_FLOOR && j <= i; j++)
		if (!w->a[j].acked)
			return;
	if (h == H_START)
		a->started = true;
	if (h == H_EXIT || h == H_DIE)
		a->shepherd = false;
	if (h == H_EXIT) {
		a->ended = true;
		a->cause = ARMADA__END_CAUSE__END_EXITED;
	}
	if (h == H_ACK)
		a->acked = true;
	for (int j = 0; h == H_FLOOR && j <= i; j++)
		w->a[j].past = true;
	out_clear(w->o);
	if (h != H_BOOT)
		give(w->l, whats[h], &key, 20 + (uint64_t)i, w->o);
	carry_out(w, limit);
	if (limit != SIZE_MAX || h == H_BOOT)
		restart(w, h == H_BOOT);
}

static void world_init(struct world *w, struct out *o)
{
	*w = (struct world){.meta = meta0, .o = o};
	w->l = ledger_new(&meta0);
}

static void world_done(struct world *w)
{
	ledger_free(w->l);
}

enum { CUTS = 5, ONE = H_PLAIN * CUTS };

/*
 * A crash point beyond the last effect is the same as one after it, and a restart has no effects.
 */
static bool repeats(long n)
{
	static const long effects[H_PLAIN] = {
		[H_LAUNCH] = 3, [H_REFUSE] = 2, [H_KILL] = 2,  [H_START] = 1, [H_EXIT] = 1,
		[H_DIE] = 2,    [H_ACK] = 2,    [H_FLOOR] = 3, [H_BOOT] = -1};

	for (int step = 0; step < 4; step++, n /= ONE)
		if (n % CUTS < CUTS - 1 && n % CUTS > effects[n % ONE / CUTS])
			return true;
	return false;
}

/* Tries every sequence of four inputs for one attempt, with a crash after any number of effects. */
static void test_crashes_exhaustively(void)
{
	long bad = 0, runs = 0;
	struct out o = {0};

	for (long n = 0; n < (long)ONE * ONE * ONE * ONE; n++) {
		struct world w;
		long rest = n;

		/* The first input is always an order: any other has no effect on an empty node. */
		if (n % ONE / CUTS > H_KILL || repeats(n))
			continue;
		world_init(&w, &o);
		for (int step = 0; step < 4; step++, rest /= ONE) {
			size_t cut = (size_t)(rest % CUTS);

			happen(&w, 0, (enum happening)(rest % ONE / CUTS),
			       cut == CUTS - 1 ? SIZE_MAX : cut);
		}
		bad += w.broken;
		runs++;
		world_done(&w);
	}
	out_done(&o);
	is_int(bad, 0, "%ld histories of one attempt, with crashes between any two effects", runs);
}

static void test_crashes_at_random(void)
{
	uint64_t x = 88172645463325252u;
	struct out o = {0};
	long bad = 0;

	for (int run = 0; run < 3000; run++) {
		struct world w;

		world_init(&w, &o);
		for (int step = 0; step < 60; step++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			happen(&w, (int)(x % KEYS), (enum happening)((x >> 8) % HS),
			       (x >> 16) % 4 ? SIZE_MAX : (x >> 24) % 4);
		}
		bad += w.broken;
		world_done(&w);
	}
	out_done(&o);
	is_int(bad, 0, "3000 random histories of three attempts");
}

int main(void)
{
	test_crashes_exhaustively();
	test_crashes_at_random();
	return done();
}
