/*
 * Counts connections and requests (limits.h), in one hash table by address and one by uid. Input:
 * begin and end of connections, requests, the time. Output: whether a connection is allowed, or how
 * long it must pause. The requests of a uid use a token bucket: the number of tokens may become
 * negative, and the connection pauses until it is 0 again. Entries that are equal to new ones are
 * dropped.
 */
#include "wire/limits.h"

#include "util/mem.h"
#include "wire/address.h"

#include <assert.h>
#include <stdio.h>

struct address_use {
	char address[ADDRESS_TEXT];
	uint32_t handshakes;
	TAILQ_HEAD(, handshake_use) list;
	UT_hash_handle hh;
};

enum { SWEEP_ABOVE = 256 };

static const struct net_limits defaults = {.handshakes_per_address = 64,
					   .handshakes = 1024,
					   .handshake_timeout_ms = 5000,
					   .conns_per_uid = 256,
					   .conns = 16384,
					   .agents = 16384,
					   .output_soft = 1 << 20,
					   .output_hard = 64 << 20,
					   .output_per_user = 16 << 20,
					   .output_total = 128 << 20,
					   .commit_per_user = 2 << 20,
					   .output_timeout_ms = 30000,
					   .large_per_user = 8,
					   .large_total = 32};

#define TAKE_DEFAULT(field)                                                                        \
	if (!m->field)                                                                             \
	m->field = defaults.field

void limits_init(struct limits *l, const struct net_limits *max)
{
	struct net_limits *m = &l->max;

	*l = (struct limits){.max = max ? *max : defaults};
	TAILQ_INIT(&l->all);
	TAKE_DEFAULT(handshakes_per_address);
	TAKE_DEFAULT(handshakes);
	TAKE_DEFAULT(handshake_timeout_ms);
	TAKE_DEFAULT(conns_per_uid);
	TAKE_DEFAULT(conns);
	TAKE_DEFAULT(agents);
	TAKE_DEFAULT(output_soft);
	TAKE_DEFAULT(output_hard);
	TAKE_DEFAULT(output_per_user);
	TAKE_DEFAULT(output_total);
	TAKE_DEFAULT(commit_per_user);
	TAKE_DEFAULT(output_timeout_ms);
	TAKE_DEFAULT(large_per_user);
	TAKE_DEFAULT(large_total);
	if (!m->requests_burst)
		m->requests_burst = m->requests_per_second;
}

void limits_done(struct limits *l)
{
	struct address_use *a, *next_a;
	struct uid_use *u, *next_u;

	HASH_ITER (hh, l->addresses, a, next_a) {
		HASH_DEL(l->addresses, a);
		free(a);
	}
	HASH_ITER (hh, l->uids, u, next_u) {
		HASH_DEL(l->uids, u);
		free(u);
	}
}

bool limits_handshake_room(const struct limits *l, const char *address)
{
	const struct address_use *a;

	HASH_FIND_STR(l->addresses, address, a);
	return l->handshakes < l->max.handshakes &&
	       (!a || a->handshakes < l->max.handshakes_per_address);
}

void limits_handshake_begin(struct limits *l, const char *address, struct handshake_use *h,
			    int64_t now_us)
{
	struct address_use *a;

	HASH_FIND_STR(l->addresses, address, a);
	if (!a) {
		a = xcalloc(1, sizeof(*a));
		snprintf(a->address, sizeof(a->address), "%s", address);
		TAILQ_INIT(&a->list);
		HASH_ADD_STR(l->addresses, address, a);
	}
	h->of = a;
	h->since_us = now_us;
	TAILQ_INSERT_TAIL(&a->list, h, of_address);
	TAILQ_INSERT_TAIL(&l->all, h, of_all);
	a->handshakes++;
	l->handshakes++;
}

void limits_handshake_end(struct limits *l, struct handshake_use *h)
{
	struct address_use *a = h->of;

	if (!a)
		return;
	h->of = NULL;
	TAILQ_REMOVE(&a->list, h, of_address);
	TAILQ_REMOVE(&l->all, h, of_all);
	l->handshakes--;
	if (--a->handshakes == 0) {
		HASH_DEL(l->addresses, a);
		free(a);
	}
}

