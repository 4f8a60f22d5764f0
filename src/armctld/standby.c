/*
 * The phases of a controller among several (standby.h). Input: records and the lead (replica.h), messages
 * of clients. Output: the folded state, answers to requests that only read, and a controller that leads.
 *
 * A standby has a core without a begun epoch: nothing decides, and nothing is written but the history.
 * With the lead it stays a standby for all others until the first record of its epoch is on all copies:
 * before that another controller may have the lead, and a record may vanish.
 * When the lead is lost, the program is executed again with the same arguments and in the same process,
 * as a standby. So no answer, order or record that was prepared before can leave it.
 */
#define LOG_AREA LOG_AREA_STATE
#include "config.h"

#include "armctld/standby.h"

#include "armctld/copy_change.h"
#include "armctld/effects.h"
#include "armctld/peer_marks.h"
#include "armctld/replay.h"
#include "armctld/startup.h"
#include "core/state/state.h"
#include "util/clock.h"
#include "util/log_peer.h"
#include "util/mem.h"
#include "util/notify.h"
#include "util/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_REFUSED = 1, EXIT_TRY_AGAIN = 75 };

static int on_record(void *arg, uint64_t seq, const void *data, size_t len, struct err *err)
{
	return replay_record(arg, seq, data, len, err);
}

static uint64_t state_epoch(void *arg)
{
	const struct ctld *c = arg;

	return core_epoch(c->core);
}

static void on_lead(void *arg, uint64_t epoch)
{
	struct ctld *c = arg;
	struct err err;

	if (c->stopping)
		return;
	c->standing.leader[0] = '\0';
	if (startup_lead(c, epoch, &err) < 0)
		startup_failed(c, false, err.text);
}

void standby_durable(struct ctld *c)
{
	if (!c->standing.standby)
		return;
	c->standing.standby = false;
	replica_appended(c->replica, core_seq(c->core), core_epoch(c->core));
	log_notice("controller %s leads cluster %s, epoch %" PRIu64 ", at record %" PRIu64,
		   c->standing.name, c->conf->cluster, core_epoch(c->core), core_seq(c->core));
}

static void compare(void *arg, const struct armada_replica_controller *other, struct err *ret,
		    char ret_history[REPLICA_HISTORY + 1])
{
	struct ctld *c = arg;
	bool key = false;

	replica_facts_history(other->data, other->len, ret_history, REPLICA_HISTORY + 1);
	replica_facts_compare(&c->facts, other->data, other->len, &key, ret);
	if (!key || !other->leads || other->age_us < 0)
		return;
	err_set(ret, 0,
		"the order key in %s/order.key is not that of controller %s, which leads: copy its file "
		"order.key to this machine, readable only by controller_user, and start armctld again",
		c->boot->state_dir, other->name);
	startup_failed(c, false, ret->text);
}

static size_t ask_marks(void *arg, struct peer_mark *list)
{
	const struct ctld *c = arg;
	const struct peers peers = {c->boot, c->host, c->auth, c->auth_handle};

	return peer_marks_ask(&peers, list);
}

static void on_failed(void *arg, bool again, const char *sentence) __attribute__((noreturn));
static void on_failed(void *arg, bool again, const char *sentence)
{
	startup_failed(arg, again, sentence);
}

/* The administrator's change is made: the log says so. */
static void copy_changed(void *arg, const struct copy_change *x)
{
	struct ctld *c = arg;
	struct input in = {.kind = INPUT_COPIES,
			   .conn = x->conn,
			   .request = x->request,
			   .text = x->by,
			   .copies = &x->copies};

	if (x->rc < 0)
		sessions_error(c->sessions, x->conn, x->request,
			       x->rc == -EINVAL ? EXIT_REFUSED : EXIT_TRY_AGAIN, x->err.text);
	else if (c->commit)
		ctld_input(c, &in);
}

void standby_change_copy(struct ctld *c, const struct effect *e)
{
	struct copy_change x = {.member = e->member, .conn = e->conn, .request = e->request};

	snprintf(x.name, sizeof(x.name), "%s", e->text);
	snprintf(x.by, sizeof(x.by), "%s", e->by);
	if (!c->replica)
		sessions_error(c->sessions, e->conn, e->request, EXIT_REFUSED,
			       "the state has no copies: its engine belongs to one controller");
	else if (!replica_change_copy(c->replica, &x))
		sessions_error(c->sessions, e->conn, e->request, EXIT_TRY_AGAIN,
			       "another change of the copies is being made: try again");
}

