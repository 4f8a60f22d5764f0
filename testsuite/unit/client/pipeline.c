/*
 * Submissions in flight: answers in the order of the submissions, whatever order the controller answers in;
 * refusals; a connection that breaks at each place. The connection is imitated.
 */
#include "client/pipeline.h"

#include "tap/tap.h"
#include "util/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWERS = 2 * PIPELINE_MAX };

/* What the controller will answer, in this order. The id of the job of request n is 1000 + n. */
static struct {
	uint32_t number;
	bool refused;
	size_t extra; /* ids too many */
} answers[ANSWERS];
static size_t answer_count, answer_at;
static bool connected = true, send_breaks;
static uint32_t last_number;
static size_t sent;

int __wrap_submit_send(struct connection *c, uint32_t number, struct spec *const *specs,
		       size_t count, const struct submit_key *key, struct err *err);
int __wrap_connection_receive(struct connection *c, struct arena *arena, int timeout_ms,
			      enum msg_type *ret_type, uint32_t *ret_request, void **ret_message,
			      struct err *err);
int __wrap_connection_fd(const struct connection *c);
void __wrap_connection_close(struct connection *c);

int __wrap_submit_send(struct connection *c, uint32_t number, struct spec *const *specs,
		       size_t count, const struct submit_key *key, struct err *err)
{
	(void)c;
	(void)specs;
	(void)count;
	(void)key;
	if (send_breaks) {
		connected = false;
		return err_set(err, -EAGAIN, "broken");
	}
	connected = true;
	last_number = number;
	sent++;
	return 0;
}

static void *reply_of(struct arena *arena, uint32_t number, size_t extra)
{
	Armada__SubmitReply *r = arena_zalloc(arena, 1, sizeof(*r));

	armada__submit_reply__init(r);
	r->n_ids = 1 + extra;
	r->ids = arena_zalloc(arena, r->n_ids, sizeof(*r->ids));
	r->ids[0] = 1000 + number;
	return r;
}

static void *refusal_of(struct arena *arena)
{
	Armada__ErrorReply *r = arena_zalloc(arena, 1, sizeof(*r));

	armada__error_reply__init(r);
	r->code = 4;
	r->text = (char *)"not permitted";
	return r;
}

int __wrap_connection_receive(struct connection *c, struct arena *arena, int timeout_ms,
			      enum msg_type *ret_type, uint32_t *ret_request, void **ret_message,
			      struct err *err)
{
	(void)c;
	(void)timeout_ms;
	if (answer_at == answer_count) {
		connected = false;
		return err_set(err, -EAGAIN, "the controller closed the connection");
	}
	*ret_request = answers[answer_at].number;
	*ret_type = answers[answer_at].refused ? MSG_ERROR : MSG_SUBMIT_REPLY;
	*ret_message = answers[answer_at].refused
			       ? refusal_of(arena)
			       : reply_of(arena, *ret_request, answers[answer_at].extra);
	answer_at++;
	return 0;
}

int __wrap_connection_fd(const struct connection *c)
{
	(void)c;
	return connected ? 0 : -1;
}

void __wrap_connection_close(struct connection *c)
{
	(void)c;
	connected = false;
}

static int send_one(struct pipeline *p)
{
	struct submit_key key = {.name = ""};
	struct err err = {0};

	return pipeline_send(p, NULL, 1, &key, &err);
}

static void will_answer(uint32_t number, bool refused, size_t extra)
{
	answers[answer_count].number = number;
	answers[answer_count].refused = refused;
	answers[answer_count++].extra = extra;
}

static struct pipeline *begin(void)
{
	answer_count = answer_at = sent = 0;
	connected = true;
	send_breaks = false;
	return pipeline_new(NULL);
}

/* The id of the oldest submission, or the negative errno. */
static int64_t take(struct pipeline *p)
{
	struct err err = {0};
	uint64_t id = 0;
	int rc = pipeline_receive(p, &id, &err);

	return rc < 0 ? rc : (int64_t)id;
}

