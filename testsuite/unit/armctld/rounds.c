/*
 * The thread that runs scheduling rounds: a round runs when it is requested, not more often than
 * cycle_period, and not before the records of the last round were applied. Explanations run between
 * rounds.
 */
#include "armctld/rounds.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <event2/event.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

/* The maximum number of records that are applied together. */
enum { RECORDS = 64 };

/* A scheduler that records its calls. */
struct sched {
	atomic_uint rounds, folded, folded_at[16]; /* by the number of the round */
	atomic_bool endless;
	atomic_uint again_in_us; /* the next round asks for another */
	atomic_uint decisions;   /* of each round */
	atomic_uint explained;
	atomic_uint explained_at[16]; /* rounds that had started by then */
	atomic_bool endless_search;
	unsigned freed, tried;
};
struct sched_feed {
	struct sched *sched;
};

void sched_feed_apply(struct sched_feed *m, const Armada__Record *record)
{
	atomic_store(&m->sched->folded, (unsigned)record->seq);
}

int sched_feed_try(struct sched_feed *m, const Armada__Record *record,
		   const struct sched_round *round, struct sched_trial *ret_trial)
{
	(void)round;
	memset(ret_trial, 0, sizeof(*ret_trial));
	ret_trial->before = record->seq;
	m->sched->tried++;
	return 0;
}

void sched_trial_done(struct sched_trial *t)
{
	t->before = 0;
}

void sched_feed_free(struct sched_feed *m)
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
	ret_result->decision_count = atomic_load(&s->decisions);
	atomic_store(&s->folded_at[atomic_load(&s->rounds) % 16], atomic_load(&s->folded));
	atomic_fetch_add(&s->rounds, 1);
	ret_result->again_us =
		atomic_load(&s->again_in_us) ? round->now_us + atomic_load(&s->again_in_us) : 0;
	atomic_store(&s->again_in_us, 0);
	while (atomic_load(&s->endless) && !ret_result->cut)
		ret_result->cut = round->stop(round->stop_arg);
}

void sched_result_done(struct sched_result *r)
{
	(void)r;
}

int sched_explain(struct sched *s, uint64_t job, const struct sched_round *round,
		  struct sched_explanation *ret)
{
	unsigned n = atomic_load(&s->explained);

	memset(ret, 0, sizeof(*ret));
	atomic_store(&s->explained_at[n % 16], atomic_load(&s->rounds));
	atomic_store(&s->explained, n + 1);
	while (atomic_load(&s->endless_search) && !ret->cut)
		ret->cut = round->stop(round->stop_arg);
	ret->place = job;
	return job == 404 ? -ENOENT : 0;
}

void sched_explanation_done(struct sched_explanation *e)
{
	e->place = 0;
}

static struct sched s;
static struct sched_feed m = {&s};
static struct rounds *rounds;
static unsigned results, cuts, answers, unknown, cut_answers, trials;
static uint64_t places;
static struct round_facts last;
static unsigned rounds_by_then; /* rounds started when the last part of a result was applied */
static size_t parts, taken_upto;
static unsigned rounds_by_then; /* rounds started when the last part was applied */
static bool slow;

static void pause_us(long us)
{
	nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
}

static void give_record(uint64_t seq)
{
	Armada__Record record = ARMADA__RECORD__INIT;
	CLEANUP_BUF struct buf packed = {0};

	record.seq = seq;
	msg_pack(&record, &packed);
	rounds_record(rounds, packed.data, packed.len);
}

/* The part of the core: it makes a record of the decisions, and requests another round. */
static void on_result(void *arg, const struct sched_result *result, const struct round_facts *facts,
		      size_t from, size_t upto)
{
	(void)arg;
	if (from != taken_upto)
		ok(false, "part %zu..%zu after %zu", from, upto, taken_upto);
	taken_upto = upto;
	rounds_by_then = atomic_load(&s.rounds);
	parts++;
	if (upto > from && slow)
		pause_us(1000);
	if (upto < result->decision_count + result->reason_count)
		return;
	taken_upto = 0;
	rounds_by_then = atomic_load(&s.rounds);
	results++;
	last = *facts;
	cuts += result->cut;
	if (results < 3) {
		give_record(100 + results);
		rounds_wanted(rounds);
	}
}

static void on_explained(void *arg, const struct explain_question *q)
{
	(void)arg;
	answers++;
	unknown += !q->known;
	places += q->known ? q->explanation.place * q->request : 0;
	cut_answers += q->explanation.cut;
	if (q->record)
		trials += q->trial.before == 77 && !strcmp(q->note, "a note");
}

static const struct rounds_ops ops = {on_result, on_explained};

static bool ask(uint32_t uid, uint32_t request, uint64_t job)
{
	struct explain_question q = {.uid = uid, .request = request, .ask.as = job};

	return rounds_explain(rounds, &q);
}