/* A change that the engine made, or one whose controller ended before the log had it. */
static void note_copies(struct ctld *c)
{
	struct replica_view v;
	struct input in = {.kind = INPUT_COPIES, .copies = &v.copies};

	replica_look(c->replica, &v);
	if (v.copies.version && v.copies.version != core_state(c->core)->copies_version)
		ctld_input(c, &in);
}

static void find_leader(void *arg, char ret_address[ARMADA_REPLICA_ADDRESS_MAX + 1])
{
	replica_leader(arg, ret_address);
}

static void note_history(void *arg, const char *text)
{
	replica_note_history(arg, text);
}

/* A controller that begins with a snapshot lacks the rows of the records before it. */
static int copy_history(struct ctld *c, struct err *err)
{
	const struct history_copy_config config = {
		.conf = c->boot,
		.host = c->host,
		.auth = c->auth,
		.auth_handle = c->auth_handle,
		.key = &c->key,
		.history = c->history,
		.leader = find_leader,
		.note = note_history,
		.arg = c->replica,
	};

	return history_copy_new(&c->history_copy, &config, c->found.history_seq, c->snapshots.seq,
				err);
}

/* The facts of the configuration that the process started with. */
int standby_begin(struct ctld *c, struct err *err)
{
	static const struct replica_ops ops = {.record = on_record,
					       .epoch = state_epoch,
					       .lead = on_lead,
					       .failed = on_failed,
					       .compare = compare,
					       .ask_marks = ask_marks,
					       .copy_changed = copy_changed};
	const struct replica_config config = {
		.state = c->state,
		.handle = c->state_handle,
		.name = c->conf->name,
		.address = c->conf->controllers[c->conf->self],
		.facts = c->facts.data,
		.facts_len = c->facts.len,
		.seq = core_seq(c->core),
		.epoch = core_epoch(c->core),
		.ops = &ops,
		.arg = c,
	};

	c->replica = replica_new(c->base, &config);
	log_notice("controller %s stands by, at record %" PRIu64, c->conf->name, core_seq(c->core));
	return copy_history(c, err);
}

static void refuse(struct ctld *c, const struct input *in)
{
	char text[512];

	if (c->commit)
		snprintf(text, sizeof(text),
			 "controller %.63s has the lead, and leads when its first record is on all "
			 "copies (actl ping)",
			 c->standing.name);
	else if (*c->standing.leader)
		snprintf(text, sizeof(text), "controller %.63s does not lead; the leader is %.255s",
			 c->standing.name, c->standing.leader);
	else
		snprintf(text, sizeof(text),
			 "controller %.63s does not lead, and no leader is known: try again",
			 c->standing.name);
	sessions_error(c->sessions, in->conn, in->request, EXIT_TRY_AGAIN, text);
}

void standby_input(struct ctld *c, struct input *in)
{
	struct output out = {0};

	if (in->kind != INPUT_MESSAGE)
		return;
	if (!msg_only_reads(in->type) && !(c->commit && msg_before_acting(in->type))) {
		refuse(c, in);
		return;
	}
	in->wall_us = clock_us(CLOCK_REALTIME);
	in->steady_us = clock_us(CLOCK_BOOTTIME);
	in->release = PACKAGE_VERSION;
	core_view(c->core, in, &out);
	for (size_t i = 0; i < out.effect_count; i++)
		effects_apply(c, &out.effects[i]);
}

void standby_tick(struct ctld *c)
{
	char leader[ARMADA_REPLICA_ADDRESS_MAX + 1];

	if (!c->replica)
		return;
	if (c->commit)
		standby_check_lease(c);
	if (!c->standing.standby) {
		replica_appended(c->replica, core_seq(c->core), core_epoch(c->core));
		note_copies(c);
		return;
	}
	c->standing.lag_ms = replica_lag_us(c->replica) / 1000;
	if (c->commit) /* what only the holder of the lead takes is sent here */
		snprintf(c->standing.leader, sizeof(c->standing.leader), "%.255s",
			 c->conf->controllers[c->conf->self]);
	if (c->commit)
		return;
	replica_leader(c->replica, leader);
	snprintf(c->standing.leader, sizeof(c->standing.leader), "%.255s", leader);
}

