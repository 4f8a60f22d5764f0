/*
 * Copies what the history lacks from other controllers (history_copy.h). Input: pages of other controllers.
 * Output: rows to the history, as those of the log; the file of the gap; a sentence about the progress.
 *
 * A page is asked for when the one before is on the disk, and after a pause that is as long as the answer
 * took, so that the thread that answers has as much time for others. So one page is in memory. An end that
 * the log has given meanwhile is the same row, and a second write of it changes nothing.
 */
#define LOG_AREA LOG_AREA_STATE
#include "armctld/history_copy.h"

#include "armctld/history_gap.h"
#include "armctld/history_items.h"
#include "armctld/peer_marks.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/units.h"
#include "wire/call.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { OPEN_MS = 2000, ASK_MS = 15000, AGAIN_US = 2000000, TEXT = 300 };

struct history_copy {
	struct history_copy_config config;
	struct history_gap gap;
	struct history_blobs blobs;
	int64_t begun_us;
	uint64_t items;
	char why[TEXT];     /* why no controller gives anything now */
	char (*said)[TEXT]; /* the last warning about each controller, which the log has */
	pthread_t thread;
	pthread_mutex_t lock; /* of everything below */
	pthread_cond_t change;
	bool stopping;
	int fd; /* of the call that waits; -1: none */
};

/* What a controller has said. */
struct answer {
	bool answered, lacks;
	uint64_t complete;
};

static bool stops(struct history_copy *h)
{
	bool stopping;

	pthread_mutex_lock(&h->lock);
	stopping = h->stopping;
	pthread_mutex_unlock(&h->lock);
	return stopping;
}

static void pause_us(struct history_copy *h, int64_t us)
{
	int64_t until_us = clock_us(CLOCK_MONOTONIC) + us;
	struct timespec until = {.tv_sec = until_us / 1000000,
				 .tv_nsec = until_us % 1000000 * 1000};

	pthread_mutex_lock(&h->lock);
	while (!h->stopping &&
	       pthread_cond_clockwait(&h->change, &h->lock, CLOCK_MONOTONIC, &until) == 0)
		;
	pthread_mutex_unlock(&h->lock);
}

/* False: the process ends, and a call must not begin to wait. */
static bool set_fd(struct history_copy *h, int fd)
{
	bool goes_on;

	pthread_mutex_lock(&h->lock);
	h->fd = fd;
	goes_on = !h->stopping;
	pthread_mutex_unlock(&h->lock);
	return goes_on;
}

/* ---- what the administrator sees ---- */

static void note(struct history_copy *h, const char *from)
{
	const struct history_gap *g = &h->gap;
	uint64_t at = g->place.seq ? g->place.seq : g->after;
	char text[TEXT];
	int n;

	n = snprintf(text, sizeof(text),
		     "lacks the jobs that ended in the records %" PRIu64 " to %" PRIu64,
		     g->after + 1, g->upto);
	if (from)
		snprintf(text + n, sizeof(text) - (size_t)n,
			 ", and copies them from controller %s, at record %" PRIu64, from, at);
	else
		snprintf(text + n, sizeof(text) - (size_t)n,
			 "; no controller gives them now%s%.150s", *h->why ? ": " : "", h->why);
	h->config.note(h->config.arg, text);
}

/* Says once of each controller why it does not go on. */
static void note_why(struct history_copy *h, size_t i, const char *why)
{
	snprintf(h->why, sizeof(h->why), "controller %.64s: %.200s",
		 h->config.conf->controller_names[i], why);
	if (strcmp(h->said[i], h->why) == 0)
		return;
	log_warn("the history cannot be copied now: %s", h->why);
	memcpy(h->said[i], h->why, sizeof(h->why));
}

/* ---- a page ---- */

