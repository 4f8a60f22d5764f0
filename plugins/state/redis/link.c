/*
 * A link. Sentinel names the primary, or each server is asked. The server must say itself that it is one, and
 * there must not be two. Before anything is written to it, its configuration and its data are checked.
 *
 * A replica counts as a copy only after it was asked (link_look). What it says stays true until it resyncs as
 * a whole, which the primary counts in sync_full; so the count is compared each time, and the replicas are
 * asked again only when it has changed.
 */
#include "link.h"
#include "../sqlite/error.h"
#include "head.h"
#include "script.h"
#include "server.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

size_t server_index(const struct engine *e, const char *name)
{
	size_t i = 0;

	while (i < e->server_count && strcmp(e->servers[i], name) != 0)
		i++;
	return i;
}

void link_close(struct link *l)
{
	if (l->conn)
		redisFree(l->conn);
	l->conn = NULL;
	for (size_t i = 0; i < COPIES_MAX; i++) {
		if (l->replica[i])
			redisFree(l->replica[i]);
		l->replica[i] = NULL;
		l->good[i] = false;
	}
	l->looked = false;
}

/* 1: it is a primary; 0: it is not. */
static int is_primary(struct engine *e, redisContext *c, struct armada_error *err)
{
	int rc = 0;
	redisReply *r = ASK(e, c, &rc, err, "ROLE");

	if (!r)
		return rc;
	rc = r->elements && r->element[0]->str && strcmp(r->element[0]->str, "master") == 0;
	freeReplyObject(r);
	return rc;
}

static int named_by(struct engine *e, const char *sentinel, char name[NAME_BYTES + 8],
		    struct armada_error *err)
{
	redisContext *c = NULL;
	redisReply *r;
	int rc = conn_open(e, sentinel, true, &c, err);

	if (rc)
		return rc;
	r = ASK(e, c, &rc, err, "SENTINEL", "get-master-addr-by-name", e->primary_name);
	if (r && r->type == REDIS_REPLY_ARRAY && r->elements == 2)
		snprintf(name, NAME_BYTES + 8, "%.64s:%.6s", r->element[0]->str,
			 r->element[1]->str);
	else if (r)
		rc = fail(err, -EINVAL, "the sentinel %s knows no primary '%s'", sentinel,
			  e->primary_name);
	if (r)
		freeReplyObject(r);
	redisFree(c);
	return rc;
}

static int ask_sentinels(struct engine *e, redisContext **ret_conn, size_t *ret_index,
			 struct armada_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < e->sentinel_count; i++) {
		char name[NAME_BYTES + 8] = "";

		rc = named_by(e, e->sentinels[i], name, err);
		if (rc == -EINTR || rc == -EINVAL)
			return rc;
		if (rc)
			continue;
		*ret_index = server_index(e, name);
		if (*ret_index == e->server_count)
			return fail(
				err, -EINVAL,
				"the sentinel %s names the primary %s, which is not one of 'servers': "
				"write the names that the servers have for the sentinels",
				e->sentinels[i], name);
		rc = conn_open(e, name, false, ret_conn, err);
		if (!rc)
			rc = is_primary(e, *ret_conn, err);
		if (rc == 1)
			return 0;
		if (rc == 0)
			rc = fail(err, -EAGAIN, "%s is no primary yet", name);
		if (*ret_conn)
			redisFree(*ret_conn);
		*ret_conn = NULL;
	}
	return rc;
}

/* Among the servers there must be one primary. */
static int ask_servers(struct engine *e, redisContext **ret_conn, size_t *ret_index,
		       struct armada_error *err)
{
	struct armada_error why = {""};
	int rc = 0, hard = 0;

	for (size_t i = 0; i < e->server_count; i++) {
		redisContext *c = NULL;

		rc = conn_open(e, e->servers[i], false, &c, &why);
		if (!rc)
			rc = is_primary(e, c, &why);
		if (rc == 1 && *ret_conn) {
			rc = fail(err, -EAGAIN, "%s and %s both say that they are the primary",
				  e->servers[*ret_index], e->servers[i]);
			redisFree(*ret_conn);
			redisFree(c);
			*ret_conn = NULL;
			return rc;
		}
		if (rc == 1) {
			*ret_conn = c;
			*ret_index = i;
			continue;
		}
		if (c)
			redisFree(c);
		if (rc < 0 && rc != -EAGAIN)
			hard = rc;
		if (rc < 0 && err)
			*err = why;
	}
	if (*ret_conn)
		return 0;
	if (hard)
		return hard;
	return rc < 0 ? rc : fail(err, -EAGAIN, "none of the servers is a primary");
}

static int read_run_id(struct link *l, struct armada_error *err)
{
	char why[128];
	int rc = 0;
	redisReply *r = ASK(l->engine, l->conn, &rc, err, "INFO", "server");

	if (!r)
		return rc;
	snprintf(l->run_id, sizeof(l->run_id), "%.40s", info_value(r->str, "run_id"));
	freeReplyObject(r);
	if (!server_is_durable(l->engine, l->conn, true, why))
		return fail(err, -EAGAIN, "%s cannot take records now: %s", conn_name(l->conn),
			    why);
	return 0;
}

int link_connect(struct link *l, struct armada_error *err)
{
	struct engine *e = l->engine;
	int rc;

	if (l->conn && !l->conn->err)
		return 0;
	link_close(l);
	l->uncertain = true;
	rc = e->sentinel_count ? ask_sentinels(e, &l->conn, &l->primary, err)
			       : ask_servers(e, &l->conn, &l->primary, err);
	if (!rc)
		rc = server_check(e, l->conn, err);
	if (!rc)
		rc = read_run_id(l, err);
	if (!rc)
		rc = script_load(l, err);
	if (rc)
		link_close(l);
	return rc;
}

int link_ready(struct link *l, struct head *ret_head, struct armada_error *err)
{
	bool fresh = !l->conn || l->conn->err;
	struct head h;
	int rc = link_connect(l, err);

	if (rc || (!fresh && !ret_head))
		return rc;
	rc = head_check(l, &h, err);
	if (rc == -EUCLEAN)
		atomic_store(&l->engine->stopped, true);
	if (!rc && ret_head)
		*ret_head = h;
	if (rc)
		link_close(l);
	return rc;
}

/* Connects to a replica if there is no connection. */
static bool reach(struct link *l, size_t i)
{
	struct engine *e = l->engine;
	struct armada_error why = {""};
	int rc;

	if (l->replica[i] && !l->replica[i]->err)
		return true;
	if (l->replica[i])
		redisFree(l->replica[i]);
	l->replica[i] = NULL;
	if (conn_open(e, e->servers[i], false, &l->replica[i], &why))
		return false;
	rc = server_check(e, l->replica[i], &why);
	if (!rc)
		return true;
	store_log(&e->local, 3, "%s: it does not count as a copy", why.text);
	redisFree(l->replica[i]);
	l->replica[i] = NULL;
	return false;
}

void link_look(struct link *l, uint64_t full_syncs, const bool connected[COPIES_MAX])
{
	if (!l->looked || l->full_syncs != full_syncs)
		for (size_t i = 0; i < COPIES_MAX; i++)
			l->good[i] = i == l->primary;
	l->looked = true;
	l->full_syncs = full_syncs;
	for (size_t i = 0; i < l->engine->server_count; i++) {
		char why[128];

		if (!l->good[i] && connected[i] && reach(l, i))
			l->good[i] = server_is_durable(l->engine, l->replica[i], false, why);
	}
}
