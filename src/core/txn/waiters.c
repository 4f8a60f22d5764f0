/*
 * Clients that wait for the end of a job: the lists by job and by connection, and the counts.
 *
 * Input: WAIT_JOB requests, ends of jobs, closed connections. Output: waiters in live->waits.
 * A connection and a user have an entry while they have waiters. Caveat: a waiter points to the
 * volatile data of its job, so live_forget_job() drops the waiters that are left.
 */
#include "core/txn/waiters.h"

#include "util/mem.h"

static struct waiting_conn *find_conn(const struct live *l, uint64_t conn)
{
	struct waiting_conn *c;

	HASH_FIND(hh, l->waiting_conns, &conn, sizeof(conn), c);
	return c;
}

static struct waiting_user *find_user(const struct live *l, uint32_t uid)
{
	struct waiting_user *u;

	HASH_FIND(hh, l->waiting_users, &uid, sizeof(uid), u);
	return u;
}

uint64_t waiters_of_conn(const struct live *l, uint64_t conn)
{
	const struct waiting_conn *c = find_conn(l, conn);

	return c ? c->count : 0;
}

uint64_t waiters_of_user(const struct live *l, uint32_t uid)
{
	const struct waiting_user *u = find_user(l, uid);

	return u ? u->count : 0;
}

static struct waiting_user *obtain_user(struct live *l, uint32_t uid, const char *name)
{
	struct waiting_user *u = find_user(l, uid);

	if (u)
		return u;
	u = xcalloc(1, sizeof(*u));
	u->uid = uid;
	u->name = xstrdup(name);
	HASH_ADD(hh, l->waiting_users, uid, sizeof(u->uid), u);
	return u;
}

static struct waiting_conn *obtain_conn(struct live *l, uint64_t conn, uint32_t uid,
					const char *name)
{
	struct waiting_conn *c = find_conn(l, conn);

	if (c)
		return c;
	c = xcalloc(1, sizeof(*c));
	c->conn = conn;
	c->user = obtain_user(l, uid, name);
	HASH_ADD(hh, l->waiting_conns, conn, sizeof(c->conn), c);
	return c;
}

struct waiter *waiter_add(struct live *l, const struct job *j, uint64_t conn, uint32_t uid,
			  const char *name)
{
	struct waiter *w = xcalloc(1, sizeof(*w));

	w->job = live_job(l, j);
	w->conn = obtain_conn(l, conn, uid, name);
	LIST_INSERT_HEAD(&w->job->waiters, w, of_job);
	LIST_INSERT_HEAD(&w->conn->waiters, w, of_conn);
	w->conn->count++;
	w->conn->user->count++;
	l->waiter_count++;
	return w;
}

static void drop_user(struct live *l, struct waiting_user *u)
{
	if (--u->count)
		return;
	HASH_DEL(l->waiting_users, u);
	free(u->name);
	free(u);
}

void waiter_drop(struct live *l, struct waiter *w)
{
	struct waiting_conn *c = w->conn;

	LIST_REMOVE(w, of_job);
	LIST_REMOVE(w, of_conn);
	free(w);
	l->waiter_count--;
	drop_user(l, c->user);
	if (--c->count)
		return;
	HASH_DEL(l->waiting_conns, c);
	free(c);
}

void waiters_forget_conn(struct live *l, uint64_t conn)
{
	struct waiting_conn *c = find_conn(l, conn);

	for (uint64_t left = c ? c->count : 0; left; left--)
		waiter_drop(l, LIST_FIRST(&c->waiters));
}
