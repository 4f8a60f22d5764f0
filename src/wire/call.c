/*
 * A session on a blocking socket (call.h), for commands. Input: an address, requests. Output:
 * decoded answers, or a negative errno with a sentence. The steps of the auth plugin are called in
 * the same thread. Caveat: after an error of sending, the answer is still read, because the
 * controller sends the reason before it closes the connection.
 */
#include "wire/call.h"

#include "util/mem.h"
#include "wire/block.h"
#include "wire/state.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <unistd.h>

enum { READ_SIZE = 65536 };

struct call {
	int fd;
	struct session *session;
	uint32_t last_request;
	uint8_t chunk[READ_SIZE];
};

static int connect_any(const char *text, int64_t deadline_ms, struct err *err)
{
	struct address list[ADDRESSES];
	int n = address_resolve(text, false, list, err), fd = 0;

	if (n < 0)
		return n;
	for (int i = 0; i < n; i++) {
		fd = block_connect(&list[i], deadline_ms);
		if (fd >= 0)
			return fd;
	}
	return err_sys(err, fd, "%s", text);
}

/*
 * Wait until output can be sent. Of an open session, read meanwhile: a server whose answers are not read
 * stops to read, so that both ends would wait for each other.
 */
static int wait_to_send(struct call *c, int64_t deadline_ms)
{
	bool open = session_state(c->session) == SESSION_OPEN;
	int rc = block_ready(c->fd, open ? POLLIN | POLLOUT : POLLOUT, deadline_ms);
	ssize_t n;

	if (rc || !open)
		return rc;
	n = recv(c->fd, c->chunk, sizeof(c->chunk), MSG_DONTWAIT);
	if (n > 0)
		session_feed(c->session, c->chunk, (size_t)n);
	return n == 0 ? -ECONNRESET : n < 0 && errno != EAGAIN && errno != EINTR ? -errno : 0;
}

/* Send all output of the session. */
static int flush(struct call *c, int64_t deadline_ms, struct err *err)
{
	struct buf *out = session_out(c->session);
	size_t sent = 0;
	int rc = 0;

	while (!rc && sent < out->len) {
		ssize_t n = send(c->fd, out->data + sent, out->len - sent, MSG_NOSIGNAL);

		if (n >= 0)
			sent += (size_t)n;
		else if (errno == EAGAIN)
			rc = wait_to_send(c, deadline_ms);
		else if (errno != EINTR)
			rc = -errno;
	}
	buf_drop(out, sent);
	return rc ? err_sys(err, rc, "sending to the controller") : 0;
}

/* Read once and feed the session. */
static int fill(struct call *c, int64_t deadline_ms, struct err *err)
{
	for (;;) {
		ssize_t n = recv(c->fd, c->chunk, sizeof(c->chunk), 0);
		int rc;

		if (n > 0) {
			session_feed(c->session, c->chunk, (size_t)n);
			return 0;
		}
		if (n == 0)
			return err_set(err, -ECONNRESET, "the controller closed the connection");
		if (errno == EINTR)
			continue;
		rc = errno == EAGAIN ? block_ready(c->fd, POLLIN, deadline_ms) : -errno;
		if (rc)
			return err_sys(err, rc, "waiting for the controller's answer");
	}
}

/* Do the blocking step that the session requests, in this thread. */
static void work(struct session *s, const struct session_work *w,
		 const struct armada_auth_ops *auth, void *handle)
{
	struct armada_error error = {""};
	uint8_t payload[64];
	char *cred = NULL;
	uint32_t uid, gid;
	size_t len;
	int rc;

	if (w->kind == SESSION_WORK_ENCODE) {
		rc = auth->encode(handle, w->payload, sizeof(w->payload), w->for_uid, &cred,
				  &error);
		if (!rc)
			session_encoded(s, cred);
		free(cred);
	} else {
		rc = auth->decode(handle, w->credential, payload, sizeof(payload), &len, &uid, &gid,
				  &error);
		if (!rc)
			session_decoded(s, payload, len, uid, gid);
	}
	if (rc)
		session_work_failed(s, rc, error.text);
}

/* From the first byte to the open session. */
static int handshake(struct call *c, const struct armada_auth_ops *auth, void *handle,
		     int64_t deadline_ms, struct err *err)
{
	int rc = 0;

	while (!rc && session_state(c->session) == SESSION_HANDSHAKE) {
		struct session_work w;

		if (session_work(c->session, &w))
			work(c->session, &w, auth, handle);
		else
			rc = fill(c, deadline_ms, err);
		if (rc || !session_out(c->session)->len)
			continue;
		rc = flush(c, deadline_ms, err);
		/* refused: the reason has arrived and is read next */
		rc = rc == -EPIPE || rc == -ECONNRESET ? 0 : rc;
	}
	return rc;
}

static int open_failed(struct call *c, int rc, int exit_code, int *ret_exit_code)
{
	call_close(c);
	*ret_exit_code = exit_code;
	return rc;
}

/*
 * Asks the kernel who listens on a Unix socket. A process of another user, who has put a socket in the place
 * of the controller's, is refused before anything is sent to it. Root may listen for another process, which
 * then proves its uid by a credential, as does a process that our user namespace does not know.
 */
