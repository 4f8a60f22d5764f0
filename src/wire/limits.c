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
#include <uthash.h>

struct address_use {
	char address[ADDRESS_TEXT];
	uint32_t unauthenticated;
	UT_hash_handle hh;
};

struct uid_use {
	uint32_t uid;
	uint32_t conns;
	double tokens; /* requests that the uid may make at once; below 0: it must wait */
	int64_t at_us; /* time of the last refill */
	UT_hash_handle hh;
};

enum { SWEEP_ABOVE = 256 };

static const struct net_limits defaults = {.unauthenticated_per_address = 64,
					   .handshake_timeout_ms = 5000,
					   .conns_per_uid = 256,
					   .output_soft = 4 << 20,
					   .output_hard = 64 << 20};

void limits_init(struct limits *l, const struct net_limits *max)
{
	struct net_limits *m = &l->max;

	*l = (struct limits){.max = max ? *max : defaults};
	if (!m->unauthenticated_per_address)
		m->unauthenticated_per_address = defaults.unauthenticated_per_address;
	if (!m->handshake_timeout_ms)
		m->handshake_timeout_ms = defaults.handshake_timeout_ms;
	if (!m->conns_per_uid)
		m->conns_per_uid = defaults.conns_per_uid;
	if (!m->output_soft)
		m->output_soft = defaults.output_soft;
	if (!m->output_hard)
		m->output_hard = defaults.output_hard;
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

bool limits_handshake_begin(struct limits *l, const char *address)
{
	struct address_use *a;

	HASH_FIND_STR(l->addresses, address, a);
	if (!a) {
		a = xcalloc(1, sizeof(*a));
		snprintf(a->address, sizeof(a->address), "%s", address);
		HASH_ADD_STR(l->addresses, address, a);
	}
	if (a->unauthenticated >= l->max.unauthenticated_per_address)
		return false;
	a->unauthenticated++;
	return true;
}

void limits_handshake_end(struct limits *l, const char *address)
{
	struct address_use *a;

	HASH_FIND_STR(l->addresses, address, a);
	assert(a && a->unauthenticated);
	if (--a->unauthenticated == 0) {
		HASH_DEL(l->addresses, a);
		free(a);
	}
}

static void refill(const struct limits *l, struct uid_use *u, int64_t now_us)
{
	double most = l->max.requests_burst;

	u->tokens += (double)(now_us - u->at_us) * l->max.requests_per_second / 1e6;
	u->tokens = u->tokens > most ? most : u->tokens;
	u->at_us = now_us;
}

/* The entry has the values of a new one, so it can be dropped. */
static bool is_idle(const struct limits *l, struct uid_use *u, int64_t now_us)
{
	refill(l, u, now_us);
	return !u->conns && u->tokens >= l->max.requests_burst;
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

static struct uid_use *uid_find(struct limits *l, uint32_t uid)
{
	struct uid_use *u;

	HASH_FIND(hh, l->uids, &uid, sizeof(uid), u);
	return u;
}

bool limits_uid_open(struct limits *l, uint32_t uid, int64_t now_us)
{
	struct uid_use *u = uid_find(l, uid);

	if (!u) {
		sweep(l, now_us);
		u = xcalloc(1, sizeof(*u));
		u->uid = uid;
		u->tokens = l->max.requests_burst;
		u->at_us = now_us;
		HASH_ADD(hh, l->uids, uid, sizeof(u->uid), u);
	}
	if (u->conns >= l->max.conns_per_uid)
		return false;
	u->conns++;
	return true;
}

void limits_uid_close(struct limits *l, uint32_t uid, int64_t now_us)
{
	struct uid_use *u = uid_find(l, uid);

	assert(u && u->conns);
	u->conns--;
	if (is_idle(l, u, now_us)) {
		HASH_DEL(l->uids, u);
		free(u);
	}
}

int64_t limits_request(struct limits *l, uint32_t uid, int64_t now_us)
{
	struct uid_use *u;

	if (!l->max.requests_per_second)
		return 0;
	u = uid_find(l, uid);
	assert(u);
	refill(l, u, now_us);
	u->tokens -= 1;
	return u->tokens >= 0 ? 0 : (int64_t)(-u->tokens * 1e6 / l->max.requests_per_second) + 1;
}
