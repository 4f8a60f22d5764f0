/*
 * The scheduler's thread (rounds.h). Input: records of the core, requests to explain jobs. Output:
 * results of rounds, on the loop, in parts; explanations.
 *
 * The thread folds waiting records first. Then, when no result is being passed to the loop, it
 * explains a job or runs a round; after an explanation a due round goes first. The loop takes a
 * result in parts of PARTS_US, so that it can serve other work in between. All members below `lock`
 * are shared.
 */
#define LOG_AREA LOG_AREA_SCHED
#include "armctld/rounds.h"
#include "wire/loop_notify.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/units.h"

#include <pthread.h>
#include <time.h>

/* This many waiting records wake the thread, even if no round is wanted. */
enum { FOLD_SOON = 64 };

/* The maximum time until the next round that the clock alone requires. */
#define AGAIN_US INT64_C(3600000000)
/* The time that an explanation may still use once a round is due. */
enum { EXPLAIN_DUE_US = 200000 };
/*
 * A round may start thousands of jobs: the loop takes this many at once, and serves other work
 * after this time.
 */
enum { PART = 16, PARTS_US = 2000 };

/* Records that the thread has not folded yet, in order. */
struct backlog {
	struct arena *arena;
	struct note {
		const uint8_t *data;
		size_t len;
	} * notes;
	size_t count, cap;
};

enum result_state { RESULT_NONE, RESULT_READY, RESULT_TAKEN };

struct rounds {
	struct sched *sched;     /* of the thread */
	struct sched_feed *feed; /* of the thread */
	struct rounds_config config;
	const struct rounds_ops *ops;
	void *arg;
	struct loop_notify *notify;
	pthread_t thread;
	int64_t last_start_us; /* of the thread */
	int64_t due_us;        /* of the thread: no round starts before */
	int64_t again_us;      /* of the thread: when a round is needed because of time; 0: never */
	uint64_t number;       /* of the thread */
	bool explained;        /* of the thread: since the last round */

	pthread_mutex_t lock; /* of everything below */
	pthread_cond_t more;
	struct backlog *backlog;
	struct sched_result result;
	struct round_facts facts;
	size_t given; /* of the loop: how much of the result was passed */
	enum result_state result_state;
	struct explain_queue questions;
	bool wanted, stopping;
};

static struct backlog *backlog_new(void)
{
	struct backlog *b = xcalloc(1, sizeof(*b));

	b->arena = arena_new(0);
	return b;
}

static void backlog_free(struct backlog *b)
{
	arena_free(b->arena);
	free(b->notes);
	free(b);
}

/* The core packed the record, so it needs no checks and no limit. */
static Armada__Record *unpack(const uint8_t *data, size_t len, struct arena *arena)
{
	Armada__Record *record = msg_unpack_own(&armada__record__descriptor, data, len, arena);

	if (!record) {
		log_error("the scheduler cannot decode a record of the core");
		abort();
	}
	return record;
}

static void fold(struct rounds *r, const struct note *note, struct arena *arena)
{
	sched_feed_apply(r->feed, unpack(note->data, note->len, arena));
	arena_clear(arena);
}

static void fold_all(struct rounds *r, struct backlog *b)
{
	struct arena *arena = arena_new(0);

	for (size_t i = 0; i < b->count; i++)
		fold(r, &b->notes[i], arena);
	arena_free(arena);
	backlog_free(b);
}

/* The time budget of a round. */
struct budget {
	struct rounds *rounds;
	int64_t end_us; /* steady; 0: none */
};

static bool budget_spent(void *arg)
{
	struct budget *budget = arg;
	bool stopping;

	if (budget->end_us && clock_us(CLOCK_MONOTONIC) >= budget->end_us)
		return true;
	pthread_mutex_lock(&budget->rounds->lock);
	stopping = budget->rounds->stopping;
	pthread_mutex_unlock(&budget->rounds->lock);
	return stopping;
}

static void run_round(struct rounds *r, struct sched_result *ret_result,
		      struct round_facts *ret_facts)
{
	int64_t start_us = clock_us(CLOCK_MONOTONIC);
	bool quiet = !r->number || start_us - r->last_start_us >= r->config.cycle_period_us;
	struct budget budget = {r, r->config.max_round_us ? start_us + r->config.max_round_us : 0};
	struct sched_round round = {
		.now_us = clock_us(CLOCK_REALTIME),
		.seed = r->config.seed + ++r->number * UINT64_C(0x9e3779b97f4a7c15),
		.stop = budget_spent,
		.stop_arg = &budget,
	};

	r->last_start_us = start_us;
	sched_run_round(r->sched, &round, ret_result);
	*ret_facts =
		(struct round_facts){r->number, round.now_us, clock_us(CLOCK_MONOTONIC) - start_us};
	/*
	 * The first round after a quiet time often follows the end of a job and finds nothing to
	 * start. It delays no further round, so that a job that is submitted right then need not
	 * wait.
	 */
	if (ret_result->decision_count || !quiet)
		r->due_us = start_us + r->config.cycle_period_us;
	log_debug("round %llu: %zu decisions, %zu reasons, %s%s", (unsigned long long)r->number,
		  ret_result->decision_count, ret_result->reason_count,
		  duration_words(ret_facts->took_us).text, ret_result->cut ? ", cut short" : "");
}

