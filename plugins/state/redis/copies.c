/*
 * The in-sync set: the copies that must hold a record before it is acknowledged. The head of the store has
 * it, with a version. Only the leader changes it: by the script that checks its epoch, and then it waits
 * until all copies of the new set have the change.
 */
#include "copies.h"
#include "../sqlite/error.h"
#include "head.h"
#include "lead.h"
#include "link.h"
#include "script.h"
#include "server.h"
#include "sync.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAG_MAX = 1 << 20, SET_BYTES = COPIES_MAX * NAME_BYTES };

static void names_text(char (*names)[NAME_BYTES], size_t count, char text[SET_BYTES])
{
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		len += (size_t)snprintf(text + len, SET_BYTES - len, "%s%s", i ? " " : "",
					names[i]);
}

/* True if an administrator has taken the server out of the set. */
static bool is_out(const struct copy_set *set, const char *name)
{
	for (size_t i = 0; i < set->out_count; i++)
		if (strcmp(set->out[i], name) == 0)
			return true;
	return false;
}

static int change(struct engine *e, struct link *l, const struct copy_set *now,
		  struct copy_set *next, struct armada_error *err)
{
	struct command *c = calloc(1, sizeof(*c));
	char keys[KEYS_BYTES], text[SET_BYTES], out[SET_BYTES];
	int rc;

	if (!c)
		abort();
	next->version = now->version + 1;
	names_text(next->names, next->count, text);
	names_text(next->out, next->out_count, out);
	script_begin(l, c, SCRIPT_SET, keys, "head", NULL);
	command_u64(c, atomic_load(&e->epoch));
	command_u64(c, now->version);
	command_text(c, text);
	command_text(c, out);
	rc = conn_send(e, l->conn, c, err);
	if (!rc)
		rc = sync_send(l, err);
	if (!rc)
		rc = script_read(l, err);
	free(c);
	if (rc) {
		link_close(l);
		return rc;
	}
	rc = sync_wait(l, next, true, err);
	if (rc)
		return rc;
	set_note(e, next);
	store_log(&e->local, 4, "records are now acknowledged when they are on %s", text);
	return 0;
}

/* The set, with the version that the store has, also if a change was not confirmed. */
static int stored_set(struct engine *e, struct link *l, struct copy_set *ret_set,
		      struct armada_error *err)
{
	struct head h;
	int rc = link_ready(l, &h, err);

	if (rc)
		return rc;
	*ret_set = set_read(e);
	ret_set->version = h.set.version;
	return 0;
}

static void note_away(struct engine *e, const struct sync_view *v)
{
	for (size_t i = 0; i < e->server_count; i++) {
		if (v->holds[i] && v->lag[i] < LAG_MAX)
			e->away_us[i] = 0;
		else if (!e->away_us[i])
			e->away_us[i] = now_us();
	}
}

void copies_keep(struct engine *e, struct link *l)
{
	struct copy_set now, next = {0};
	struct sync_view v = {0};
	struct armada_error err = {""};
	bool differs = false;

	if (!e->shrink_us || !l->conn || l->conn->err || sync_look(l, &v, &err))
		return;
	note_away(e, &v);
	if (stored_set(e, l, &now, &err))
		return;
	next.out_count = now.out_count;
	memcpy(next.out, now.out, sizeof(next.out));
	for (size_t i = 0; i < e->server_count; i++) {
		bool has = set_has(&now, e->servers[i]);
		bool away = e->away_us[i] && now_us() - e->away_us[i] >= e->shrink_us;
		bool stays = has ? !away : !e->away_us[i] && !is_out(&now, e->servers[i]);

		differs = differs || stays != has;
		if (stays)
			snprintf(next.names[next.count++], NAME_BYTES, "%s", e->servers[i]);
	}
	if (differs && next.count >= 2 && change(e, l, &now, &next, &err))
		store_log(&e->local, 4, "the set of copies could not be changed: %s", err.text);
}

/*
 * For a leader the set that it waits for: a change that is in the store, but that not all copies have yet, is
 * not made, and can be asked for again.
 */
static struct copy_set shown_set(struct engine *e, const struct head *h)
{
	return atomic_load(&e->lease_until) ? set_read(e) : h->set;
}

