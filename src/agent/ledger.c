/*
 * The ledger (ledger.h). Input: verified orders, events of shepherds, acknowledgements, the first
 * contact with a controller. Output: effects in the order in which they must be applied.
 *
 * A table of states and events gives the next state and the effects for each pair. Effects that
 * write come before effects that depend on them. Caveat: an entry may be removed only when the
 * floor that rejects late copies of its order is durable, so removal may add a write of the meta
 * file.
 */
#include "agent/ledger.h"

#include "agent/report.h"
#include "agent/task_hash_key.h"
#include "util/mem.h"
#include "util/utf8.h"

#include <errno.h>
#include <string.h>
#include <uthash.h>

enum { STATES = LEDGER_ACKED + 1, TEXT_MAX = 1024 };

enum event {
	EV_LAUNCH,   /* a launch order that the shell's checks accept */
	EV_REFUSE,   /* a launch order that these checks refuse */
	EV_KILL,     /* a kill order */
	EV_RELEASE,  /* a release order */
	EV_STEP,     /* a step order */
	EV_SIGNAL,   /* a signal order */
	EV_SETTINGS, /* a settings order */
	EV_READY,    /* the shepherd has set up the task, which waits */
	EV_STARTED,  /* the shepherd runs the task */
	EV_ENDED,    /* its exit record is durable */
	EV_ACKED,    /* the controller has acknowledged the end */
	EVENTS,
};

/* The effects of a transition, as bits. */
enum transition_effect {
	DO_WRITE_ACCEPT = 1,
	DO_WRITE_END = 2,
	DO_START = 4,
	DO_KILL = 8,
	DO_RELEASE = 16,
	DO_STEP = 32,
	DO_REPORT = 64,
	DO_COUNT_STALE = 128, /* the order was dropped */
	DO_FORGET = 256,      /* remove the entry if it is below the floor */
	DO_SIGNAL = 512,
	DO_SETTINGS = 1024,
};

struct transition {
	enum ledger_state next;
	unsigned effects;
};

/*
 * Every pair of state and event. A repeated launch order is answered with the state of the attempt;
 * after the acknowledgement it is a late copy and only counted. Only an acknowledgement leaves
 * ENDED.
 */
