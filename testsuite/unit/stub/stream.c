/*
 * The stream between arun and a stub: both ends in one process, without a network. The tests
 * cover frames, windows, wrong keys, changed and replayed bytes, and frames in the wrong
 * direction.
 */
#include "stub/stream.h"

#include "tap/tap.h"
#include "util/le.h"
#include "util/mem.h"

#include <sodium.h>
#include <string.h>

static const uint8_t key[HELLO_KEY] = {1, 2, 3};
static const uint8_t other_key[HELLO_KEY] = {1, 2, 4};
static const uint8_t random_stub[HELLO_RANDOM] = {5}, random_arun[HELLO_RANDOM] = {6};
static const struct hello hello = {.rank = 3, .tasks = 8, .attempt = 2};

struct pair {
	struct stream *stub, *arun;
};

static void move(struct stream *from, struct stream *to)
{
	struct buf *out = stream_out(from);

	stream_feed(to, out->data, out->len);
	buf_clear(out);
}

static struct pair pair_open(void)
{
	struct pair p = {stream_new_stub(key, &hello, random_stub),
			 stream_new_arun(key, STREAM_WINDOW_MIN, random_arun)};

	move(p.stub, p.arun);
	move(p.arun, p.stub);
	return p;
}

static void pair_done(struct pair *p)
{
	stream_free(p->stub);
	stream_free(p->arun);
}

static void test_opens(void)
{
	struct pair p = pair_open();
	struct stream_frame f;
	uint8_t code[4];

	is_int(stream_state(p.arun), STREAM_OPEN, "arun's end opens");
	is_int(stream_state(p.stub), STREAM_OPEN, "the stub's end opens");
	is_int(stream_hello(p.arun)->rank, 3, "arun knows the rank");
	is_int(stream_hello(p.arun)->tasks, 8, "arun knows the number of tasks");
	is_int(stream_next(p.arun, &f), 0, "no frame has arrived yet");
	stream_send(p.stub, STREAM_STARTED, "n1", 2);
	stream_send(p.stub, STREAM_STDOUT, "hello\0world", 11);
	move(p.stub, p.arun);
	is_int(stream_next(p.arun, &f), 1, "a frame arrives");
	is_int(f.type, STREAM_STARTED, "its type is started");
	is_int(stream_next(p.arun, &f), 1, "a second frame arrives");
	ok(f.type == STREAM_STDOUT && f.len == 11 && memcmp(f.body, "hello\0world", 11) == 0,
	   "as it was sent");
	stream_send(p.arun, STREAM_BEGIN, NULL, 0);
	le_put(code, 15, 4);
	stream_send(p.arun, STREAM_SIGNAL, code, 4);
	move(p.arun, p.stub);
	ok(stream_next(p.stub, &f) == 1 && f.type == STREAM_BEGIN && f.len == 0,
	   "a frame arrives in the other direction");
	ok(stream_next(p.stub, &f) == 1 && f.type == STREAM_SIGNAL && le_get(f.body, 4) == 15,
	   "too");
	pair_done(&p);
}

/* Single bytes, as a bad network may deliver them. */
static void test_pieces(void)
{
	struct pair p = pair_open();
	struct stream_frame f;
	struct buf *out;
	int frames = 0;

	stream_send(p.stub, STREAM_STDOUT, "abc", 3);
	stream_send(p.stub, STREAM_STDERR, "defg", 4);
	out = stream_out(p.stub);
	for (size_t i = 0; i < out->len; i++) {
		stream_feed(p.arun, out->data + i, 1);
		while (stream_next(p.arun, &f) > 0)
			frames++;
	}
	is_int(frames, 2, "frames in pieces arrive");
	pair_done(&p);
}

static void test_window(void)
{
	struct pair p = pair_open();
	static uint8_t data[STREAM_WINDOW_MIN];
	struct stream_frame f;

	is_int((long long)stream_room(p.stub), STREAM_WINDOW_MIN,
	       "the window is that of arun's hello");
	stream_send(p.stub, STREAM_STDOUT, data, sizeof(data) - 1);
	is_int((long long)stream_room(p.stub), 1, "the window fills");
	move(p.stub, p.arun);
	is_int(stream_next(p.arun, &f), 1, "data arrives");
	stream_consumed(p.arun, f.len);
	move(p.arun, p.stub);
	is_int(stream_next(p.stub, &f), 0, "the acknowledgement is no frame for the user");
	is_int((long long)stream_room(p.stub), STREAM_WINDOW_MIN, "the window has room again");
	pair_done(&p);
}

/* An end that ignores the window: data of two stubs on one stream. */
static void test_window_kept(void)
{
	struct pair p = {stream_new_stub(key, &hello, random_stub),
			 stream_new_arun(key, STREAM_WINDOW_MIN, random_arun)};
	struct pair big = {stream_new_stub(key, &hello, random_stub),
			   stream_new_arun(key, STREAM_WINDOW_MIN, random_arun)};
	static uint8_t data[STREAM_DATA_MAX];
	struct stream_frame f;
	int rc = 0;

	move(p.stub, p.arun);
	move(p.arun, p.stub);
	/* the same keys, and a stub with a larger window */
	move(big.stub, big.arun);
	move(big.arun, big.stub);
	stream_send(p.stub, STREAM_STDOUT, data, sizeof(data));
	move(p.stub, p.arun);
	is_int(stream_next(p.arun, &f), 1, "a full window is accepted");
	/* arun has taken nothing, and the stub is made to believe it has */
	stream_next(big.arun, &f);
	stream_send(big.stub, STREAM_STDOUT, data, sizeof(data));
	move(big.stub, big.arun);
	stream_next(big.arun, &f);
	stream_consumed(big.arun, f.len);
	move(big.arun, p.stub);
	stream_next(p.stub, &f);
	is_int((long long)stream_room(p.stub), STREAM_WINDOW_MIN, "the stub has room again");
	stream_send(p.stub, STREAM_STDOUT, data, 1);
	move(p.stub, p.arun);
	rc = stream_next(p.arun, &f);
	ok(rc < 0 && stream_state(p.arun) == STREAM_FAILED, "more than a window fails the stream");
	pair_done(&p);
	pair_done(&big);
}