static int ask(struct history_copy *h, struct call *call, uint64_t upto, struct arena *arena,
	       const Armada__CopyHistoryReply **ret_reply, struct err *err)
{
	Armada__CopyHistoryRequest q = ARMADA__COPY_HISTORY_REQUEST__INIT;
	ProtobufCBinaryData known[HISTORY_BLOBS];
	uint8_t proof[SESSION_PROOF];
	enum msg_type type;
	void *message;
	int rc;

	order_key_prove(h->config.key, call_peer(call)->binding, proof);
	q.name = (char *)(uintptr_t)h->config.conf->name;
	q.proof = (ProtobufCBinaryData){sizeof(proof), proof};
	q.after = h->gap.after;
	q.upto = upto;
	q.place = &h->gap.place;
	for (size_t i = 0; i < h->blobs.count; i++)
		known[i] =
			(ProtobufCBinaryData){sizeof(h->blobs.list[i].hash), h->blobs.list[i].hash};
	q.known = known;
	q.n_known = h->blobs.count;
	rc = call_ask(call, MSG_COPY_HISTORY, &q, arena, ASK_MS, &type, &message, err);
	if (rc < 0)
		return rc;
	if (type == MSG_ERROR)
		return err_set(err, -EPERM, "%s", ((Armada__ErrorReply *)message)->text);
	*ret_reply = message;
	if (type != MSG_COPY_HISTORY_REPLY || !(*ret_reply)->place)
		return err_set(err, -EBADMSG, "its answer is no page of the history");
	return 0;
}

/* Waits for the disk; the rows of the page are then in the history. */
static int store(struct history_copy *h, struct err *err)
{
	while (!history_settle(h->config.history)) {
		pause_us(h, AGAIN_US);
		if (stops(h))
			return err_set(err, -EINTR, "armctld ends");
	}
	return history_gap_write(h->config.conf->state_dir, &h->gap, err);
}

static bool is_same(const Armada__HistoryPlace *a, const Armada__HistoryPlace *b)
{
	CLEANUP_BUF struct buf x = {0}, y = {0};

	msg_pack(a, &x);
	msg_pack(b, &y);
	return x.len == y.len && (!x.len || memcmp(x.data, y.data, x.len) == 0);
}

/* 1: the pass is whole; 0: another page follows. */
static int copy_page(struct history_copy *h, struct call *call, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	const Armada__CopyHistoryReply *m;
	int64_t begin_us = clock_us(CLOCK_MONOTONIC);
	struct effect *list;
	size_t count;
	bool whole;
	int rc = ask(h, call, h->gap.target, arena, &m, err);

	if (rc == 0 && m->complete < h->gap.target)
		rc = err_set(err, -ESTALE, "its history has less than before");
	if (rc == 0 && is_same(m->place, &h->gap.place))
		rc = err_set(err, -EBADMSG, "it gives the same page of the history again");
	if (rc == 0)
		rc = history_items_read(m, &h->blobs, arena, &list, &count, err);
	if (rc < 0)
		return rc;
	begin_us -= clock_us(CLOCK_MONOTONIC);
	for (size_t i = 0; i < count; i++)
		history_add(h->config.history, &list[i]);
	h->items += count;
	whole = history_gap_move(&h->gap, m->place);
	rc = store(h, err);
	pause_us(h, -begin_us);
	return rc < 0 ? rc : whole;
}

/* ---- a pass ---- */

static int copy_pass(struct history_copy *h, const char *name, struct call *call,
		     struct answer *ret_answer, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	const Armada__CopyHistoryReply *m;
	int rc = ask(h, call, h->gap.after, arena, &m, err);

	if (rc < 0)
		return rc;
	*ret_answer = (struct answer){true, m->lacks, m->complete};
	if (!history_gap_begin(&h->gap, m->complete))
		return err_set(err, -ENOENT, "it does not have them%s",
			       m->lacks ? " either" : " yet");
	while (rc == 0 && !stops(h)) {
		note(h, name);
		rc = copy_page(h, call, err);
	}
	history_lacks(h->config.history, history_gap_is_open(&h->gap), h->gap.after);
	return rc;
}

static int copy_from(struct history_copy *h, size_t i, struct answer *ret_answer, struct err *err)
{
	const struct conf *conf = h->config.conf;
	const struct peers peers = {conf, h->config.host, h->config.auth, h->config.auth_handle};
	struct call *call;
	int rc = peer_call_open(&call, &peers, i, OPEN_MS, err);

	if (rc < 0)
		return rc;
	rc = set_fd(h, call_fd(call))
		     ? copy_pass(h, conf->controller_names[i], call, ret_answer, err)
		     : -EINTR;
	set_fd(h, -1);
	call_close(call);
	return rc;
}

/* The leader is the first one, the others follow in their order. */
static size_t first_to_ask(struct history_copy *h)
{
	const struct conf *conf = h->config.conf;
	char leader[ARMADA_REPLICA_ADDRESS_MAX + 1] = "";

	h->config.leader(h->config.arg, leader);
	for (size_t i = 0; i < conf->controller_count; i++)
		if (strcmp(conf->controllers[i], leader) == 0)
			return i;
	return 0;
}