/* clang-format off */
static const struct transition transitions[STATES][EVENTS] = {
	[0] = {
		[EV_LAUNCH]  = {LEDGER_ACCEPTED, DO_WRITE_ACCEPT | DO_START | DO_REPORT},
		[EV_REFUSE]  = {LEDGER_ENDED, DO_WRITE_END | DO_REPORT},
		[EV_KILL]    = {LEDGER_ENDED, DO_WRITE_END | DO_REPORT},
		[EV_RELEASE] = {0, DO_COUNT_STALE},
		[EV_STEP]    = {0, DO_COUNT_STALE},
		[EV_SIGNAL]  = {0, DO_COUNT_STALE},
		[EV_SETTINGS] = {0, DO_COUNT_STALE},
		[EV_READY]   = {0, 0},
		[EV_STARTED] = {0, 0},
		[EV_ENDED]   = {0, 0},
		[EV_ACKED]   = {0, 0},
	},
	[LEDGER_ACCEPTED] = {
		[EV_LAUNCH]  = {LEDGER_ACCEPTED, DO_REPORT},
		[EV_REFUSE]  = {LEDGER_ACCEPTED, DO_REPORT},
		[EV_KILL]    = {LEDGER_ACCEPTED, DO_KILL},
		[EV_RELEASE] = {LEDGER_ACCEPTED, DO_COUNT_STALE},
		[EV_STEP]    = {LEDGER_ACCEPTED, DO_COUNT_STALE},
		[EV_SIGNAL]  = {LEDGER_ACCEPTED, DO_COUNT_STALE},
		[EV_SETTINGS] = {LEDGER_ACCEPTED, DO_COUNT_STALE},
		[EV_READY]   = {LEDGER_READY, DO_REPORT},
		[EV_STARTED] = {LEDGER_STARTED, DO_REPORT},
		[EV_ENDED]   = {LEDGER_ENDED, DO_REPORT},
		[EV_ACKED]   = {LEDGER_ACCEPTED, 0},
	},
	[LEDGER_READY] = {
		[EV_LAUNCH]  = {LEDGER_READY, DO_REPORT},
		[EV_REFUSE]  = {LEDGER_READY, DO_REPORT},
		[EV_KILL]    = {LEDGER_READY, DO_KILL},
		[EV_RELEASE] = {LEDGER_READY, DO_RELEASE},
		[EV_STEP]    = {LEDGER_READY, DO_COUNT_STALE},
		[EV_SIGNAL]  = {LEDGER_READY, DO_COUNT_STALE},
		[EV_SETTINGS] = {LEDGER_READY, DO_SETTINGS},
		[EV_READY]   = {LEDGER_READY, 0},
		[EV_STARTED] = {LEDGER_STARTED, DO_REPORT},
		[EV_ENDED]   = {LEDGER_ENDED, DO_REPORT},
		[EV_ACKED]   = {LEDGER_READY, 0},
	},
	[LEDGER_STARTED] = {
		[EV_LAUNCH]  = {LEDGER_STARTED, DO_REPORT},
		[EV_REFUSE]  = {LEDGER_STARTED, DO_REPORT},
		[EV_KILL]    = {LEDGER_STARTED, DO_KILL},
		[EV_RELEASE] = {LEDGER_STARTED, DO_REPORT},
		[EV_STEP]    = {LEDGER_STARTED, DO_STEP},
		[EV_SIGNAL]  = {LEDGER_STARTED, DO_SIGNAL},
		[EV_SETTINGS] = {LEDGER_STARTED, DO_SETTINGS},
		[EV_READY]   = {LEDGER_STARTED, 0},
		[EV_STARTED] = {LEDGER_STARTED, 0},
		[EV_ENDED]   = {LEDGER_ENDED, DO_REPORT},
		[EV_ACKED]   = {LEDGER_STARTED, 0},
	},
	[LEDGER_ENDED] = {
		[EV_LAUNCH]  = {LEDGER_ENDED, DO_REPORT},
		[EV_REFUSE]  = {LEDGER_ENDED, DO_REPORT},
		[EV_KILL]    = {LEDGER_ENDED, DO_REPORT},
		[EV_RELEASE] = {LEDGER_ENDED, DO_REPORT},
		[EV_STEP]    = {LEDGER_ENDED, DO_REPORT},
		[EV_SIGNAL]  = {LEDGER_ENDED, DO_REPORT},
		[EV_SETTINGS] = {LEDGER_ENDED, DO_REPORT},
		[EV_READY]   = {LEDGER_ENDED, 0},
		[EV_STARTED] = {LEDGER_ENDED, 0},
		[EV_ENDED]   = {LEDGER_ENDED, 0},
		[EV_ACKED]   = {LEDGER_ACKED, DO_FORGET},
	},
	[LEDGER_ACKED] = {
		[EV_LAUNCH]  = {LEDGER_ACKED, DO_COUNT_STALE},
		[EV_REFUSE]  = {LEDGER_ACKED, DO_COUNT_STALE},
		[EV_KILL]    = {LEDGER_ACKED, DO_COUNT_STALE},
		[EV_RELEASE] = {LEDGER_ACKED, DO_COUNT_STALE},
		[EV_STEP]    = {LEDGER_ACKED, DO_COUNT_STALE},
		[EV_SIGNAL]  = {LEDGER_ACKED, DO_COUNT_STALE},
		[EV_SETTINGS] = {LEDGER_ACKED, DO_COUNT_STALE},
		[EV_READY]   = {LEDGER_ACKED, 0},
		[EV_STARTED] = {LEDGER_ACKED, 0},
		[EV_ENDED]   = {LEDGER_ACKED, 0},
		[EV_ACKED]   = {LEDGER_ACKED, 0},
	},
};
/* clang-format on */

struct entry {
	struct task_hash_key hash_key;
	struct task_key key;
	uint64_t seq;
	enum ledger_state state;
	int64_t start_us;
	uint64_t settings;   /* the last ones that its shepherd has confirmed to this launcher */
	Armada__TaskEnd end; /* once ENDED */
	Armada__Usage usage;
	char *text, *problem; /* of end */
	UT_hash_handle hh;
};

/* Of the last order of a kind whose copies count for nothing. */
struct last_number {
	uint64_t epoch, number;
};

