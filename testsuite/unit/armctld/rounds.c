/* Rounds run when wanted, not too often, and never before the last one's records are folded. */
#include "armctld/rounds.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <event2/event.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* So many are folded together, whatever else happens. */
enum { RECORDS = 64 };

/* A scheduler that notes what it is told. */
struct sched {
	atomic_uint rounds, folded, folded_at[16]; /* by the number of the round */
	atomic_bool endless;
	unsigned freed;
};
struct mirror {
	struct sched *sched;
};

void mirror_apply(struct mirror *m, const Armada__Record *record)
{
	atomic_store(&m->sched->folded, (unsigned)record->seq);
}

void mirror_free(struct mirror *m)
{
	m->sched->freed++;
}

void sched_free(struct sched *s)
{
	s->freed++;
}

void sched_run_round(struct sched *s, const struct sched_round *round,
		     struct sched_result *ret_result)
{
	memset(ret_result, 0, sizeof(*ret_result));
	atomic_store(&s->folded_at[atomic_load(&s->rounds) % 16], atomic_load(&s->folded));
	atomic_fetch_add(&s->rounds, 1);
	while (atomic_load(&s->endless) && !ret_result->cut)
		ret_result->cut = round->stop(round->stop_arg);
}

void sched_result_done(struct sched_result *r)
{
	(void)r;
}

static struct sched s;
static struct mirror m = {&s};
static struct rounds *rounds;
static unsigned results, cuts;

static void give_record(uint64_t seq)
{
	Armada__Record record = ARMADA__RECORD__INIT;
	CLEANUP_BUF struct buf packed = {0};

	record.seq = seq;
	msg_pack(&record, &packed);
	rounds_record(rounds, packed.data, packed.len);
}

/* The core's part: decisions become a record, which makes another round worth while. */
static void on_result(void *arg, const struct sched_result *result)
{
	(void)arg;
	results++;
	cuts += result->cut;
	if (results < 3) {
		give_record(100 + results);
		rounds_wanted(rounds);
	}
}

static void hear(struct event_base *base, unsigned count)
{
	while (results < count)
		event_base_loop(base, EVLOOP_ONCE);
}

int main(void)
{
	struct event_base *base = event_base_new();
	struct rounds_config config = {.cycle_period_us = 1000, .max_round_us = 20000, .seed = 1};

	rounds = rounds_new(base, &s, &m, &config, on_result, NULL);
	give_record(7);
	rounds_wanted(rounds);
	hear(base, 1);
	is_int(atomic_load(&s.folded_at[0]), 7, "a round sees every record given before it");
	hear(base, 2);
	is_int(atomic_load(&s.folded_at[1]), 101, "the next one those that the first caused");
	hear(base, 3);
	is_int(atomic_load(&s.rounds), 3, "and none runs that nobody wants");

	atomic_store(&s.endless, true);
	rounds_wanted(rounds);
	hear(base, 4);
	is_int(cuts, 1, "the budget ends a round");
	hear(base, 5);
	ok(cuts == 2, "and what was cut is gone on with");
	rounds_free(rounds);
	is_int(s.freed, 2, "a round under way does not keep the end waiting");

	memset(&s, 0, sizeof(s));
	results = 3;
	config.cycle_period_us = 3600 * INT64_C(1000000);
	config.max_round_us = 3600 * INT64_C(1000000); /* a slow machine must not cut it */
	rounds = rounds_new(base, &s, &m, &config, on_result, NULL);
	rounds_wanted(rounds);
	hear(base, 4);
	rounds_wanted(rounds);
	hear(base, 5);
	is_int(atomic_load(&s.rounds), 2,
	       "one that starts nothing after a quiet time holds up none");
	rounds_wanted(rounds);
	for (uint64_t seq = 8; seq < 8 + RECORDS; seq++)
		give_record(seq);
	while (atomic_load(&s.folded) == 0)
		event_base_loop(base, EVLOOP_NONBLOCK);
	is_int(atomic_load(&s.rounds), 2, "records are folded while a round waits for its turn");
	rounds_free(rounds);
	event_base_free(base);
	return done();
}