/* A record and a note, which the thread copies. */
static bool ask_trial(void)
{
	Armada__Record record = ARMADA__RECORD__INIT;
	CLEANUP_BUF struct buf packed = {0};
	char note[] = "a note";
	struct explain_question q = {.uid = 1, .note = note};
	bool taken;

	record.seq = 77;
	msg_pack(&record, &packed);
	q.record = packed.data;
	q.record_len = packed.len;
	taken = rounds_explain(rounds, &q);
	memset(note, 0, sizeof(note));
	memset(packed.data, 0, packed.len);
	return taken;
}

static void hear(struct event_base *base, unsigned count)
{
	while (results < count)
		event_base_loop(base, EVLOOP_ONCE);
}

static void hear_answers(struct event_base *base, unsigned count)
{
	while (answers < count)
		event_base_loop(base, EVLOOP_ONCE);
}

/* While the thread works on the first request, the others wait. */
static void check_explanations(struct event_base *base)
{
	struct rounds_config config = {
		.cycle_period_us = 1000, .seed = 1, .explain_us = INT64_C(3600000000)};
	unsigned taken = 0, rounds_before;

	memset(&s, 0, sizeof(s));
	results = 3;
	rounds = rounds_new(base, &s, &m, &config, &ops, NULL);
	ok(ask(1, 2, 5), "an explanation is requested");
	hear_answers(base, 1);
	is_int(places, 10, "it comes back with its context, without a round");
	ok(ask(1, 3, 404), "an explanation of a job that is not pending");
	hear_answers(base, 2);
	is_int(unknown, 1, "it has no result");

	atomic_store(&s.endless_search, true);
	ask(1, 1, 1);
	while (atomic_load(&s.explained) < 3)
		sched_yield();
	for (int i = 0; i < EXPLAIN_QUEUE_OF_USER + 1; i++)
		taken += ask(2, 1, 1);
	is_int(taken, EXPLAIN_QUEUE_OF_USER, "the waiting requests of one user are limited");
	for (int i = 0; i < 2 * EXPLAIN_QUEUE_WAITING; i++)
		taken += ask(10 + i, 1, 1);
	is_int(taken, EXPLAIN_QUEUE_WAITING, "the waiting requests of all users are limited");
	rounds_wanted(rounds);
	hear_answers(base, 3);
	is_int(cut_answers, 1, "a due round interrupts a long search");
	hear(base, 4);
	rounds_before = atomic_load(&s.rounds);
	is_int(rounds_before, 1, "the round runs after it, before the next request");
	is_int(last.number, 1, "the round has a number");
	ok(last.start_us > 0 && last.took_us >= 0, "the round has its times");
	rounds_wanted(rounds);
	hear_answers(base, 4);
	hear(base, 5);
	is_int(atomic_load(&s.explained_at[3]), 1, "one explanation is made between two rounds");
	atomic_store(&s.endless_search, false);
	hear_answers(base, 3 + EXPLAIN_QUEUE_WAITING);
	is_int(atomic_load(&s.explained), 3 + EXPLAIN_QUEUE_WAITING,
	       "all accepted requests are answered");
	atomic_store(&s.endless_search, true);
	ask(1, 1, 1);
	ask(1, 1, 1);
	rounds_free(rounds);
	is_int(answers, 3 + EXPLAIN_QUEUE_WAITING,
	       "at the end of the thread pending requests are not answered");
}

static void check_trial(struct event_base *base)
{
	struct rounds_config config = {.cycle_period_us = 1000, .seed = 1};

	memset(&s, 0, sizeof(s));
	answers = 0;
	rounds = rounds_new(base, &s, &m, &config, &ops, NULL);
	ok(ask_trial(), "the start of a job that does not exist is requested");
	hear_answers(base, 1);
	is_int(trials, 1, "the answer comes back with the note of the request");
	is_int(s.tried, 1, "the thread asked the scheduler once");
	ok(ask_trial(), "another one is requested");
	rounds_free(rounds);
}

static void check_again(struct event_base *base)
{
	struct rounds_config config = {.cycle_period_us = 1000, .seed = 1};

	memset(&s, 0, sizeof(s));
	results = 3;
	atomic_store(&s.again_in_us, 20000);
	rounds = rounds_new(base, &s, &m, &config, &ops, NULL);
	rounds_wanted(rounds);
	hear(base, 5);
	is_int(atomic_load(&s.rounds), 2,
	       "a round that asks for another one at a later time gets it");
	rounds_wanted(rounds);
	hear(base, 6);
	is_int(atomic_load(&s.rounds), 3, "a requested round runs");
	rounds_free(rounds);
}