struct ledger {
	struct ledger_meta meta;
	uint64_t written_floor; /* the floor in the meta file on disk */
	struct entry *entries;
	uint64_t stale;
	struct last_number signals, outputs;
};

struct ledger *ledger_new(const struct ledger_meta *meta)
{
	struct ledger *l = xcalloc(1, sizeof(*l));

	l->meta = *meta;
	l->written_floor = meta->floor;
	return l;
}

static void entry_free(struct ledger *l, struct entry *e)
{
	HASH_DEL(l->entries, e);
	free(e->text);
	free(e->problem);
	free(e);
}

void ledger_free(struct ledger *l)
{
	struct entry *e, *next;

	if (!l)
		return;
	HASH_ITER (hh, l->entries, e, next)
		entry_free(l, e);
	free(l);
}

const struct ledger_meta *ledger_meta(const struct ledger *l)
{
	return &l->meta;
}

uint64_t ledger_stale_orders(const struct ledger *l)
{
	return l->stale;
}

size_t ledger_count(const struct ledger *l)
{
	return HASH_COUNT(l->entries);
}

size_t ledger_unacknowledged(const struct ledger *l)
{
	size_t n = 0;

	for (const struct entry *e = l->entries; e; e = e->hh.next)
		n += e->state == LEDGER_ENDED;
	return n;
}

static struct entry *entry_find(const struct ledger *l, const struct task_key *key)
{
	struct task_hash_key hash_key = task_hash_key(key);
	struct entry *e;

	HASH_FIND(hh, l->entries, &hash_key, sizeof(hash_key), e);
	return e;
}

static struct entry *entry_new(struct ledger *l, const struct task_key *key, uint64_t seq)
{
	struct entry *e = xcalloc(1, sizeof(*e));

	e->hash_key = task_hash_key(key);
	e->key = *key;
	e->seq = seq;
	HASH_ADD(hh, l->entries, hash_key, sizeof(e->hash_key), e);
	return e;
}

enum ledger_state ledger_find(const struct ledger *l, const struct task_key *key)
{
	const struct entry *e = entry_find(l, key);

	return e ? e->state : 0;
}

/* At most TEXT_MAX bytes, never half a UTF-8 character. */
static char *text_dup(const char *text)
{
	size_t len = strnlen(text, TEXT_MAX + 1);

	return xstrndup(text, len > TEXT_MAX ? utf8_whole(text, TEXT_MAX) : len);
}

static void entry_end(struct entry *e, const Armada__TaskEnd *end)
{
	e->text = text_dup(end->text ? end->text : "");
	e->problem = text_dup(end->node_problem ? end->node_problem : "");
	armada__task_end__init(&e->end);
	e->end.cause = end->cause;
	e->end.exit_code = end->exit_code;
	e->end.signal = end->signal;
	e->end.start_us = end->start_us;
	e->end.end_us = end->end_us;
	e->end.text = e->text;
	e->end.node_problem = e->problem;
	if (end->usage) {
		armada__usage__init(&e->usage);
		e->usage.cpu_us = end->usage->cpu_us;
		e->usage.max_rss_bytes = end->usage->max_rss_bytes;
		e->usage.read_bytes = end->usage->read_bytes;
		e->usage.written_bytes = end->usage->written_bytes;
		e->usage.group_peak_bytes = end->usage->group_peak_bytes;
		e->usage.user_us = end->usage->user_us;
		e->usage.system_us = end->usage->system_us;
		e->end.usage = &e->usage;
	}
}

static void entry_end_words(struct entry *e, Armada__EndCause cause, const char *why)
{
	Armada__TaskEnd end = ARMADA__TASK_END__INIT;

	end.cause = cause;
	end.text = (char *)why;
	end.start_us = e->start_us;
	entry_end(e, &end);
}