/* Called with the lock. */
static bool round_is_due(const struct rounds *r)
{
	return r->wanted && clock_us(CLOCK_MONOTONIC) >= r->due_us;
}

/* The time limit of an explanation, which is reduced once a round is due. */
static bool explained_enough(void *arg)
{
	struct budget *budget = arg;
	struct rounds *r = budget->rounds;
	int64_t now_us = clock_us(CLOCK_MONOTONIC);
	bool stopping;

	pthread_mutex_lock(&r->lock);
	stopping = r->stopping;
	if (r->wanted && r->due_us <= now_us && budget->end_us > now_us + EXPLAIN_DUE_US)
		budget->end_us = now_us + EXPLAIN_DUE_US;
	pthread_mutex_unlock(&r->lock);
	return stopping || now_us >= budget->end_us;
}

static void try_job(struct rounds *r, struct explain_question *q, const struct sched_round *round)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	Armada__Record *record = unpack(q->record, q->record_len, arena);

	q->known = sched_feed_try(r->feed, record, round, &q->trial) == 0;
}

static void explain(struct rounds *r, struct explain_question *q)
{
	int64_t start_us = clock_us(CLOCK_MONOTONIC);
	struct budget budget = {r, start_us + r->config.explain_us};
	struct sched_round round = {
		.now_us = clock_us(CLOCK_REALTIME),
		.seed = r->config.seed,
		.stop = explained_enough,
		.stop_arg = &budget,
	};

	if (q->record) {
		try_job(r, q, &round);
		return;
	}
	q->known = sched_explain(r->sched, q->ask.as, &round, &q->explanation) == 0;
	log_debug("job %llu explained in %s", (unsigned long long)q->ask.job,
		  duration_words(clock_us(CLOCK_MONOTONIC) - start_us).text);
}

/* Called with the lock; releases it while it works. */
static void explain_one(struct rounds *r)
{
	struct explain_question *q = explain_queue_next(&r->questions);

	r->explained = true;
	pthread_mutex_unlock(&r->lock);
	explain(r, q);
	pthread_mutex_lock(&r->lock);
	explain_queue_answer(&r->questions, q);
	loop_notify_ring(r->notify);
}

/* The steady time of the next round that is needed because of time alone. */
static int64_t again_us(const struct sched_result *result, const struct round_facts *facts)
{
	int64_t in_us = result->again_us - facts->start_us;

	return clock_us(CLOCK_MONOTONIC) - facts->took_us + (in_us < AGAIN_US ? in_us : AGAIN_US);
}

/* Called with the lock; releases it while it works. */
static void one_round(struct rounds *r)
{
	struct sched_result result;
	struct round_facts facts;

	r->wanted = false;
	r->again_us = 0;
	r->explained = false;
	pthread_mutex_unlock(&r->lock);
	run_round(r, &result, &facts);
	pthread_mutex_lock(&r->lock);
	r->result = result;
	r->facts = facts;
	r->result_state = RESULT_READY;
	r->wanted |= result.cut;
	r->again_us = result.again_us ? again_us(&result, &facts) : 0;
	loop_notify_ring(r->notify);
}

/* Called with the lock. Returns earlier when there are records or requests. */
static void wait_until(struct rounds *r, int64_t steady_us)
{
	struct timespec end = {steady_us / 1000000, steady_us % 1000000 * 1000};

	pthread_cond_clockwait(&r->more, &r->lock, CLOCK_MONOTONIC, &end);
}

/* Called with the lock; releases it while it works. */
static void step(struct rounds *r)
{
	struct backlog *b;

	if (r->again_us && clock_us(CLOCK_MONOTONIC) >= r->again_us) {
		r->again_us = 0;
		r->wanted = true;
	}
	if (r->backlog->count) {
		b = r->backlog;
		r->backlog = backlog_new();
		pthread_mutex_unlock(&r->lock);
		fold_all(r, b);
		pthread_mutex_lock(&r->lock);
	} else if (r->result_state != RESULT_NONE) {
		/*
		 * the last decisions have not been folded, so the scheduler's state is not current
		 */
		pthread_cond_wait(&r->more, &r->lock);
	} else if (r->questions.count && (!r->explained || !round_is_due(r))) {
		explain_one(r);
	} else if (round_is_due(r)) {
		one_round(r);
	} else if (r->wanted) {
		wait_until(r, r->due_us);
	} else if (r->again_us) {
		wait_until(r, r->again_us);
	} else {
		pthread_cond_wait(&r->more, &r->lock);
	}
}

