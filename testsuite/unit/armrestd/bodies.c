/* The bounds of bodies in memory: of one, and of all together, also from several threads. */
#include "armrestd/bodies.h"

#include "tap/tap.h"

#include <pthread.h>
#include <string.h>

enum { LARGEST = 1024, PART = 16, THREADS = 4, EACH = BODIES_MOST };

static const char text[LARGEST];

static void test_one(void)
{
	struct bodies b = {.largest = LARGEST};
	struct buf body = {0};

	is_int(bodies_add(&b, &body, "abc", 3), BODIES_TAKEN, "a part is taken");
	is_int(bodies_add(&b, &body, text, LARGEST - 3), BODIES_TAKEN, "so is one up to the bound");
	is_int(bodies_add(&b, &body, text, 1), BODIES_TOO_LARGE, "a byte more is too large");
	is_int(bodies_add(&b, &body, text, SIZE_MAX - 3), BODIES_TOO_LARGE, "so is a huge part");
	is_int((long long)body.len, LARGEST, "what was taken stays");
	ok(memcmp(body.data, "abc", 3) == 0, "... as it was");
	is_int((long long)b.bytes, LARGEST, "... and counts");
	bodies_end(&b, &body);
	is_int((long long)b.bytes, 0, "an end gives its room back");
}

static void test_all(void)
{
	struct bodies b = {.largest = LARGEST};
	struct buf list[BODIES_MOST] = {{0}}, more = {0};
	int taken = 0;

	for (int i = 0; i < BODIES_MOST; i++)
		taken += bodies_add(&b, &list[i], text, LARGEST) == BODIES_TAKEN;
	is_int(taken, BODIES_MOST, "there is room for as many bodies as the header says");
	is_int(bodies_add(&b, &more, "a", 1), BODIES_CROWDED, "and for no byte more");
	is_int((long long)more.len, 0, "... which is not kept");
	is_int((long long)b.bytes, BODIES_MOST * LARGEST, "... and does not count");
	bodies_end(&b, &list[7]);
	is_int(bodies_add(&b, &more, text, LARGEST), BODIES_TAKEN, "an end makes room for another");
	is_int(bodies_add(&b, &list[7], "a", 1), BODIES_CROWDED, "... and for that one only");
	bodies_end(&b, &more);
	for (int i = 0; i < BODIES_MOST; i++)
		bodies_end(&b, &list[i]);
	is_int((long long)b.bytes, 0, "without bodies nothing counts");
}

struct sender {
	struct bodies *all;
	struct buf list[EACH];
	int crowded;
};

/* Fills bodies in small parts; together the threads want THREADS times the bound. */
static void *send_all(void *arg)
{
	struct sender *s = arg;

	for (int i = 0; i < EACH; i++)
		for (int at = 0; at < LARGEST; at += PART)
			s->crowded += bodies_add(s->all, &s->list[i], text, PART) == BODIES_CROWDED;
	return NULL;
}

static void test_threads(void)
{
	static struct sender senders[THREADS];
	struct bodies b = {.largest = LARGEST};
	pthread_t threads[THREADS];
	size_t kept = 0;
	int crowded = 0;

	for (int i = 0; i < THREADS; i++) {
		senders[i].all = &b;
		if (pthread_create(&threads[i], NULL, send_all, &senders[i]))
			bail("no thread");
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		crowded += senders[i].crowded;
		for (int k = 0; k < EACH; k++)
			kept += senders[i].list[k].len;
	}
	ok(kept <= BODIES_MOST * LARGEST, "threads do not exceed the bound of all bodies");
	is_int((long long)b.bytes, (long long)kept, "what they keep counts");
	is_int((long long)kept + (long long)crowded * PART, (long long)THREADS * EACH * LARGEST,
	       "every part was kept or refused");
	for (int i = 0; i < THREADS; i++)
		for (int k = 0; k < EACH; k++)
			bodies_end(&b, &senders[i].list[k]);
	is_int((long long)b.bytes, 0, "... until they end");
}

int main(void)
{
	test_one();
	test_all();
	test_threads();
	return done();
}