static void fill(struct engine *e, struct link *l, const struct sync_view *v, const struct head *h,
		 const struct copy_set *set, struct armada_replica_copies *c)
{
	for (size_t i = 0; i < e->server_count; i++) {
		struct armada_replica_copy *copy = &c->copies[c->count++];

		snprintf(copy->name, sizeof(copy->name), "%s", e->servers[i]);
		copy->member = set_has(set, e->servers[i]);
		copy->primary = i == l->primary;
		copy->removed = is_out(set, e->servers[i]);
		copy->lag = v->lag[i];
		copy->seq = copy->primary || (v->holds[i] && !v->lag[i]) ? h->end.seq
			    : copy->member                               ? h->acked
									 : 0;
		copy->state = !v->connected[i]                     ? ARMADA_REPLICA_AWAY
			      : v->holds[i] && v->lag[i] < LAG_MAX ? ARMADA_REPLICA_IN_SYNC
								   : ARMADA_REPLICA_CATCHING;
		copy->away_us = e->away_us[i] ? now_us() - e->away_us[i] : 0;
		if (!v->connected[i])
			snprintf(copy->why, sizeof(copy->why), "not connected to the primary");
		else if (!l->good[i] &&
			 (!l->replica[i] || server_is_durable(e, l->replica[i], false, copy->why)))
			snprintf(copy->why, sizeof(copy->why), "refused: see the log");
	}
}

int copies_get(void *handle, struct armada_replica_copies *ret_copies, struct armada_error *err)
{
	struct engine *e = handle;
	struct link *l = &e->side;
	struct sync_view v = {0};
	struct copy_set set;
	struct head h;
	int rc = link_ready(l, &h, err);

	*ret_copies = (struct armada_replica_copies){0};
	if (!rc)
		rc = sync_look(l, &v, err);
	if (rc)
		return rc;
	note_away(e, &v);
	set = shown_set(e, &h);
	ret_copies->version = set.version;
	ret_copies->acked = h.acked;
	fill(e, l, &v, &h, &set, ret_copies);
	return 0;
}

/* Names of copies that are to be in the set, after a check. */
static int add_members(struct engine *e, const struct copy_set *now, const struct sync_view *v,
		       const char *const *names, size_t count, struct copy_set *next,
		       struct armada_error *err)
{
	if (count > e->server_count || (count < 2 && e->server_count > 1))
		return fail(err, -EINVAL,
			    "a set of %zu copies is refused: from 2 to %zu servers can be named",
			    count, e->server_count);
	for (size_t i = 0; i < count; i++) {
		size_t k = server_index(e, names[i]);

		if (k == e->server_count)
			return fail(err, -EINVAL, "'%s' is not one of 'servers'", names[i]);
		if (set_has(next, names[i]))
			return fail(err, -EINVAL, "'%s' is named twice", names[i]);
		if (!set_has(now, names[i]) && (!v->holds[k] || v->lag[k] >= LAG_MAX))
			return fail(err, -EINVAL, "%s does not hold all records on its disk yet",
				    names[i]);
		snprintf(next->names[next->count++], NAME_BYTES, "%s", names[i]);
	}
	return 0;
}

static int add_out(const char *const *out, size_t count, struct copy_set *next,
		   struct armada_error *err)
{
	if (count > COPIES_MAX)
		return fail(err, -EINVAL, "%zu servers are too many", count);
	for (size_t i = 0; i < count; i++) {
		if (set_has(next, out[i]))
			return fail(err, -EINVAL, "'%s' cannot be in the set and out of it",
				    out[i]);
		snprintf(next->out[next->out_count++], NAME_BYTES, "%s", out[i]);
	}
	return 0;
}

int copies_set(void *handle, const char *const *names, size_t count, const char *const *out,
	       size_t out_count, struct armada_error *err)
{
	struct engine *e = handle;
	struct copy_set now, next = {0};
	struct sync_view v = {0};
	int rc = lead_check(e, err);

	if (!rc)
		rc = link_ready(&e->side, NULL, err);
	if (!rc)
		rc = sync_look(&e->side, &v, err);
	if (rc)
		return rc;
	rc = stored_set(e, &e->side, &now, err);
	if (!rc)
		rc = add_members(e, &now, &v, names, count, &next, err);
	if (!rc)
		rc = add_out(out, out_count, &next, err);
	return rc ? rc : lead_answer(e, change(e, &e->side, &now, &next, err));
}