void standby_check_lease(struct ctld *c)
{
	if (c->replica && !replica_leads(c->replica))
		startup_failed(c, true, "the lease has ended before it was renewed");
}

/* NULL: this controller may take over; else why not. */
static const char *why_not(struct ctld *c, const char *heir, char text[200])
{
	struct replica_view v;

	if (!c->replica || c->conf->controller_count < 2)
		return "there is no other controller: controllers in armada.conf has one";
	replica_look(c->replica, &v);
	for (size_t i = 0; i < v.peer_count; i++) {
		const struct replica_peer *p = &v.peers[i];

		if (*heir ? strcmp(p->name, heir) != 0 : strcmp(p->name, c->conf->name) == 0)
			continue;
		if (p->age_us >= 0 && p->age_us <= REPLICA_AWAY_US)
			return strcmp(p->name, c->conf->name) == 0 ? "it leads already" : NULL;
	}
	if (!*heir)
		return "no other controller is running";
	snprintf(text, 200, "controller '%.64s' is not running", heir);
	return text;
}

void standby_take_over(struct ctld *c, const char *heir, uint64_t conn, uint32_t request)
{
	char text[200];
	const char *why = why_not(c, heir, text);
	CLEANUP_BUF struct buf body = {0};
	Armada__OkReply ok = ARMADA__OK_REPLY__INIT;

	if (why) {
		sessions_error(c->sessions, conn, request, EXIT_REFUSED, why);
		return;
	}
	snprintf(text, sizeof(text), "controller %.64s gives the lead to %s", c->conf->name,
		 *heir ? heir : "another one");
	ok.text = text;
	msg_pack(&ok, &body);
	sessions_send(c->sessions, conn, MSG_OK, request, body.data, body.len);
	snprintf(c->heir, sizeof(c->heir), "%s", heir);
	c->restarts = true;
	ctld_stop(c, text);
}

/* ---- EFFECT_CONTROLLERS ---- */

static Armada__ControllerRow *add_row(struct arena *a, Armada__ControllersReply *r,
				      const char *name, const char *address)
{
	Armada__ControllerRow *row = arena_alloc(a, sizeof(*row));

	armada__controller_row__init(row);
	row->name = arena_strdup(a, name);
	row->address = arena_strdup(a, address);
	row->role = (char *)"away";
	row->age_ms = -1;
	r->rows[r->n_rows++] = row;
	return row;
}

static void fill_self(const struct ctld *c, struct arena *a, Armada__ControllerRow *row)
{
	char history[REPLICA_HISTORY + 1];

	row->role = c->standing.standby ? (char *)"standby" : (char *)"leader";
	row->epoch = core_epoch(c->core);
	row->seq = core_seq(c->core);
	row->age_ms = 0;
	row->lag_ms = c->standing.standby ? replica_lag_us(c->replica) / 1000 : 0;
	if (!c->replica)
		return;
	replica_history(c->replica, history);
	row->history = arena_strdup(a, history);
}

static void fill_peer(struct arena *a, const struct replica_peer *p, Armada__ControllerRow *row)
{
	if (p->age_us >= 0 && p->age_us <= REPLICA_AWAY_US)
		row->role = p->leads ? (char *)"leader" : (char *)"standby";
	row->epoch = p->epoch;
	row->seq = p->seq;
	row->age_ms = p->age_us >= 0 ? p->age_us / 1000 : -1;
	row->problem = arena_strdup(a, p->difference.text);
	row->history = arena_strdup(a, p->history);
}

static const struct replica_peer *peer_find(const struct replica_view *v, const char *name)
{
	for (size_t i = 0; i < v->peer_count; i++)
		if (strcmp(v->peers[i].name, name) == 0)
			return &v->peers[i];
	return NULL;
}

static bool is_listed(const struct conf *conf, const char *name)
{
	for (size_t i = 0; i < conf->controller_count; i++)
		if (strcmp(conf->controller_names[i], name) == 0)
			return true;
	return false;
}