static void *rounds_thread(void *arg)
{
	struct rounds *r = arg;

	pthread_mutex_lock(&r->lock);
	while (!r->stopping)
		step(r);
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* True when the whole result has been passed. */
static bool give_parts(struct rounds *r)
{
	const struct sched_result *result = &r->result;
	size_t all = result->decision_count + result->reason_count, from;
	int64_t end_us = clock_us(CLOCK_MONOTONIC) + PARTS_US;

	do {
		from = r->given;
		r->given = all - from < PART ? all : from + PART;
		r->ops->result(r->arg, result, &r->facts, from, r->given);
	} while (r->given < all && clock_us(CLOCK_MONOTONIC) < end_us);
	return r->given == all;
}

static void hand_over_result(struct rounds *r)
{
	enum result_state state;

	pthread_mutex_lock(&r->lock);
	state = r->result_state;
	if (state == RESULT_READY) {
		r->result_state = RESULT_TAKEN;
		r->given = 0;
	}
	pthread_mutex_unlock(&r->lock);
	if (state == RESULT_NONE)
		return;
	if (!give_parts(r)) {
		loop_notify_ring(r->notify);
		return;
	}
	sched_result_done(&r->result);
	pthread_mutex_lock(&r->lock);
	r->result_state = RESULT_NONE;
	pthread_cond_signal(&r->more);
	pthread_mutex_unlock(&r->lock);
}

static void hand_over_answers(struct rounds *r)
{
	const struct explain_question *q;
	struct explain_question_list list;

	pthread_mutex_lock(&r->lock);
	explain_queue_take(&r->questions, &list);
	pthread_mutex_unlock(&r->lock);
	STAILQ_FOREACH (q, &list, entry)
		r->ops->explained(r->arg, q);
	explain_queue_free(&list);
}

static void on_ring(void *arg)
{
	hand_over_result(arg);
	hand_over_answers(arg);
}

static void start(struct rounds *r)
{
	if (pthread_create(&r->thread, NULL, rounds_thread, r))
		abort();
}

static void stop(struct rounds *r)
{
	pthread_mutex_lock(&r->lock);
	r->stopping = true;
	pthread_cond_signal(&r->more);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
}

struct rounds *rounds_new(struct event_base *base, struct sched *s, struct sched_feed *m,
			  const struct rounds_config *config, const struct rounds_ops *ops,
			  void *arg)
{
	struct rounds *r = xcalloc(1, sizeof(*r));

	r->sched = s;
	r->feed = m;
	r->config = *config;
	r->ops = ops;
	r->arg = arg;
	r->backlog = backlog_new();
	explain_queue_init(&r->questions);
	r->notify = loop_notify_new(base, on_ring, r);
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->more, NULL);
	start(r);
	return r;
}

void rounds_free(struct rounds *r)
{
	if (!r)
		return;
	stop(r);
	if (r->result_state != RESULT_NONE)
		sched_result_done(&r->result);
	explain_queue_done(&r->questions);
	sched_feed_free(r->feed);
	sched_free(r->sched);
	backlog_free(r->backlog);
	loop_notify_free(r->notify);
	pthread_cond_destroy(&r->more);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

void rounds_record(struct rounds *r, const void *record, size_t len)
{
	struct backlog *b;
	bool wake;

	pthread_mutex_lock(&r->lock);
	b = r->backlog;
	GROW(b->notes, b->cap, b->count + 1);
	b->notes[b->count++] = (struct note){arena_memdup(b->arena, record, len), len};
	wake = b->count % FOLD_SOON == 0;
	pthread_mutex_unlock(&r->lock);
	if (wake)
		pthread_cond_signal(&r->more);
}

void rounds_wanted(struct rounds *r)
{
	bool wake;

	pthread_mutex_lock(&r->lock);
	/* If a round is wanted already, the thread wakes by itself. */
	wake = !r->wanted;
	r->wanted = true;
	pthread_mutex_unlock(&r->lock);
	if (wake)
		pthread_cond_signal(&r->more);
}

bool rounds_explain(struct rounds *r, const struct explain_question *question)
{
	bool taken;

	pthread_mutex_lock(&r->lock);
	taken = explain_queue_put(&r->questions, question);
	pthread_mutex_unlock(&r->lock);
	if (taken)
		pthread_cond_signal(&r->more);
	return taken;
}

size_t rounds_explaining(struct rounds *r)
{
	size_t count;

	pthread_mutex_lock(&r->lock);
	count = r->questions.count;
	pthread_mutex_unlock(&r->lock);
	return count;
}

struct sched *rounds_pause(struct rounds *r)
{
	stop(r);
	r->result.cost =
		NULL; /* its fairness plugin may be closed before the loop takes the result */
	return r->sched;
}

void rounds_resume(struct rounds *r, const struct rounds_config *config)
{
	uint64_t seed = r->config.seed;

	if (config)
		r->config = *config;
	r->config.seed = seed;
	r->due_us = 0;
	r->stopping = false;
	r->wanted = true;
	start(r);
}
