/* The invariants (truth.h). They draw no numbers. */
#include "asim/replicated/truth.h"
#include "asim/replicated/controller.h"
#include "asim/replicated/server.h"

#include <stdio.h>
#include <string.h>

/* A server whose files have changed a moment ago may lack what it had when it acknowledged. */
enum { SETTLED_US = 2 * SECOND };

void truth_init(struct world *w)
{
	w->truth = arena_zalloc(w->run, 1, sizeof(*w->truth));
}

static const struct entry *find_entry(const struct world *w, uint64_t seq, const struct record *r)
{
	for (int i = 0; i < SERVERS; i++) {
		const struct entry *e = data_entry(&w->servers[i].data, seq);
		const struct blob *b = e ? &e->fields[ENTRY_FIELDS - 1] : NULL;

		if (b && b->len == sizeof(*r) && memcmp(b->data, r, sizeof(*r)) == 0)
			return e;
	}
	return NULL;
}

static bool names(const struct blob *set, int server)
{
	char name[8];

	snprintf(name, sizeof(name), "r%d:", server);
	return set && set->data && strstr(set->data, name);
}

/* The set as the server with its newest version has it. */
static const struct blob *newest_set(const struct world *w, uint64_t *ret_version)
{
	const struct blob *set = NULL;

	*ret_version = 0;
	for (int i = 0; i < SERVERS; i++) {
		const struct data *d = &w->servers[i].data;

		if (data_number(d, "setv") <= *ret_version)
			continue;
		*ret_version = data_number(d, "setv");
		set = data_get(d, KEY_HEAD, "set");
	}
	return set;
}

/* A change of the set counts when all of its members have it; before that, what both sets name. */
static bool is_member(struct world *w, int server)
{
	uint64_t version;
	const struct blob *set = newest_set(w, &version);
	bool confirmed = set != NULL;

	for (int i = 0; i < SERVERS; i++)
		confirmed = confirmed &&
			    (!names(set, i) || data_number(&w->servers[i].data, "setv") == version);
	if (confirmed)
		w->truth->set = *set;
	return names(set, server) && names(&w->truth->set, server);
}

static void check_copies(struct world *w, const struct controller *c, uint64_t seq,
			 const struct entry *e)
{
	for (int i = 0; i < SERVERS; i++) {
		struct server *s = &w->servers[i];

		if (is_member(w, i) && w->now_us - s->changed_us >= SETTLED_US &&
		    !server_stores(w, s, e))
			world_violate(w,
				      "controller %d acknowledges record %" PRIu64
				      ", which redis%d does not have on disk for certain",
				      c->number, seq, i);
	}
}

/* All the time since this controller has the lead, the other one would have told it of the record. */
static bool tells(const struct world *w, const struct controller *c, const struct controller *other,
		  uint64_t seq)
{
	int a = SERVERS + c->number, b = SERVERS + other->number;

	return other != c && c->holds && controller_answers(other) &&
	       other->answers_us <= c->held_us && !w->cut[a][b] && w->cut_us[a][b] <= c->held_us &&
	       w->truth->known_then[c->number][other->number] >= seq;
}

/* The copies have lost a record that this controller cannot miss. */
static bool is_unknown(struct world *w, const struct controller *c, uint64_t seq)
{
	if (!w->severe || seq <= w->truth->known[c->number])
		return false;
	for (int i = 0; i < CONTROLLERS; i++)
		if (tells(w, c, &w->controllers[i], seq))
			world_violate(w,
				      "controller %d goes on without record %" PRIu64
				      ", which controller %d knows and could be asked for",
				      c->number, seq, i);
	if (!w->forked)
		world_trace(w,
			    "controller %d goes on without record %" PRIu64 ", which it never knew",
			    c->number, seq);
	w->forked = true;
	return true;
}

void truth_know(struct world *w, const struct controller *c)
{
	uint64_t *known = &w->truth->known[c->number];

	if (!c->holds && c->fold.seq > *known)
		*known = c->fold.seq;
}

void truth_learn(struct world *w, const struct controller *c, uint64_t seq)
{
	if (seq > w->truth->known[c->number])
		w->truth->known[c->number] = seq;
}