static Armada__Report *report_new(const struct entry *e, struct arena *arena)
{
	static const Armada__Report__Kind kinds[STATES] = {
		[LEDGER_ACCEPTED] = ARMADA__REPORT__KIND__REPORT_ACCEPTED,
		[LEDGER_READY] = ARMADA__REPORT__KIND__REPORT_READY,
		[LEDGER_STARTED] = ARMADA__REPORT__KIND__REPORT_STARTED,
		[LEDGER_ENDED] = ARMADA__REPORT__KIND__REPORT_ENDED,
		[LEDGER_ACKED] = ARMADA__REPORT__KIND__REPORT_ENDED,
	};
	Armada__Report *r = arena_alloc(arena, sizeof(*r));

	armada__report__init(r);
	r->key = report_key_message(&e->key, arena);
	r->kind = kinds[e->state];
	r->seq = e->seq;
	r->start_us = e->start_us;
	r->settings = e->settings;
	if (e->state < LEDGER_ENDED)
		return r;
	r->end = arena_memdup(arena, &e->end, sizeof(e->end));
	r->end->text = arena_strdup(arena, e->text);
	r->end->node_problem = arena_strdup(arena, e->problem);
	if (e->end.usage)
		r->end->usage = arena_memdup(arena, &e->usage, sizeof(e->usage));
	return r;
}

static struct ledger_effect *effect_add(struct ledger_effects *out, enum ledger_effect_kind kind)
{
	out->list = arena_grow(out->arena, out->list, &out->cap, out->count, sizeof(*out->list));
	out->list[out->count] = (struct ledger_effect){.kind = kind};
	return &out->list[out->count++];
}

static struct ledger_effect *entry_effect(struct ledger_effects *out, const struct entry *e,
					  enum ledger_effect_kind kind)
{
	struct ledger_effect *x = effect_add(out, kind);

	x->key = e->key;
	x->seq = e->seq;
	if (kind == LEDGER_REPORT || kind == LEDGER_WRITE_END)
		x->report = report_new(e, out->arena);
	return x;
}

static void write_meta(struct ledger *l, struct ledger_effects *out)
{
	effect_add(out, LEDGER_WRITE_META);
	l->written_floor = l->meta.floor;
}

/*
 * Remove an entry that is below the floor and acknowledged. From then on only the floor rejects a
 * late copy of its order, so the floor is made durable first.
 */
static void forget(struct ledger *l, struct entry *e, struct ledger_effects *out)
{
	if (e->state != LEDGER_ACKED || e->seq >= l->meta.floor)
		return;
	if (e->seq >= l->written_floor)
		write_meta(l, out);
	entry_effect(out, e, LEDGER_FORGET);
	entry_free(l, e);
}

/*
 * Add the effects of a transition. A KILL and a SIGNAL carry the order's cause and grace_ms, SETTINGS and a
 * STEP its number.
 */
static void add_effects(struct ledger *l, struct entry *e, unsigned what, const struct order *o,
			struct ledger_effects *out)
{
	static const struct {
		enum transition_effect bit;
		enum ledger_effect_kind kind;
	} effects[] = {
		{DO_WRITE_ACCEPT, LEDGER_WRITE_ACCEPT},
		{DO_WRITE_END, LEDGER_WRITE_END},
		{DO_START, LEDGER_START},
		{DO_KILL, LEDGER_KILL},
		{DO_RELEASE, LEDGER_RELEASE},
		{DO_STEP, LEDGER_STEP},
		{DO_SIGNAL, LEDGER_SIGNAL},
		{DO_SETTINGS, LEDGER_SETTINGS},
		{DO_REPORT, LEDGER_REPORT},
	};

	for (size_t i = 0; i < ARRAY_SIZE(effects); i++) {
		struct ledger_effect *x =
			what & effects[i].bit ? entry_effect(out, e, effects[i].kind) : NULL;

		if (x && effects[i].bit & (DO_KILL | DO_SIGNAL))
			x->cause = o->cause;
		if (x && effects[i].bit & (DO_SETTINGS | DO_STEP))
			x->number = o->number;
		if (x && effects[i].bit & (DO_KILL | DO_SIGNAL))
			x->grace_ms = o->grace_ms;
	}
	if (what & DO_COUNT_STALE)
		l->stale++;
	if (what & DO_FORGET)
		forget(l, e, out);
}

void ledger_load(struct ledger *l, const struct task_key *key, uint64_t seq,
		 enum ledger_state state, int64_t start_us, const Armada__TaskEnd *end,
		 bool same_boot, struct ledger_effects *out)
{
	struct entry *e = entry_find(l, key);

	if (e)
		return;
	e = entry_new(l, key, seq);
	e->state = state;
	e->start_us = start_us;
	if (end) {
		if (state != LEDGER_ACKED)
			e->state = LEDGER_ENDED;
		entry_end(e, end);
	} else if (!same_boot || state >= LEDGER_ENDED) {
		e->state = LEDGER_ENDED;
		entry_end_words(e, ARMADA__END_CAUSE__END_LOST,
				same_boot ? "the record of its end is damaged"
					  : "the node was restarted while it ran");
		add_effects(l, e, DO_WRITE_END, NULL, out);
	}
}

