/*
 * A snapshot that a child process takes has the same chunks as one that the controller takes itself, also
 * when the state changes meanwhile. A child that fails, and one that is ended, leave nothing behind.
 */
#include "armctld/snapshot_child.h"
#include "armctld/snapshot.h"
#include "tap/tap.h"
#include "unit/core/fixture.h"
#include "util/mem.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { JOBS = 3000, SCRIPT = 5000 };

struct taken {
	struct snapshot_child *child;
	struct snapshot *snapshot;
	int calls;
};

static void on_done(void *arg, struct snapshot *s)
{
	struct taken *t = arg;

	t->calls++;
	t->snapshot = s;
	snapshot_child_free(t->child);
	t->child = NULL;
}

/* Every job has a script of its own. Returns the first. */
static uint64_t fill(struct test_world *w)
{
	uint64_t first = 0;

	for (uint32_t i = 0; i < JOBS; i++) {
		static uint8_t script[SCRIPT];
		Armada__SubmitRequest m = ARMADA__SUBMIT_REQUEST__INIT;
		ProtobufCBinaryData blob = {SCRIPT, script};
		Armada__JobSpec spec, *list = &spec;
		Armada__TaskGroup group;
		uint8_t key[16] = {'s'};

		memcpy(script, &i, sizeof(i));
		memcpy(key + 1, &i, sizeof(i));
		spec_init(&spec, &group);
		group.n_argv = 0;
		spec.script_blob = 1;
		m.jobs = &list;
		m.n_jobs = 1;
		m.blobs = &blob;
		m.n_blobs = 1;
		m.key = (ProtobufCBinaryData){sizeof(key), key};
		world_send(w, TEST_USER, MSG_SUBMIT, &m);
		if (!first)
			first = ((const Armada__SubmitReply *)world_reply(w, MSG_SUBMIT_REPLY))
					->ids[0];
	}
	return first;
}

/* True if both give the same chunks, the second in parts of this size. */
static bool same(struct snapshot *a, struct snapshot *b, size_t bytes)
{
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	struct armada_state_part whole, part;
	size_t at = 0;

	snapshot_part(a, 0, SIZE_MAX, arena, &whole);
	if (whole.count != a->count || a->count != b->count || a->bytes != b->bytes ||
	    a->seq != b->seq)
		return false;
	while (at < whole.count) {
		snapshot_part(b, at, bytes, arena, &part);
		if (part.first != at || part.total != whole.total ||
		    part.total_bytes != whole.total_bytes || !part.count)
			return false;
		for (size_t i = 0; i < part.count; i++, at++)
			if (part.chunks[i].len != whole.chunks[at].len ||
			    memcmp(part.chunks[i].data, whole.chunks[at].data,
				   part.chunks[i].len) != 0)
				return false;
	}
	return true;
}

static struct snapshot *take(const struct test_world *w)
{
	struct snapshot *s = snapshot_new(core_seq(w->core));

	snapshot_take(s, w->core);
	return s;
}

static void test_same(struct event_base *base, struct test_world *w, uint64_t first)
{
	struct taken t = {0};
	struct snapshot *here = take(w), *later;
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	struct armada_state_part part;

	t.child = snapshot_child_new(base, w->core, on_done, &t);
	ok(t.child != NULL, "a child takes a snapshot");
	/* now a script is stored that the child does not have, and one is no longer stored */
	world_cancel(w, TEST_USER, first);
	world_submit_plain(w);
	while (!t.calls)
		event_base_loop(base, EVLOOP_ONCE);
	ok(t.snapshot != NULL, "it ends well");
	ok(t.snapshot && t.snapshot->count > 2 * JOBS, "its snapshot has each job and each script");
	ok(t.snapshot && same(here, t.snapshot, 100000),
	   "it has the state at the time of its start");
	ok(t.snapshot && same(here, t.snapshot, 1), "chunk by chunk, too");
	snapshot_part(t.snapshot, JOBS, 1, arena, &part);
	ok(part.first == JOBS && part.count == 1, "a part may begin anywhere");
	later = take(w);
	ok(!same(later, t.snapshot, 100000), "the state has changed meanwhile");
	snapshot_free(later);
	snapshot_free(here);
	snapshot_free(t.snapshot);
}

static void test_fails(struct event_base *base, struct test_world *w)
{
	struct rlimit before, none;
	struct taken t = {0};

	getrlimit(RLIMIT_FSIZE, &before);
	none = (struct rlimit){4096, before.rlim_max};
	setrlimit(RLIMIT_FSIZE, &none);
	t.child = snapshot_child_new(base, w->core, on_done, &t);
	setrlimit(RLIMIT_FSIZE, &before);
	while (!t.calls)
		event_base_loop(base, EVLOOP_ONCE);
	ok(t.calls == 1 && !t.snapshot, "a child that cannot write fails");
	t.child = snapshot_child_new(base, w->core, on_done, &t);
	snapshot_child_free(t.child);
	ok(t.calls == 1, "a child that is ended tells nothing");
	ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no process is left");
}

int main(void)
{
	struct event_base *base = event_base_new();
	struct test_world w;
	uint64_t first;

	world_init(&w);
	first = fill(&w);
	test_same(base, &w, first);
	test_fails(base, &w);
	world_done(&w);
	event_base_free(base);
	return done();
}