void truth_hold(struct world *w, const struct controller *c)
{
	memcpy(w->truth->known_then[c->number], w->truth->known, sizeof(w->truth->known));
}

void truth_acknowledge(struct world *w, struct controller *c, uint64_t seq, const struct record *r)
{
	struct truth *t = w->truth;
	const struct entry *e = find_entry(w, seq, r);

	if (seq >= SEQ_MAX)
		return;
	if (t->entries[seq]) {
		if (t->keys[seq] != r->key && !is_unknown(w, c, seq))
			world_violate(w,
				      "record %" PRIu64 " is acknowledged with submission %" PRIu64
				      ", and was with %" PRIu64,
				      seq, r->key, t->keys[seq]);
		return;
	}
	if (!e) {
		world_violate(w,
			      "controller %d acknowledges record %" PRIu64 ", which no server has",
			      c->number, seq);
		return;
	}
	check_copies(w, c, seq, e);
	if (seq > t->known[c->number])
		t->known[c->number] = seq;
	t->entries[seq] = e;
	t->keys[seq] = r->key;
	t->acked_us = w->now_us;
	if (seq > t->last)
		t->last = seq;
	w->count.acked++;
}

void truth_give(struct world *w, struct controller *c, uint64_t seq, const struct record *r)
{
	const struct truth *t = w->truth;

	if (r->epoch < c->fold.epoch)
		world_violate(w,
			      "record %" PRIu64 " of epoch %" PRIu64
			      " follows one of epoch %" PRIu64,
			      seq, r->epoch, c->fold.epoch);
	if (r->key && c->fold.of_key[r->key])
		world_violate(w, "submission %" PRIu64 " is in records %" PRIu64 " and %" PRIu64,
			      r->key, c->fold.of_key[r->key], seq);
	if (c->holds && w->severe && seq > t->known[c->number])
		return; /* it asks the others, and the rules count when it acts */
	if ((t->entries[seq] ? t->keys[seq] != r->key : !c->holds) && !is_unknown(w, c, seq))
		world_violate(w,
			      "controller %d, a standby, gets record %" PRIu64
			      ", which is not the one that was acknowledged",
			      c->number, seq);
}

void truth_begin(struct world *w, const struct controller *c)
{
	const struct truth *t = w->truth;

	for (uint64_t seq = 1; seq <= t->last; seq++)
		if (t->keys[seq] && c->fold.of_key[t->keys[seq]] != seq && !is_unknown(w, c, seq))
			world_violate(w,
				      "controller %d acts without submission %" PRIu64
				      ", which was acknowledged in record %" PRIu64,
				      c->number, t->keys[seq], seq);
	truth_act(w, c);
}

void truth_act(struct world *w, const struct controller *c)
{
	if (c->led < w->truth->epoch)
		world_violate(w, "controller %d acts with epoch %" PRIu64 " after epoch %" PRIu64,
			      c->number, c->led, w->truth->epoch);
	w->truth->epoch = c->led;
}

bool truth_is_on(const struct world *w, const struct server *s)
{
	const struct truth *t = w->truth;
	uint64_t last = data_number(&s->data, "snap");

	if (data_number(&s->data, "seq") < t->last)
		return false;
	for (size_t i = s->data.from; i < s->data.count; i++)
		if (s->data.log[i]->flipped)
			return false;
	for (uint64_t seq = last + 1; seq <= t->last; seq++) {
		const struct entry *e = data_entry(&s->data, seq);

		for (int i = 0; i < ENTRY_FIELDS; i++)
			if (!e || !blob_equal(&e->fields[i], &t->entries[seq]->fields[i]))
				return false;
	}
	return true;
}

void truth_stop(struct world *w, const struct controller *c, const char *why)
{
	w->count.stops++;
	world_trace(w, "controller %d stops: %.150s", c->number, why);
	if (w->severe)
		return;
	for (int i = 0; i < SERVERS; i++)
		if (w->servers[i].primary && !truth_is_on(w, &w->servers[i]))
			return;
	world_violate(w, "controller %d stops, but no primary lacks a record: %.300s", c->number,
		      why);
}
