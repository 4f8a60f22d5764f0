/*
 * Token buckets for the submit rates of queues, accounts, users in them, and users.
 *
 * Input: a rate and a burst, the key of the bucket, and the steady time of the input. Output: how
 * many jobs may be submitted now, or how long to wait. A bucket stores its debt, in 1/3600000000 of
 * a job: a rate of one job in an hour pays one unit in a microsecond, so nothing is lost to
 * rounding. Caveats: a debt is updated only when it is charged; owes_now() computes it for the
 * present time. Buckets without debt are freed a few at a time, on each charge.
 */
#include "core/txn/rate_limit.h"

#include "util/mem.h"

/* The units of one job. A rate of one job in an hour pays one unit in a microsecond. */
#define JOB INT64_C(3600000000)

struct bucket {
	char *key;
	int64_t owes; /* debt at at_us */
	int64_t at_us, hourly;
	TAILQ_ENTRY(bucket) by_use;
	UT_hash_handle hh;
};

static void make_key(const struct rate_limit_of *of, struct buf *key)
{
	/* the name of a queue or an account never contains a slash */
	buf_addf(key, "%d/%s/%s", (int)of->kind, of->name ? of->name : "",
		 of->user ? of->user : "");
}

static struct bucket *find(const struct txn *txn, const struct rate_limit_of *of)
{
	struct buf key CLEANUP_BUF = {0};
	struct bucket *b;

	make_key(of, &key);
	HASH_FIND(hh, txn->live->buckets, key.data, key.len, b);
	return b;
}

static int64_t owes_now(const struct txn *txn, const struct bucket *b)
{
	__int128 left;

	if (!b)
		return 0;
	left = (__int128)b->owes - (__int128)b->hourly * (txn->in->steady_us - b->at_us);
	return left > 0 ? (int64_t)left : 0;
}

/* The burst is at most 10^9, so the product cannot overflow. */
static int64_t room_for(const struct rate_limit_of *of)
{
	return quota_burst(of->quota) * JOB;
}

int64_t rate_limit_room(const struct txn *txn, const struct rate_limit_of *of)
{
	int64_t room;

	if (!quota_has(of->quota, QUOTA_SUBMIT_RATE))
		return INT64_MAX;
	if (!of->quota->of[QUOTA_SUBMIT_RATE])
		return 0;
	room = room_for(of) - owes_now(txn, find(txn, of));
	return room > 0 ? room / JOB : 0;
}

int64_t rate_limit_wait_us(const struct txn *txn, const struct rate_limit_of *of, int64_t jobs)
{
	int64_t hourly = of->quota->of[QUOTA_SUBMIT_RATE];
	int64_t over = owes_now(txn, find(txn, of)) + jobs * JOB - room_for(of);

	return over > 0 ? over / hourly + (over % hourly > 0) : 0;
}

static void drop(struct txn *txn, struct bucket *b)
{
	TAILQ_REMOVE(&txn->live->buckets_by_use, b, by_use);
	HASH_DEL(txn->live->buckets, b);
	free(b->key);
	free(b);
}

/*
 * Check the two buckets that were unused the longest, and free those without debt. Each charge
 * makes at most one new bucket, so buckets do not accumulate.
 */
static void forget(struct txn *txn)
{
	for (int i = 0; i < 2; i++) {
		struct bucket *b = TAILQ_FIRST(&txn->live->buckets_by_use);

		if (!b)
			return;
		if (owes_now(txn, b) == 0) {
			drop(txn, b);
			continue;
		}
		TAILQ_REMOVE(&txn->live->buckets_by_use, b, by_use);
		TAILQ_INSERT_TAIL(&txn->live->buckets_by_use, b, by_use);
	}
}

void rate_limit_charge(struct txn *txn, const struct rate_limit_of *of, int64_t jobs)
{
	struct bucket *b;

	if (!quota_has(of->quota, QUOTA_SUBMIT_RATE))
		return;
	forget(txn);
	b = find(txn, of);
	if (!b) {
		struct buf key = {0};
		size_t len;

		make_key(of, &key);
		b = xcalloc(1, sizeof(*b));
		len = key.len;
		b->key = (char *)buf_take(&key, NULL);
		HASH_ADD_KEYPTR(hh, txn->live->buckets, b->key, len, b);
		TAILQ_INSERT_TAIL(&txn->live->buckets_by_use, b, by_use);
	}
	b->owes = owes_now(txn, b) + jobs * JOB;
	b->at_us = txn->in->steady_us;
	b->hourly = of->quota->of[QUOTA_SUBMIT_RATE];
}

void rate_limits_free(struct txn *txn)
{
	while (!TAILQ_EMPTY(&txn->live->buckets_by_use))
		drop(txn, TAILQ_FIRST(&txn->live->buckets_by_use));
}