static void test_order(void)
{
	struct pipeline *p = begin();
	static const uint32_t order[] = {2, 0, 3, 1};
	uint32_t first;
	int rc = 0;

	is_int(take(p), -ENOENT, "there is no answer before a submission");
	for (int i = 0; i < 4; i++)
		rc |= send_one(p);
	is_int(rc, 0, "four submissions are sent");
	is_int((long long)pipeline_count(p), 4, "they are in flight");
	first = last_number - 3;
	for (int i = 0; i < 4; i++)
		will_answer(first + order[i], order[i] == 3, 0);
	is_int(take(p), 1000 + first, "the first answer is that of the first submission");
	is_int(take(p), 1000 + first + 1, "the second that of the second");
	is_int(take(p), 1000 + first + 2, "the third that of the third");
	is_int(take(p), -EPERM, "a refusal is the answer of its submission alone");
	is_int(take(p), -ENOENT, "no submission is left");
	ok(connected, "the connection stays open");
	pipeline_free(p);
}

static void test_full(void)
{
	struct pipeline *p = begin();
	size_t good = 0;
	int rc = 0;

	/* more than one round of the ring */
	for (int round = 0; round < 2; round++) {
		answer_count = answer_at = 0;
		for (int i = 0; i < PIPELINE_MAX; i++)
			rc |= send_one(p);
		is_int(rc, 0, "%d submissions are in flight", PIPELINE_MAX);
		is_int(send_one(p), -EBUSY, "one more is refused");
		for (uint32_t i = PIPELINE_MAX; i > 0; i--)
			will_answer(last_number - PIPELINE_MAX + i, false, 0);
		for (uint32_t i = 1; i <= PIPELINE_MAX; i++)
			good += take(p) == 1000 + (int64_t)(last_number - PIPELINE_MAX + i);
	}
	is_int((long long)good, 2 * PIPELINE_MAX,
	       "answers in the reverse order are taken in order");
	pipeline_free(p);
}

/* The connection breaks after some of five answers, of which the second comes first. */
static void test_break(size_t arrived)
{
	static const uint32_t order[] = {1, 0, 2, 3, 4};
	struct pipeline *p = begin();
	int64_t got[5];
	size_t known = 0, unknown = 0;

	for (int i = 0; i < 5; i++)
		send_one(p);
	for (size_t i = 0; i < arrived; i++)
		will_answer(last_number - 4 + order[i], false, 0);
	for (int i = 0; i < 5; i++) {
		got[i] = take(p);
		known += got[i] == 1000 + (int64_t)(last_number - 4) + i;
		unknown += got[i] == -EAGAIN;
		if (got[i] == -EAGAIN && pipeline_count(p))
			is_int(send_one(p), -EAGAIN, "nothing is sent before the others are taken");
	}
	is_int((long long)known, (long long)arrived, "%zu answers that arrived are given out",
	       arrived);
	is_int((long long)unknown, 5 - (long long)arrived, "the others are not known");
	is_int((long long)sent, 5, "nothing was sent again");
	is_int(send_one(p), 0, "then a new submission is sent");
	pipeline_free(p);
}

static void test_bad_answers(void)
{
	struct pipeline *p = begin();

	send_one(p);
	send_one(p);
	will_answer(last_number - 1, false, 1);
	will_answer(last_number + 1, false, 0);
	is_int(take(p), -EBADE, "too many ids are an error of that submission");
	is_int(take(p), -EBADE, "an answer to an unknown request is an error");
	ok(!connected, "and ends the connection");
	send_one(p);
	send_one(p);
	answer_count = answer_at = 0;
	will_answer(last_number, false, 0);
	will_answer(last_number, false, 0);
	is_int(take(p), -EBADE, "a second answer to one request is an error");
	is_int(take(p), 1000 + last_number, "the answer that came first counts");
	pipeline_free(p);
}

static void test_send_breaks(void)
{
	struct pipeline *p = begin();

	send_one(p);
	send_breaks = true;
	is_int(send_one(p), -EAGAIN, "a submission that cannot be sent has no entry");
	is_int((long long)pipeline_count(p), 1, "the one before has it still");
	send_breaks = false;
	is_int(send_one(p), -EAGAIN, "the next one is not sent on a new connection");
	is_int(take(p), -EAGAIN, "the one before is not known");
	is_int(send_one(p), 0, "after that the next one is sent");
	pipeline_free(p); /* with an entry */
}

int main(void)
{
	test_order();
	test_full();
	for (size_t arrived = 0; arrived <= 5; arrived++)
		test_break(arrived);
	test_bad_answers();
	test_send_breaks();
	done();
}
