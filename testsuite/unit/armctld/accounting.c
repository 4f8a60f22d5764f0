/*
 * Accounting queries of the controller: they end when their client leaves, are few for each user, and end
 * when the controller stops; and attempts that are made of rows, also of an earlier release.
 */
#include "armctld/accounting_queue.h"
#include "armctld/history_attempt.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <errno.h>
#include <event2/event.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

/* A state plugin whose sums last until they are stopped. */
static atomic_int begun, stopped;

static int endless_sum(void *handle, const struct armada_attempt_filter *f, enum armada_sum_by by,
		       const int64_t *bounds, size_t bound_count, armada_sum_fn *on_sum, void *arg,
		       struct armada_error *err)
{
	(void)handle, (void)by, (void)bounds, (void)bound_count, (void)on_sum, (void)arg;
	atomic_fetch_add(&begun, 1);
	while (!f->stop(f->stop_arg))
		sched_yield();
	atomic_fetch_add(&stopped, 1);
	snprintf(err->text, sizeof(err->text), "the query was stopped");
	return -ECANCELED;
}

static int no_list(void *handle, const struct armada_attempt_filter *f, armada_attempt_fn *on_row,
		   void *arg, struct armada_error *err)
{
	(void)handle, (void)f, (void)on_row, (void)arg, (void)err;
	return 0;
}

static const struct armada_state_ops endless = {.accounting_list = no_list,
						.accounting_sum = endless_sum};

static struct {
	unsigned count;
	enum msg_type type;
	uint64_t conn;
} heard;

static void reply(void *arg, const struct effect *e, const struct history_answer *answer)
{
	(void)arg;
	heard.count++;
	heard.type = answer->type;
	heard.conn = e->conn;
}

static bool settle(void *arg)
{
	(void)arg;
	return true;
}

static void ask(struct accounting_queue *q, enum msg_type type, uint64_t conn, uint32_t uid)
{
	struct effect e = {
		.kind = EFFECT_ACCOUNTING, .type = type, .conn = conn, .viewer_uid = uid};

	accounting_queue_ask(q, &e);
}

static void wait_until(struct event_base *base, const struct accounting_queue *q, size_t count)
{
	while (accounting_queue_count(q) > count)
		event_base_loop(base, EVLOOP_ONCE);
}

static void test_queue(struct event_base *base)
{
	const struct accounting_owner owner = {.state = &endless, .reply = reply, .settle = settle};
	struct accounting_queue *q = accounting_queue_new(base, &owner);

	for (int i = 0; i < ACCOUNTING_QUERIES_OF_USER; i++)
		ask(q, MSG_USAGE_SUMS, 7, 1000);
	is_int((long long)accounting_queue_count(q), ACCOUNTING_QUERIES_OF_USER,
	       "a user may have some");
	is_int(heard.count, 0, "they have no answer yet");
	ask(q, MSG_USAGE_SUMS, 8, 1000);
	ok(heard.count == 1 && heard.type == MSG_ERROR && heard.conn == 8, "one more is refused");
	ask(q, MSG_ACCOUNTING, 9, 1001);
	while (!atomic_load(&begun))
		sched_yield();
	accounting_queue_gone(q, 7);
	wait_until(base, q, 0);
	is_int(atomic_load(&stopped), 1, "the client leaves: the query that runs is stopped");
	is_int(atomic_load(&begun), 1, "those that wait do not begin");
	ok(heard.count == 2 && heard.type == MSG_ACCOUNTING_REPLY && heard.conn == 9,
	   "another user gets an answer, and a client that is gone none");
	ask(q, MSG_USAGE_SUMS, 7, 1000);
	while (atomic_load(&begun) < 2)
		sched_yield();
	accounting_queue_free(q);
	is_int(atomic_load(&stopped), 2, "the end of the controller stops a query, too");
	is_int(heard.count, 2, "without an answer");
}

static void pack_row(Armada__JobRow *row, struct buf *out)
{
	buf_clear(out);
	msg_pack(row, out);
}

static void test_attempts(struct arena *arena)
{
	Armada__JobRow row = ARMADA__JOB_ROW__INIT;
	Armada__Resource cpu = ARMADA__RESOURCE__INIT, fpga = ARMADA__RESOURCE__INIT;
	Armada__Resource *resources[] = {&cpu, &fpga};
	Armada__Usage usage = ARMADA__USAGE__INIT;
	CLEANUP_BUF struct buf packed = {0};
	char *nodes[] = {(char *)"n1", (char *)"n2", (char *)"n1"};
	struct armada_attempt a;

	row.job = 5;
	row.state = ARMADA__JOB_STATE__JOB_PREEMPTED;
	row.start_us = 100;
	row.end_us = 200;
	row.nodes = nodes;
	row.n_nodes = 3;
	cpu.name = (char *)"cpu";
	cpu.amount = 1500;
	fpga.name = (char *)"fpga";
	fpga.amount = 2;
	row.resources = resources;
	row.n_resources = 2;
	usage.cpu_us = 50;
	row.usage = &usage;
	pack_row(&row, &packed);
	is_int(history_attempt_of(arena, packed.data, packed.len, &a), 0,
	       "a row of an earlier release");
	is_int(a.lost, ARMADA__LOST__LOST_PREEMPTION, "its state says why its time was lost");
	ok(a.user_us == -1 && a.system_us == -1 && a.peak_bytes == -1 && a.memory_bytes == -1,
	   "what it does not say is not known");
	is_str(a.resources, "{\"cpu\":1500,\"fpga\":2}", "all resources");
	is_str(a.nodes, "n[1-2]", "each node once");
	is_int(a.node_count, 2, "two nodes");
	usage.user_us = 40;
	usage.system_us = 10;
	row.eligible_us = 50;
	row.state = ARMADA__JOB_STATE__JOB_COMPLETED;
	pack_row(&row, &packed);
	history_attempt_of(arena, packed.data, packed.len, &a);
	ok(a.user_us == 40 && a.system_us == 10 && a.cpu_us == 50 && !a.lost,
	   "a row of this release");
	row.start_us = 0;
	pack_row(&row, &packed);
	history_attempt_of(arena, packed.data, packed.len, &a);
	is_int(a.cpu_us, -1, "what never ran has no use");
	is_int(history_attempt_of(arena, (const uint8_t *)"\xff", 1, &a), -EBADMSG, "no row");
}

int main(void)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct event_base *base = event_base_new();

	test_queue(base);
	test_attempts(arena);
	event_base_free(base);
	return done();
}
