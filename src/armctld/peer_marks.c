/*
 * Asks the other controllers (peer_marks.h). Input: the list of armada.conf. Output: their marks, from the
 * answer to CONTROLLERS, which a standby gives, too, also one that refuses the store.
 *
 * Each one has a thread: one that is stopped, or whose machine is away, must not use up the lease for all.
 */
#define LOG_AREA LOG_AREA_STATE
#include "armctld/peer_marks.h"

#include "util/arena.h"
#include "util/mem.h"
#include "wire/call.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { OPEN_MS = 1000, ASK_MS = 500 };

struct question {
	const struct peers *peers;
	size_t index;
	struct peer_mark *row;
	pthread_t thread;
};

int peer_call_open(struct call **ret_call, const struct peers *peers, size_t i, int timeout_ms,
		   struct err *err)
{
	const struct session_policy policy = {
		.cluster = peers->conf->cluster,
		.host = peers->host,
		.self = ROLE_CLIENT,
		.server_uid = geteuid(),
		.trust_kernel = peers->conf->trust_kernel,
	};
	int code;

	return call_open(ret_call, peers->conf->controllers[i], &policy, peers->auth,
			 peers->auth_handle, timeout_ms, &code, err);
}

static int take_mark(const Armada__ControllersReply *m, struct peer_mark *row)
{
	if (!m->mark_hash.len)
		return err_set(&row->why, -ENOENT, "it is of a release that does not say it");
	if (m->mark_hash.len > sizeof(row->mark.hash))
		return err_set(&row->why, -EBADMSG, "its answer has a hash of %zu bytes",
			       m->mark_hash.len);
	row->mark.seq = m->mark;
	row->mark.len = m->mark_hash.len;
	memcpy(row->mark.hash, m->mark_hash.data, m->mark_hash.len);
	return 0;
}

static void *asker(void *arg)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	Armada__ControllersRequest request = ARMADA__CONTROLLERS_REQUEST__INIT;
	struct question *q = arg;
	struct call *call;
	enum msg_type type;
	void *message;

	if (peer_call_open(&call, q->peers, q->index, OPEN_MS, &q->row->why) < 0)
		return NULL;
	if (call_ask(call, MSG_CONTROLLERS, &request, arena, ASK_MS, &type, &message,
		     &q->row->why) == 0) {
		if (type == MSG_CONTROLLERS_REPLY)
			take_mark(message, q->row);
		else
			err_set(&q->row->why, -EBADMSG, "its answer is of another kind");
	}
	call_close(call);
	return NULL;
}

size_t peer_marks_ask(const struct peers *peers, struct peer_mark *list)
{
	struct question questions[PEER_MARKS];
	size_t count = 0;

	for (size_t i = 0; i < peers->conf->controller_count && count < PEER_MARKS; i++) {
		struct question *q = &questions[count];

		if (i == peers->conf->self)
			continue;
		list[count] = (struct peer_mark){.name = peers->conf->controller_names[i]};
		*q = (struct question){.peers = peers, .index = i, .row = &list[count]};
		if (pthread_create(&q->thread, NULL, asker, q))
			abort();
		count++;
	}
	for (size_t i = 0; i < count; i++)
		pthread_join(questions[i].thread, NULL);
	return count;
}