static void test_taken_too_much(void)
{
	struct pair p = pair_open();
	struct stream_frame f;
	uint8_t n[4];

	le_put(n, 1, 4);
	stream_send(p.arun, STREAM_TAKEN, n, 4);
	move(p.arun, p.stub);
	ok(stream_next(p.stub, &f) < 0, "an acknowledgement of unsent bytes is refused");
	pair_done(&p);
}

static void test_wrong_key(void)
{
	struct stream *stub = stream_new_stub(other_key, &hello, random_stub);
	struct stream *arun = stream_new_arun(key, STREAM_WINDOW_MIN, random_arun);

	move(stub, arun);
	is_int(stream_state(arun), STREAM_FAILED, "a hello with another key is refused");
	is_int((long long)stream_out(arun)->len, 0, "the refused hello gets no answer");
	stream_free(stub);
	stream_free(arun);
}

/* Every bit of hello, answer and a frame matters. */
static void test_bits(void)
{
	int taken = 0, answered = 0, framed = 0;
	struct stream_frame f;

	for (size_t bit = 0; bit < HELLO_SIZE * 8; bit++) {
		struct stream *stub = stream_new_stub(key, &hello, random_stub);
		struct stream *arun = stream_new_arun(key, STREAM_WINDOW_MIN, random_arun);

		stream_out(stub)->data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		move(stub, arun);
		taken += stream_state(arun) != STREAM_FAILED;
		stream_free(stub);
		stream_free(arun);
	}
	for (size_t bit = 0; bit < HELLO_ANSWER_SIZE * 8; bit++) {
		struct stream *stub = stream_new_stub(key, &hello, random_stub);
		struct stream *arun = stream_new_arun(key, STREAM_WINDOW_MIN, random_arun);

		move(stub, arun);
		stream_out(arun)->data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		move(arun, stub);
		answered += stream_state(stub) != STREAM_FAILED;
		stream_free(stub);
		stream_free(arun);
	}
	for (size_t bit = 0; bit < 32 * 8; bit++) {
		struct pair p = pair_open();

		stream_send(p.stub, STREAM_STDOUT, "abc", 3);
		stream_out(p.stub)->data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		move(p.stub, p.arun);
		framed += stream_next(p.arun, &f) > 0;
		pair_done(&p);
	}
	is_int(taken, 0, "no hello with a flipped bit is accepted");
	is_int(answered, 0, "no answer with a flipped bit is accepted");
	is_int(framed, 0, "no frame with a flipped bit is accepted");
}

/* Recorded bytes are refused when they are sent again. */
static void test_replay(void)
{
	static const uint8_t fresh[HELLO_RANDOM] = {7};
	struct stream *stub = stream_new_stub(key, &hello, random_stub);
	struct stream *arun = stream_new_arun(key, STREAM_WINDOW_MIN, random_arun);
	struct stream *again = stream_new_arun(key, STREAM_WINDOW_MIN, fresh);
	struct stream_frame f;
	struct buf heard = {0};

	buf_add(&heard, stream_out(stub)->data, stream_out(stub)->len);
	move(stub, arun);
	move(arun, stub);
	stream_send(stub, STREAM_STARTED, "n1", 2);
	buf_add(&heard, stream_out(stub)->data, stream_out(stub)->len);
	stream_feed(again, heard.data, heard.len);
	ok(stream_next(again, &f) < 0, "frames of another connection are refused");
	move(stub, arun);
	stream_feed(arun, heard.data + HELLO_SIZE, heard.len - HELLO_SIZE);
	is_int(stream_next(arun, &f), 1, "the first copy of a frame is accepted");
	ok(stream_next(arun, &f) < 0, "the second copy is refused");
	buf_done(&heard);
	stream_free(stub);
	stream_free(arun);
	stream_free(again);
}

static void test_hello_values(void)
{
	struct hello bad[] = {{8, 8, 1}, {0, 0, 1}, {0, HELLO_TASKS_MAX + 1, 1}}, got;
	uint8_t bytes[HELLO_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		hello_make(key, &bad[i], random_stub, bytes);
		ok(!hello_check(key, bytes, &got), "rank %u of %u is refused", bad[i].rank,
		   bad[i].tasks);
	}
}

/* Each end accepts only the frames that the other end may send. */
static void test_directions(void)
{
	for (uint16_t type = 0; type < 64; type++) {
		const struct stream_kind *k = stream_kind(type);

		if (!k)
			continue;
		ok(k->from & STREAM_BOTH && k->min <= k->max, "the entry of %s is valid", k->name);
	}
	ok(!stream_kind(0) && !stream_kind(63), "unknown types have no entry");
}

int main(void)
{
	if (sodium_init() < 0)
		bail("libsodium");
	test_opens();
	test_pieces();
	test_window();
	test_window_kept();
	test_taken_too_much();
	test_wrong_key();
	test_bits();
	test_replay();
	test_hello_values();
	test_directions();
	return done();
}
