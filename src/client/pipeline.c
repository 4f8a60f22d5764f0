/*
 * Submissions in flight (pipeline.h). Input: finished specs to send, answers of the connection. Output: the
 * answers in the order of the submissions.
 *
 * The entries are a ring; the number of a request is its place in the order of all submissions, so the
 * entry of an answer is found by its number.
 */
#include "client/pipeline.h"

#include "util/mem.h"

#include <errno.h>
#include <string.h>

enum { ANSWER_TIMEOUT_MS = 60000 };

struct entry {
	size_t count; /* of its jobs */
	bool answered;
	int rc;
	uint64_t *ids; /* if it was accepted */
	struct err why;
};

struct pipeline {
	struct connection *c;
	uint32_t first; /* the number of the oldest entry */
	uint32_t count;
	struct entry ring[PIPELINE_MAX];
};

struct pipeline *pipeline_new(struct connection *c)
{
	struct pipeline *p = xcalloc(1, sizeof(*p));

	p->c = c;
	return p;
}

static struct entry *entry_of(struct pipeline *p, uint32_t number)
{
	return number - p->first < p->count ? &p->ring[number % PIPELINE_MAX] : NULL;
}

static void drop_first(struct pipeline *p)
{
	free(p->ring[p->first % PIPELINE_MAX].ids);
	p->first++;
	p->count--;
}

void pipeline_free(struct pipeline *p)
{
	if (!p)
		return;
	while (p->count)
		drop_first(p);
	free(p);
}

size_t pipeline_count(const struct pipeline *p)
{
	return p->count;
}

static bool is_broken(const struct pipeline *p)
{
	return connection_fd(p->c) < 0;
}

int pipeline_send(struct pipeline *p, struct spec *const *specs, size_t count,
		  const struct submit_key *key, struct err *err)
{
	uint32_t number = p->first + p->count;
	int rc;

	if (p->count == PIPELINE_MAX)
		return err_set(err, -EBUSY, "%d submissions wait for their answers", PIPELINE_MAX);
	if (p->count && is_broken(p))
		return err_set(err, -EAGAIN,
			       "the connection broke while %u submissions waited for their answers",
			       p->count);
	rc = submit_send(p->c, number, specs, count, key, err);
	if (rc < 0)
		return rc;
	p->ring[number % PIPELINE_MAX] = (struct entry){.count = count};
	p->count++;
	return 0;
}

static void accept_ids(struct entry *e, const Armada__SubmitReply *reply)
{
	if (reply->n_ids != e->count) {
		e->rc = err_set(&e->why, -EBADE, "%zu ids for %zu jobs", reply->n_ids, e->count);
		return;
	}
	e->ids = xcalloc(e->count, sizeof(*e->ids));
	memcpy(e->ids, reply->ids, e->count * sizeof(*e->ids));
}

static void take_answer(struct entry *e, enum msg_type type, const void *message)
{
	e->answered = true;
	if (type == MSG_SUBMIT_REPLY)
		accept_ids(e, message);
	else if (type == MSG_ERROR)
		e->rc = connection_error(message, &e->why);
	else
		e->rc = err_set(&e->why, -EBADE,
				"unexpected reply of the controller: message type %d instead of %d",
				(int)type, (int)MSG_SUBMIT_REPLY);
}

/* Reads one answer. */
static int read_answer(struct pipeline *p, struct arena *arena, struct err *err)
{
	enum msg_type type = 0;
	void *message = NULL;
	uint32_t number = 0;
	struct entry *e;
	int rc = connection_receive(p->c, arena, ANSWER_TIMEOUT_MS, &type, &number, &message, err);

	if (rc < 0) {
		connection_close(p->c);
		return rc == -EPERM ? rc : -EAGAIN;
	}
	e = entry_of(p, number);
	if (!e || e->answered) {
		connection_close(p->c);
		return err_set(err, -EBADE,
			       "the controller answered request %u, which does not wait", number);
	}
	take_answer(e, type, message);
	return 0;
}

int pipeline_receive(struct pipeline *p, uint64_t *ret_ids, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct entry *e = entry_of(p, p->first);
	int rc = 0;

	if (!e)
		return err_set(err, -ENOENT, "no submission waits for its answer");
	while (rc == 0 && !e->answered) {
		arena_clear(arena);
		rc = is_broken(p) ? err_set(err, -EAGAIN, "the connection broke before the answer")
				  : read_answer(p, arena, err);
	}
	if (rc == 0 && e->rc < 0)
		rc = err_set(err, e->rc, "%s", e->why.text);
	if (rc == 0)
		memcpy(ret_ids, e->ids, e->count * sizeof(*e->ids));
	drop_first(p);
	return rc;
}
