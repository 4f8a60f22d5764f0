/*
 * mpi/pmi1: PMI-1, the protocol of MPICH and its relatives.
 *
 * The program inherits one end of a socket (PMI_FD), over which the client in its MPI library sends lines
 * of text. This file moves bytes between the other end and the state machine (pmi1/machine.h), and effects
 * of the machine to the host.
 */
#include "pmi1/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { VARIABLES = 3, VARIABLE_MAX = 32 };

struct rank {
	const struct armada_mpi_host *host;
	struct pmi1 *machine;
	int ours, theirs; /* -1: closed */
	char texts[VARIABLES][VARIABLE_MAX];
	const char *variables[VARIABLES + 1];
};

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int rank_open(void **ret_handle, const struct armada_mpi_rank *rank,
		     const struct armada_mpi_host *host, struct armada_error *err)
{
	struct rank *r;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0) {
		int code = -errno;

		snprintf(err->text, sizeof(err->text), "socketpair: %s", strerror(-code));
		return code;
	}
	r = calloc(1, sizeof(*r));
	if (!r)
		abort();
	r->host = host;
	r->machine = pmi1_new(rank);
	r->ours = fds[0];
	r->theirs = fds[1];
	fcntl(r->ours, F_SETFL, O_NONBLOCK);
	snprintf(r->texts[0], VARIABLE_MAX, "PMI_FD=%d", r->theirs);
	snprintf(r->texts[1], VARIABLE_MAX, "PMI_RANK=%u", rank->rank);
	snprintf(r->texts[2], VARIABLE_MAX, "PMI_SIZE=%u", rank->size);
	for (int i = 0; i < VARIABLES; i++)
		r->variables[i] = r->texts[i];
	*ret_handle = r;
	return 0;
}

static void rank_close(void *handle)
{
	struct rank *r = handle;

	close_end(&r->ours);
	close_end(&r->theirs);
	pmi1_free(r->machine);
	free(r);
}

static const char *const *rank_environment(void *handle)
{
	struct rank *r = handle;

	return r->variables;
}

static int rank_program_fd(void *handle)
{
	const struct rank *r = handle;

	return r->theirs;
}

static void rank_started(void *handle)
{
	struct rank *r = handle;

	close_end(&r->theirs);
}

static int rank_poll_fd(void *handle, short *ret_events)
{
	const struct rank *r = handle;
	size_t len;

	pmi1_out(r->machine, &len);
	*ret_events = (short)((pmi1_wants(r->machine) ? POLLIN : 0) | (len ? POLLOUT : 0));
	return r->ours;
}

static void act(struct rank *r, enum pmi1_effect effect)
{
	size_t len;
	const char *data;

	if (effect == PMI1_END) {
		r->host->abort(r->host->ctx, pmi1_code(r->machine), pmi1_reason(r->machine));
	} else if (effect == PMI1_FENCE) {
		data = pmi1_fence_data(r->machine, &len);
		r->host->fence(r->host->ctx, data, len);
	}
}

/* Handles all complete lines, and sends what the program can take. */
static void work(struct rank *r)
{
	enum pmi1_effect effect;
	const char *out;
	size_t len;
	ssize_t n;

	do {
		effect = pmi1_step(r->machine);
		act(r, effect);
		out = pmi1_out(r->machine, &len);
		n = len && r->ours >= 0 ? send(r->ours, out, len, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;
		if (n > 0)
			pmi1_sent(r->machine, (size_t)n);
	} while (effect != PMI1_NONE || n > 0);
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		close_end(&r->ours);
}

/* Reads once; false if there is nothing to read now. */
static bool read_some(struct rank *r)
{
	char chunk[4096];
	ssize_t n = recv(r->ours, chunk, sizeof(chunk), 0);

	if (n < 0)
		return errno == EINTR;
	if (n == 0) {
		close_end(&r->ours);
		return false;
	}
	pmi1_feed(r->machine, chunk, (size_t)n);
	return true;
}

static void rank_ready(void *handle)
{
	struct rank *r = handle;

	if (r->ours >= 0 && pmi1_wants(r->machine))
		read_some(r);
	work(r);
}

static void rank_fenced(void *handle, const void *data, size_t len)
{
	struct rank *r = handle;

	act(r, pmi1_fenced(r->machine, data, len));
	work(r);
}

static int rank_ended(void *handle)
{
	struct rank *r = handle;
	enum pmi1_state state;

	while (r->ours >= 0 && pmi1_wants(r->machine) && read_some(r))
		work(r);
	state = pmi1_state(r->machine);
	return state == PMI1_READY || state == PMI1_FENCING;
}

static const struct armada_mpi_ops ops = {
	.open = rank_open,
	.close = rank_close,
	.environment = rank_environment,
	.program_fd = rank_program_fd,
	.started = rank_started,
	.poll_fd = rank_poll_fd,
	.ready = rank_ready,
	.fenced = rank_fenced,
	.ended = rank_ended,
};

ARMADA_PLUGIN_PLAIN(ARMADA_PLUGIN_MPI, "pmi1", "PMI-1, for MPICH and its relatives", ops);