static int ask_kernel(struct session_policy *p, int fd, struct err *err)
{
	struct kernel_unknown unknown;

	kernel_unknown_read(&unknown);
	p->kernel = kernel_peer_of(fd, &unknown);
	if (!p->kernel.known || p->kernel.uid == p->server_uid || p->kernel.uid == 0)
		return 0;
	return err_set(err, -EPERM,
		       "a process of uid %" PRIu32
		       " listens there, and not the controller (uid %" PRIu32
		       "): see controller_user in armada.conf",
		       p->kernel.uid, p->server_uid);
}

static void begin_session(struct call *c, const struct session_policy *policy)
{
	uint8_t seed[64];

	randombytes_buf(seed, sizeof(seed));
	c->session = session_new(policy, seed);
	sodium_memzero(seed, sizeof(seed));
}

int call_open(struct call **ret_call, const char *address, const struct session_policy *policy,
	      const struct armada_auth_ops *auth, void *auth_handle, int timeout_ms,
	      int *ret_exit_code, struct err *err)
{
	int64_t deadline_ms = block_now_ms() + timeout_ms;
	struct session_policy with_peer = *policy;
	struct call *c = xmalloc(sizeof(*c));
	int rc, code = 0;

	c->last_request = 0;
	c->session = NULL;
	c->fd = connect_any(address, deadline_ms, err);
	if (c->fd < 0)
		return open_failed(c, c->fd, c->fd == -EINVAL ? EXIT_REFUSED : EXIT_TRY_AGAIN,
				   ret_exit_code);
	rc = policy->trust_kernel ? ask_kernel(&with_peer, c->fd, err) : 0;
	if (rc)
		return open_failed(c, err_prefix(err, rc, "%s", address), EXIT_NOT_PERMITTED,
				   ret_exit_code);
	begin_session(c, &with_peer);
	rc = handshake(c, auth, auth_handle, deadline_ms, err);
	if (rc)
		return open_failed(c, err_prefix(err, rc, "%s", address), EXIT_TRY_AGAIN,
				   ret_exit_code);
	if (session_state(c->session) == SESSION_FAILED) {
		err_set(err, 0, "%s: %s", address, session_error(c->session, &code));
		return open_failed(c, code == EXIT_TRY_AGAIN ? -EAGAIN : -EPERM, code,
				   ret_exit_code);
	}
	*ret_call = c;
	return 0;
}

void call_close(struct call *c)
{
	if (!c)
		return;
	if (c->fd >= 0)
		close(c->fd);
	session_free(c->session);
	free(c);
}

int call_fd(const struct call *c)
{
	return c->fd;
}

const struct session_peer *call_peer(const struct call *c)
{
	return session_peer(c->session);
}

const char *call_cluster(const struct call *c)
{
	return session_cluster(c->session);
}

static int dead(const struct call *c, struct err *err)
{
	int code;
	const char *why = session_error(c->session, &code);

	return err_set(err,
		       code == EXIT_TRY_AGAIN       ? -EAGAIN
		       : code == EXIT_NOT_PERMITTED ? -EPERM
						    : -ECONNRESET,
		       "%s", why);
}

int call_send(struct call *c, enum msg_type type, uint32_t request_id, const void *request,
	      struct err *err)
{
	enum { SEND_TIMEOUT_MS = 60000 };

	if (session_state(c->session) == SESSION_OPEN)
		session_send(c->session, type, request_id, request);
	if (session_state(c->session) != SESSION_OPEN)
		return dead(c, err);
	return flush(c, block_now_ms() + SEND_TIMEOUT_MS, err);
}

/* Decode an answer; a body that does not decode ends the session. */
static int answer(struct call *c, const struct session_frame *f, struct arena *arena,
		  enum msg_type *ret_type, uint32_t *ret_request_id, void **ret_message,
		  struct err *err)
{
	void *message = msg_unpack(f->info, f->body, f->len, arena, err);

	if (!message) {
		session_refuse(c->session, EXIT_REFUSED,
			       "cannot decode an answer of the controller");
		return -EBADMSG;
	}
	*ret_type = (enum msg_type)f->info->type;
	*ret_request_id = f->request;
	*ret_message = message;
	return 0;
}

int call_receive(struct call *c, struct arena *arena, int timeout_ms, enum msg_type *ret_type,
		 uint32_t *ret_request_id, void **ret_message, struct err *err)
{
	int64_t deadline_ms = block_now_ms() + timeout_ms;
	struct session_frame f;

	for (;;) {
		int n = session_next(c->session, &f), rc;

		if (n > 0)
			return answer(c, &f, arena, ret_type, ret_request_id, ret_message, err);
		if (n < 0)
			return dead(c, err);
		rc = fill(c, deadline_ms, err);
		if (rc)
			return rc;
	}
}

int call_ask(struct call *c, enum msg_type type, const void *request, struct arena *arena,
	     int timeout_ms, enum msg_type *ret_type, void **ret_message, struct err *err)
{
	int64_t deadline_ms = block_now_ms() + timeout_ms;
	uint32_t id = ++c->last_request, got = 0;
	int rc = call_send(c, type, id, request, err);

	/* the controller may have sent a reason before it closed the connection */
	if (rc && rc != -EPIPE && rc != -ECONNRESET)
		return rc;
	do {
		int64_t left = deadline_ms - block_now_ms();

		rc = call_receive(c, arena, left > 0 ? (int)left : 0, ret_type, &got, ret_message,
				  err);
	} while (!rc && got != id);
	return rc;
}
