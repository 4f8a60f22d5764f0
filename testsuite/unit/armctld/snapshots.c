/* When a snapshot is due: by records, by bytes, after the state has shrunk, and again after a failure. */
#include "armctld/snapshots.h"
#include "tap/tap.h"
#include "util/memory_use.h"

#include <stdlib.h>
#include <string.h>

#define MIB UINT64_C(1048576)
#define S   INT64_C(1000000)

static void test_growth(void)
{
	struct snapshots s = {0};

	ok(!snapshots_due(&s, 0, 0, 0), "a new state needs no snapshot");
	ok(!snapshots_due(&s, 199999, MIB, 100 * S), "few records need none");
	ok(snapshots_due(&s, 200000, MIB, 100 * S), "many records do");
	snapshots_record(&s, 63 * MIB);
	ok(!snapshots_due(&s, 10, 63 * MIB, 0), "few bytes need none");
	snapshots_record(&s, 2 * MIB);
	ok(snapshots_due(&s, 10, 65 * MIB, 0), "many bytes do");
	snapshots_begun(&s);
	snapshots_taken(&s, 10, 60 * MIB, 0);
	snapshots_record(&s, 100 * MIB);
	ok(!snapshots_due(&s, 20, 160 * MIB, 100 * S), "a large state needs one after more bytes");
	snapshots_record(&s, 20 * MIB);
	ok(snapshots_due(&s, 20, 180 * MIB, 100 * S), "namely twice its size");
}

static void test_slow(void)
{
	struct snapshots s = {0};

	snapshots_record(&s, 65 * MIB);
	snapshots_begun(&s);
	snapshots_record(&s, 60 * MIB);
	snapshots_taken(&s, 10, 10 * MIB, 0);
	ok(!snapshots_due(&s, 20, 135 * MIB, 0),
	   "a snapshot that is taken replaces the records before it");
	snapshots_record(&s, 5 * MIB);
	ok(snapshots_due(&s, 20, 140 * MIB, 0), "and not those that came while it was being taken");
}

static void test_shrunk(void)
{
	struct snapshots s = {0};

	snapshots_begun(&s);
	snapshots_taken(&s, 10, 300 * MIB, 0);
	snapshots_record(&s, MIB);
	ok(!snapshots_due(&s, 20, 10 * MIB, 9 * S), "a state that has just shrunk may grow again");
	ok(snapshots_due(&s, 20, 10 * MIB, 10 * S), "after a while a snapshot is due");
	snapshots_begun(&s);
	snapshots_taken(&s, 20, MIB, 10 * S);
	ok(!snapshots_due(&s, 20, 10 * MIB, 11 * S), "not at once");
	ok(snapshots_due(&s, 20, 10 * MIB, 20 * S), "then another one replaces the large one");
	snapshots_begun(&s);
	snapshots_taken(&s, 20, MIB, 20 * S);
	ok(!snapshots_due(&s, 21, 10 * MIB, 1000 * S), "then none is due");
}

static void test_failed(void)
{
	struct snapshots s = {0};

	snapshots_begun(&s);
	snapshots_taken(&s, 5, 300 * MIB, 0);
	snapshots_begun(&s);
	snapshots_taken(&s, 10, MIB, 0);
	snapshots_failed(&s);
	ok(!snapshots_due(&s, 10, 0, 9 * S) && snapshots_due(&s, 10, 0, 10 * S),
	   "a failed snapshot is repeated");
	snapshots_begun(&s);
	snapshots_taken(&s, 10, MIB, 10 * S);
	snapshots_failed(&s);
	ok(!snapshots_due(&s, 10, 0, 29 * S) && snapshots_due(&s, 10, 0, 30 * S),
	   "the pause grows with each failure");
	snapshots_begun(&s);
	snapshots_taken(&s, 10, MIB, 30 * S);
	ok(snapshots_due(&s, 10, 0, 40 * S), "the size of the one before is not forgotten");
}

static void test_memory(void)
{
	enum { COUNT = 100000, BYTES = 1000 };
	struct memory_use m = {0};
	char **pieces, *some = malloc(BYTES);
	uint64_t used;

	memory_use_setup();
	memory_use_look(&m);
	free(some);
	if (!m.used) {
		skip("memory: this malloc does not count it");
		return;
	}
	pieces = malloc(COUNT * sizeof(*pieces));
	used = m.used;
	for (int i = 0; pieces && i < COUNT; i++) {
		pieces[i] = malloc(BYTES);
		memset(pieces[i], 1, BYTES);
	}
	memory_use_look(&m);
	ok(m.used >= used + (uint64_t)COUNT * BYTES, "memory in use is counted");
	/* The last one keeps malloc from shrinking the heap by itself. */
	for (int i = 0; pieces && i < COUNT - 1; i++)
		free(pieces[i]);
	memory_use_look(&m);
	ok(m.used < used + MIB && m.given > 64 * MIB, "much unused memory is given back");
	free(pieces[COUNT - 1]);
	free(pieces);
}

int main(void)
{
	test_growth();
	test_slow();
	test_shrunk();
	test_failed();
	test_memory();
	return done();
}