static void check_pause(struct event_base *base)
{
	struct rounds_config config = {
		.cycle_period_us = 1000, .max_round_us = INT64_C(3600000000), .seed = 1};

	memset(&s, 0, sizeof(s));
	results = 3;
	cuts = 0;
	atomic_store(&s.endless, true);
	rounds = rounds_new(base, &s, &m, &config, &ops, NULL);
	rounds_wanted(rounds);
	while (!atomic_load(&s.rounds))
		sched_yield();
	ok(rounds_pause(rounds) == &s, "a pause does not wait for the end of a round");
	is_int(atomic_load(&s.rounds), 1, "no other round begins");
	give_record(9);
	is_int(atomic_load(&s.folded), 0, "no record is applied meanwhile");
	hear(base, 4);
	is_int(cuts, 1, "the decisions of the round are not lost");
	atomic_store(&s.endless, false);
	rounds_resume(rounds, &config);
	hear(base, 5);
	is_int(atomic_load(&s.folded_at[1]), 9, "after the pause a round runs on all records");
	rounds_pause(rounds);
	rounds_resume(rounds, NULL);
	hear(base, 6);
	is_int(atomic_load(&s.rounds), 3, "a round runs each time");
	rounds_free(rounds);
}

static void count_turn(evutil_socket_t fd, short what, void *arg)
{
	unsigned *turns = arg;

	(void)fd, (void)what;
	*turns += taken_upto > 0;
}

/* Between the parts of a result the loop handles other events, and no round runs. */
static void check_parts(struct event_base *base)
{
	struct rounds_config config = {.cycle_period_us = 1000, .seed = 1};
	struct timeval often = {0, 500};
	unsigned turns = 0, before = results;
	struct event *other = event_new(base, -1, EV_PERSIST, count_turn, &turns);

	memset(&s, 0, sizeof(s));
	parts = 0;
	slow = true;
	atomic_store(&s.decisions, 200);
	event_add(other, &often);
	rounds = rounds_new(base, &s, &m, &config, &ops, NULL);
	rounds_wanted(rounds);
	while (!taken_upto)
		event_base_loop(base, EVLOOP_ONCE);
	rounds_wanted(rounds);
	hear(base, before + 1);
	is_int(parts, (200 + 15) / 16, "a large result is applied in parts");
	ok(turns > 1, "the loop handles other events between the parts");
	is_int(rounds_by_then, 1, "no round runs between the parts");
	hear(base, before + 2);
	is_int(rounds_by_then, 2, "a round runs when all parts are applied");
	atomic_store(&s.decisions, 200);
	rounds_wanted(rounds);
	while (!taken_upto)
		event_base_loop(base, EVLOOP_ONCE);
	rounds_free(rounds);
	slow = false;
	taken_upto = 0;
	event_free(other);
}

int main(void)
{
	struct event_base *base = event_base_new();
	struct rounds_config config = {.cycle_period_us = 1000, .max_round_us = 20000, .seed = 1};

	rounds = rounds_new(base, &s, &m, &config, &ops, NULL);
	give_record(7);
	rounds_wanted(rounds);
	hear(base, 1);
	is_int(atomic_load(&s.folded_at[0]), 7, "a round sees every record given before it");
	hear(base, 2);
	is_int(atomic_load(&s.folded_at[1]), 101,
	       "the next round sees the records that the first caused");
	hear(base, 3);
	is_int(atomic_load(&s.rounds), 3, "no round runs without a request");

	atomic_store(&s.endless, true);
	rounds_wanted(rounds);
	hear(base, 4);
	is_int(cuts, 1, "the time limit ends a round");
	hear(base, 5);
	ok(cuts == 2, "the next round continues");
	rounds_free(rounds);
	is_int(s.freed, 2, "the end of the thread does not wait for a running round");

	memset(&s, 0, sizeof(s));
	results = 3;
	config.cycle_period_us = 3600 * INT64_C(1000000);
	config.max_round_us = 3600 * INT64_C(1000000); /* a slow machine must not cut the round */
	rounds = rounds_new(base, &s, &m, &config, &ops, NULL);
	rounds_wanted(rounds);
	hear(base, 4);
	rounds_wanted(rounds);
	hear(base, 5);
	is_int(atomic_load(&s.rounds), 2, "a round without a start after a quiet time delays none");
	rounds_wanted(rounds);
	for (uint64_t seq = 8; seq < 8 + RECORDS; seq++)
		give_record(seq);
	while (atomic_load(&s.folded) == 0)
		event_base_loop(base, EVLOOP_NONBLOCK);
	is_int(atomic_load(&s.rounds), 2, "records are applied while a round waits for its time");
	rounds_free(rounds);
	check_explanations(base);
	check_trial(base);
	check_parts(base);
	check_again(base);
	check_pause(base);
	event_base_free(base);
	return done();
}