/* What no other controller has is lost. */
static void give_up(struct history_copy *h)
{
	struct err err;

	log_warn("the jobs that ended in the records %" PRIu64 " to %" PRIu64
		 " are in the history of no controller any more",
		 h->gap.after + 1, h->gap.upto);
	h->gap.after = h->gap.upto;
	if (history_gap_write(h->config.conf->state_dir, &h->gap, &err) < 0)
		log_error("%s", err.text);
}

static void round_of_all(struct history_copy *h)
{
	const struct conf *conf = h->config.conf;
	size_t first = first_to_ask(h), none = 0;
	uint64_t after = h->gap.after;

	for (size_t n = 0; n < conf->controller_count && history_gap_is_open(&h->gap); n++) {
		size_t i = (first + n) % conf->controller_count;
		struct answer answer = {.answered = false};
		struct err err = {""};
		int rc;

		if (i == conf->self || stops(h))
			continue;
		rc = copy_from(h, i, &answer, &err);
		if (rc < 0 && !stops(h))
			note_why(h, i, err.text);
		none += answer.answered && answer.lacks && answer.complete <= after;
	}
	if (none + 1 == conf->controller_count && h->gap.after == after && !stops(h))
		give_up(h);
}

static void *copier(void *arg)
{
	struct history_copy *h = arg;

	while (!stops(h) && history_gap_is_open(&h->gap)) {
		round_of_all(h);
		if (!history_gap_is_open(&h->gap) || stops(h))
			break;
		note(h, NULL);
		pause_us(h, AGAIN_US);
	}
	history_lacks(h->config.history, history_gap_is_open(&h->gap), h->gap.after);
	if (history_gap_is_open(&h->gap))
		return NULL;
	h->config.note(h->config.arg, "");
	log_notice("the history is complete up to record %" PRIu64 ": %" PRIu64
		   " rows, jobs and events were copied in %s",
		   h->gap.upto, h->items,
		   duration_words(clock_us(CLOCK_MONOTONIC) - h->begun_us).text);
	return NULL;
}

static int read_gap(struct history_copy *h, uint64_t complete, uint64_t begins, struct err *err)
{
	const char *dir = h->config.conf->state_dir;
	bool damaged;
	int rc = history_gap_read(dir, &h->gap, &damaged, err);

	if (rc < 0)
		return rc;
	if (damaged)
		log_warn("%s/history.gap is damaged: all rows of other controllers are copied",
			 dir);
	history_gap_add(&h->gap, damaged ? 0 : complete, begins);
	return history_gap_write(dir, &h->gap, err);
}

int history_copy_new(struct history_copy **ret_copy, const struct history_copy_config *config,
		     uint64_t complete, uint64_t begins, struct err *err)
{
	struct history_copy *h = xcalloc(1, sizeof(*h));
	int rc;

	h->config = *config;
	h->said = xcalloc(config->conf->controller_count, sizeof(*h->said));
	h->fd = -1;
	h->begun_us = clock_us(CLOCK_MONOTONIC);
	rc = read_gap(h, complete, begins, err);
	if (rc < 0 || !history_gap_is_open(&h->gap)) {
		history_gap_done(&h->gap);
		free(h->said);
		free(h);
		return rc;
	}
	log_notice("the history lacks the jobs that ended in the records %" PRIu64 " to %" PRIu64
		   ", which are copied from other controllers",
		   h->gap.after + 1, h->gap.upto);
	history_lacks(config->history, true, h->gap.after);
	note(h, NULL);
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->change, NULL);
	if (pthread_create(&h->thread, NULL, copier, h))
		abort();
	*ret_copy = h;
	return 0;
}

void history_copy_free(struct history_copy *h)
{
	if (!h)
		return;
	pthread_mutex_lock(&h->lock);
	h->stopping = true;
	pthread_cond_broadcast(&h->change);
	if (h->fd >= 0)
		shutdown(h->fd, SHUT_RDWR);
	pthread_mutex_unlock(&h->lock);
	pthread_join(h->thread, NULL);
	history_blobs_done(&h->blobs);
	history_gap_done(&h->gap);
	pthread_cond_destroy(&h->change);
	pthread_mutex_destroy(&h->lock);
	free(h->said);
	free(h);
}