struct handshake_use *limits_handshake_next(const struct limits *l, const char *address,
					    const struct handshake_use *h)
{
	struct address_use *a;

	HASH_FIND_STR(l->addresses, address, a);
	if (a && a->handshakes >= l->max.handshakes_per_address)
		return h ? TAILQ_NEXT(h, of_address) : TAILQ_FIRST(&a->list);
	return h ? TAILQ_NEXT(h, of_all) : TAILQ_FIRST(&l->all);
}

static void refill(const struct limits *l, struct uid_use *u, int64_t now_us)
{
	double burst = l->max.requests_burst;

	u->tokens += (double)(now_us - u->at_us) * l->max.requests_per_second / 1e6;
	u->tokens = u->tokens > burst ? burst : u->tokens;
	u->at_us = now_us;
}

/* The entry has the values of a new one, so it can be dropped. Privileged users are few and are kept. */
static bool is_idle(const struct limits *l, struct uid_use *u, int64_t now_us)
{
	refill(l, u, now_us);
	return !u->conns && !u->privileged && u->tokens >= l->max.requests_burst;
}

static void sweep(struct limits *l, int64_t now_us)
{
	struct uid_use *u, *next;

	if (HASH_COUNT(l->uids) <= SWEEP_ABOVE)
		return;
	HASH_ITER (hh, l->uids, u, next) {
		if (is_idle(l, u, now_us)) {
			HASH_DEL(l->uids, u);
			free(u);
		}
	}
}

static struct uid_use *uid_new(struct limits *l, uint32_t uid, int64_t now_us)
{
	struct uid_use *u;

	sweep(l, now_us);
	u = xcalloc(1, sizeof(*u));
	u->uid = uid;
	u->tokens = l->max.requests_burst;
	u->at_us = now_us;
	TAILQ_INIT(&u->ready);
	HASH_ADD(hh, l->uids, uid, sizeof(u->uid), u);
	return u;
}

struct uid_use *limits_uid_open(struct limits *l, uint32_t uid, bool privileged, int64_t now_us)
{
	struct uid_use *u;

	HASH_FIND(hh, l->uids, &uid, sizeof(uid), u);
	privileged = privileged || (u && u->privileged);
	if ((l->conns >= l->max.conns && !privileged) || (u && u->conns >= l->max.conns_per_uid))
		return NULL;
	if (!u)
		u = uid_new(l, uid, now_us);
	if (privileged)
		limits_privilege(l, u);
	u->conns++;
	l->conns++;
	return u;
}

void limits_uid_close(struct limits *l, struct uid_use *u, int64_t now_us)
{
	assert(u->conns);
	u->conns--;
	l->conns--;
	if (is_idle(l, u, now_us)) {
		HASH_DEL(l->uids, u);
		free(u);
	}
}

int64_t limits_request(struct limits *l, struct uid_use *u, int64_t now_us)
{
	if (!l->max.requests_per_second)
		return 0;
	refill(l, u, now_us);
	u->tokens -= 1;
	return u->tokens >= 0 ? 0 : (int64_t)(-u->tokens * 1e6 / l->max.requests_per_second) + 1;
}

void limits_privilege(struct limits *l, struct uid_use *u)
{
	if (u->privileged)
		return;
	u->privileged = true;
	l->output -= u->output;
	l->large -= u->large;
}

void limits_output(struct limits *l, struct uid_use *u, size_t before, size_t now)
{
	u->output += now - before;
	if (!u->privileged)
		l->output += now - before;
}

void limits_commit(struct uid_use *u, int64_t bytes)
{
	u->commit = (size_t)((int64_t)u->commit + bytes);
}

bool limits_full(const struct limits *l, const struct uid_use *u)
{
	return u->output > l->max.output_per_user || u->commit > l->max.commit_per_user ||
	       (!u->privileged && l->output > l->max.output_total);
}

bool limits_room(const struct limits *l, const struct uid_use *u)
{
	return u->output <= l->max.output_per_user / 2 && u->commit <= l->max.commit_per_user / 2 &&
	       (u->privileged || l->output <= l->max.output_total / 2);
}

bool limits_large_begin(struct limits *l, struct uid_use *u)
{
	if (u->large >= l->max.large_per_user || (!u->privileged && l->large >= l->max.large_total))
		return false;
	u->large++;
	l->large += !u->privileged;
	return true;
}

void limits_large_end(struct limits *l, struct uid_use *u)
{
	u->large--;
	l->large -= !u->privileged;
}