/*
 * A kill order may be below the floor and still end a running attempt whose lease the controller no
 * longer has.
 */
static bool is_running(const struct ledger *l, const struct task_key *key)
{
	enum ledger_state state = ledger_find(l, key);

	return state >= LEDGER_ACCEPTED && state < LEDGER_ENDED;
}

/*
 * True if the order is for another node, cluster or boot, or below the floor. A floor that rejects
 * a key without an entry must survive a crash like an entry.
 */
static bool order_stale(struct ledger *l, const struct order *o, struct ledger_effects *out)
{
	uint8_t boot[16];

	order_boot(l->meta.boot_id, boot);
	if (memcmp(o->cluster_id, l->meta.cluster_id, sizeof(o->cluster_id)) != 0 ||
	    memcmp(o->node_id, l->meta.node_id, sizeof(o->node_id)) != 0 ||
	    o->epoch < l->meta.epoch)
		return true;
	if (o->kind != ORDER_KILL && memcmp(o->boot, boot, sizeof(boot)) != 0)
		return true;
	if (o->seq >= l->meta.floor || (o->kind == ORDER_KILL && is_running(l, &o->key)))
		return false;
	if (o->seq >= l->written_floor)
		write_meta(l, out);
	return true;
}

static void raise_floor(struct ledger *l, uint64_t floor, struct ledger_effects *out)
{
	struct entry *e, *next;

	if (floor > l->meta.floor)
		l->meta.floor = floor;
	HASH_ITER (hh, l->entries, e, next)
		forget(l, e, out);
}

/* Orders that need no entry: lease, output and reboot. */
static void order_node(struct ledger *l, const struct order *o, struct ledger_effects *out)
{
	struct ledger_effect *x;

	if (o->kind == ORDER_LEASE) {
		x = effect_add(out, LEDGER_LEASE);
		memcpy(x->stamp, o->stamp, sizeof(x->stamp));
		x->extension_ms = o->extension_ms;
		raise_floor(l, o->floor, out);
		return;
	}
	if (o->kind == ORDER_OUTPUT) {
		effect_add(out, LEDGER_OUTPUT)->number = o->number;
		return;
	}
	for (const struct entry *e = l->entries; e; e = e->hh.next)
		if (e->state < LEDGER_ENDED) {
			l->stale++; /* the controller assumed that nothing runs here */
			return;
		}
	effect_add(out, LEDGER_REBOOT);
}

/* The event of an order; EVENTS: its kind is unknown here. */
static enum event event_of(const struct order *o, const struct ledger_check *check)
{
	switch (o->kind) {
	case ORDER_LAUNCH:
		return check->allowed ? EV_LAUNCH : EV_REFUSE;
	case ORDER_KILL:
		return EV_KILL;
	case ORDER_RELEASE:
		return EV_RELEASE;
	case ORDER_STEP:
		return EV_STEP;
	case ORDER_SIGNAL:
		return EV_SIGNAL;
	case ORDER_SETTINGS:
		return EV_SETTINGS;
	default:
		return EVENTS;
	}
}

/*
 * True for a copy of a signal or output order. Two of them cannot be distinguished by their content, so each
 * has a number and counts once. A new armd has no record of earlier numbers.
 */
static bool is_copy(struct ledger *l, const struct order *o)
{
	struct last_number *last = o->kind == ORDER_SIGNAL   ? &l->signals
				   : o->kind == ORDER_OUTPUT ? &l->outputs
							     : NULL;

	if (!last)
		return false;
	if (o->epoch == last->epoch && o->number <= last->number)
		return true;
	*last = (struct last_number){o->epoch, o->number};
	return false;
}

static void refuse(struct entry *e, enum event ev, const struct ledger_check *check)
{
	if (ev == EV_KILL)
		entry_end_words(e, ARMADA__END_CAUSE__END_REFUSED,
				"it was killed before its launch order arrived");
	else
		entry_end_words(e,
				check->cause ? (Armada__EndCause)check->cause
					     : ARMADA__END_CAUSE__END_REFUSED,
				check->why);
}

