/*
 * The cache of user names: look-ups run on another thread, once for all requests, and are cached
 * for a limited time.
 */
#include "armctld/identity_cache.h"
#include "wire/worker.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <event2/event.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t loop_thread;
static unsigned lookups;
static bool on_loop, broken;

static void fake_lookup(uint32_t uid, struct identity *id)
{
	pthread_mutex_lock(&lock);
	lookups++;
	on_loop |= pthread_equal(pthread_self(), loop_thread);
	id->failed = broken;
	pthread_mutex_unlock(&lock);
	if (uid != 1000)
		return;
	id->user = xstrdup("ada");
	id->gids = xcalloc(1, sizeof(*id->gids));
	id->groups = xcalloc(1, sizeof(*id->groups));
	id->gids[0] = 1000;
	id->groups[0] = xstrdup("engines");
	id->gid_count = 1;
}

static unsigned looked_up(void)
{
	unsigned n;

	pthread_mutex_lock(&lock);
	n = lookups;
	pthread_mutex_unlock(&lock);
	return n;
}

struct heard {
	unsigned count;
	uint64_t conns[8];
	char user[32];
	bool failed;
};

static void answer(void *arg, uint64_t conn, struct identity *id)
{
	struct heard *h = arg;

	h->conns[h->count++ % 8] = conn;
	h->failed = id->failed;
	strcpy(h->user, id->user ? id->user : "");
}

static void hear(struct event_base *base, struct heard *h, unsigned count)
{
	while (h->count < count)
		event_base_loop(base, EVLOOP_ONCE);
}

int main(void)
{
	struct event_base *base = event_base_new();
	struct workers *workers = workers_new(base, 2);
	struct identity_cache *c = identity_cache_new(workers, 1000, fake_lookup);
	struct heard h = {0};

	loop_thread = pthread_self();
	identity_cache_get(c, 1000, 0, answer, &h, 1);
	identity_cache_get(c, 1000, 0, answer, &h, 2);
	is_int(h.count, 0, "the loop does not wait for a look-up");
	hear(base, &h, 2);
	is_int(looked_up(), 1, "two requests cause one look-up");
	ok(!on_loop, "the look-up does not run on the loop's thread");
	ok(h.conns[0] == 1 && h.conns[1] == 2, "both requests are answered, in order");
	is_str(h.user, "ada", "the result has the name");

	identity_cache_get(c, 1000, 999, answer, &h, 3);
	is_int(h.count, 3, "a cached name is returned at once");
	identity_cache_get(c, 1000, 1000, answer, &h, 4);
	hear(base, &h, 4);
	is_int(looked_up(), 2, "an old entry is looked up again");

	identity_cache_get(c, 7, 0, answer, &h, 5);
	hear(base, &h, 5);
	is_str(h.user, "", "a uid without a name is a valid result");

	broken = true;
	identity_cache_get(c, 8, 0, answer, &h, 6);
	hear(base, &h, 6);
	ok(h.failed, "a failed look-up is reported");
	identity_cache_get(c, 8, 0, answer, &h, 7);
	hear(base, &h, 7);
	is_int(looked_up(), 5, "a failed look-up is not cached");

	identity_cache_get(c, 9, 0, answer, &h, 8);
	workers_free(workers);
	is_int(h.count, 8, "pending requests are answered at the end");
	identity_cache_free(c);

	workers = workers_new(base, 1);
	c = identity_cache_new(workers, 1000, NULL);
	identity_cache_get(c, 0, 0, answer, &h, 9);
	hear(base, &h, 9);
	is_str(h.user, "root", "the machine's own user database knows root");
	workers_free(workers);
	identity_cache_free(c);
	event_base_free(base);
	return done();
}