/* Those of armada.conf, then others that have announced themselves. */
static void add_controllers(const struct ctld *c, const struct replica_view *v, struct arena *a,
			    Armada__ControllersReply *r)
{
	r->rows = arena_alloc(a, (c->conf->controller_count + v->peer_count) * sizeof(*r->rows));
	for (size_t i = 0; i < c->conf->controller_count; i++) {
		const char *name = c->conf->controller_names[i];
		const struct replica_peer *p = peer_find(v, name);
		Armada__ControllerRow *row = add_row(a, r, name, c->conf->controllers[i]);

		if (i == c->conf->self)
			fill_self(c, a, row);
		else if (p)
			fill_peer(a, p, row);
	}
	for (size_t i = 0; i < v->peer_count; i++)
		if (!is_listed(c->conf, v->peers[i].name))
			fill_peer(a, &v->peers[i],
				  add_row(a, r, v->peers[i].name, v->peers[i].address));
	for (size_t i = 0; i < r->n_rows; i++)
		for (size_t k = 0; k < r->n_rows; k++)
			if (strcmp(r->rows[k]->role, "leader") == 0 &&
			    r->rows[k]->seq > r->rows[i]->seq)
				r->rows[i]->behind = r->rows[k]->seq - r->rows[i]->seq;
}

/* A controller has the lead, but does not act yet, because its first record waits. */
static void add_problem(struct ctld *c, struct replica_view *v)
{
	const char *name = c->commit && c->standing.standby ? c->standing.name : NULL;
	char why[512] = "";

	if (name)
		commit_stalled(c->commit, why);
	for (size_t i = 0; i < v->peer_count && !name; i++) {
		const struct replica_peer *p = &v->peers[i];

		if (!p->leads && p->age_us >= 0 && p->age_us <= REPLICA_AWAY_US &&
		    p->epoch > core_epoch(c->core))
			name = p->name;
	}
	if (name && !v->problem.text[0])
		snprintf(v->problem.text, sizeof(v->problem.text),
			 "controller %.63s has the lead, and leads when its first record is on all "
			 "copies%s%.300s",
			 name, *why ? ": " : "", why);
}

static void add_copies(const struct replica_view *v, struct arena *a, Armada__ControllersReply *r)
{
	static const char *const states[] = {[ARMADA_REPLICA_IN_SYNC] = "in-sync",
					     [ARMADA_REPLICA_CATCHING] = "catching-up",
					     [ARMADA_REPLICA_AWAY] = "away"};

	r->copies = arena_alloc(a, v->copies.count * sizeof(*r->copies));
	for (size_t i = 0; i < v->copies.count; i++) {
		const struct armada_replica_copy *from = &v->copies.copies[i];
		Armada__CopyRow *row = arena_alloc(a, sizeof(*row));

		armada__copy_row__init(row);
		row->name = arena_strdup(a, from->name);
		row->state = (char *)(from->state <= ARMADA_REPLICA_AWAY && states[from->state]
					      ? states[from->state]
					      : "unknown");
		row->member = from->member;
		row->primary = from->primary;
		row->lag_bytes = from->lag;
		row->away_ms = from->away_us / 1000;
		row->why = arena_strdup(a, from->why);
		row->removed = from->removed;
		row->seq = from->seq;
		r->copies[r->n_copies++] = row;
	}
	r->acked = v->copies.acked;
	r->problem = arena_strdup(a, v->problem.text);
}

void standby_show(struct ctld *c, const struct effect *e)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	Armada__ControllersReply r = ARMADA__CONTROLLERS_REPLY__INIT;
	struct replica_view *v = arena_zalloc(arena, 1, sizeof(*v));
	struct armada_replica_mark mark;
	CLEANUP_BUF struct buf body = {0};

	if (c->replica)
		replica_look(c->replica, v);
	add_problem(c, v);
	r.answers = (char *)c->conf->name;
	add_controllers(c, v, arena, &r);
	add_copies(v, arena, &r);
	r.set_version = core_state(c->core)->copies_version;
	r.set_us = core_state(c->core)->copies_us;
	if (r.set_version)
		r.set_by = core_state(c->core)->copies_by;
	if (c->replica && replica_mark(c->replica, &mark)) {
		r.mark = mark.seq;
		r.mark_hash = (ProtobufCBinaryData){mark.len, mark.hash};
	}
	msg_pack(&r, &body);
	sessions_send(c->sessions, e->conn, MSG_CONTROLLERS_REPLY, e->request, body.data, body.len);
}