void ledger_order(struct ledger *l, const struct order *o, const struct ledger_check *check,
		  struct ledger_effects *out)
{
	enum event ev = event_of(o, check);
	struct entry *e;
	struct transition t;
	bool of_node = o->kind == ORDER_LEASE || o->kind == ORDER_REBOOT || o->kind == ORDER_OUTPUT;

	if ((ev == EVENTS && !of_node) || order_stale(l, o, out) || is_copy(l, o)) {
		l->stale++;
		return;
	}
	if (o->epoch > l->meta.epoch) {
		l->meta.epoch = o->epoch;
		write_meta(l, out);
	}
	if (of_node) {
		order_node(l, o, out);
		return;
	}
	e = entry_find(l, &o->key);
	t = transitions[e ? e->state : 0][ev];
	if (!e && !t.next) {
		l->stale++; /* no such attempt: the order leaves no trace */
		return;
	}
	if (!e)
		e = entry_new(l, &o->key, o->seq);
	if (t.next == LEDGER_ENDED && e->state < LEDGER_ENDED)
		refuse(e, ev, check);
	e->state = t.next;
	add_effects(l, e, t.effects, o, out);
}

/* Apply an event that is not an order; `more`: additional effects. */
static void apply_event(struct ledger *l, struct entry *e, enum event ev, unsigned more,
			struct ledger_effects *out)
{
	struct transition t = transitions[e->state][ev];

	e->state = t.next;
	add_effects(l, e, t.effects | more, NULL, out);
}

void ledger_ready(struct ledger *l, const struct task_key *key, struct ledger_effects *out)
{
	struct entry *e = entry_find(l, key);

	if (e)
		apply_event(l, e, EV_READY, 0, out);
}

void ledger_started(struct ledger *l, const struct task_key *key, int64_t start_us,
		    struct ledger_effects *out)
{
	struct entry *e = entry_find(l, key);

	if (!e)
		return;
	if (e->state < LEDGER_STARTED)
		e->start_us = start_us;
	apply_event(l, e, EV_STARTED, 0, out);
}

void ledger_settings(struct ledger *l, const struct task_key *key, uint64_t number,
		     struct ledger_effects *out)
{
	struct entry *e = entry_find(l, key);

	if (!e || e->state >= LEDGER_ENDED)
		return;
	if (number > e->settings)
		e->settings = number;
	entry_effect(out, e, LEDGER_REPORT);
}

void ledger_ended(struct ledger *l, const struct task_key *key, const Armada__TaskEnd *end,
		  bool write_end, struct ledger_effects *out)
{
	struct entry *e = entry_find(l, key);

	if (!e || e->state >= LEDGER_ENDED)
		return;
	if (end->start_us)
		e->start_us = end->start_us;
	entry_end(e, end);
	apply_event(l, e, EV_ENDED, write_end ? DO_WRITE_END : 0, out);
}

void ledger_acked(struct ledger *l, const struct task_key *key, struct ledger_effects *out)
{
	struct entry *e = entry_find(l, key);

	if (e)
		apply_event(l, e, EV_ACKED, 0, out);
}

int ledger_controller(struct ledger *l, const uint8_t cluster_id[16], struct ledger_effects *out,
		      struct err *err)
{
	static const uint8_t none[16];
	bool first = memcmp(l->meta.cluster_id, none, sizeof(none)) == 0;

	if (memcmp(cluster_id, none, sizeof(none)) == 0)
		return err_set(err, -EPERM, "the controller has no cluster id");
	if (!first && memcmp(cluster_id, l->meta.cluster_id, sizeof(none)) != 0)
		return err_set(err, -EPERM,
			       "the controller belongs to another cluster than this node's "
			       "spool");
	if (first) {
		memcpy(l->meta.cluster_id, cluster_id, sizeof(none));
		write_meta(l, out);
	}
	return 0;
}

void ledger_inventory(const struct ledger *l, struct ledger_effects *out)
{
	for (const struct entry *e = l->entries; e; e = e->hh.next)
		if (e->state != LEDGER_ACKED)
			entry_effect(out, e, LEDGER_REPORT);
}
