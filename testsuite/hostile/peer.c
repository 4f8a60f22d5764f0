/*
 * Connections of the hostile client (peer.h). Input: the configuration of the cluster. Output: sockets with a
 * session, open or not even begun. Caveat: handshakes block, so that their number in a second is what one
 * process can do.
 */
#include "hostile/peer.h"

#include "util/mem.h"
#include "wire/block.h"

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

__attribute__((noreturn)) static void fail(const struct err *err)
{
	fprintf(stderr, "hostile: %s\n", err->text);
	exit(1);
}

void target_open(struct target *t, const char *address)
{
	static char host[256];
	const struct passwd *pw;
	struct err err = {""};

	*t = (struct target){0};
	if (sodium_init() < 0 || conf_load(&t->conf, NULL, &err) < 0 ||
	    plugin_load_chosen(&t->plugin, t->conf, ARMADA_PLUGIN_AUTH, &err) < 0 ||
	    plugin_open_auth(&t->plugin, &t->auth_handle, &err) < 0)
		fail(&err);
	t->auth = t->plugin.ops;
	gethostname(host, sizeof(host) - 1);
	pw = getpwnam(t->conf->controller_user);
	t->policy = (struct session_policy){
		.cluster = t->conf->cluster,
		.host = host,
		.self = ROLE_CLIENT,
		.server_uid =
			pw ? pw->pw_uid : (uint32_t)strtoul(t->conf->controller_user, NULL, 10),
	};
	t->address = address ? address : xasprintf("%s/armctld.sock", t->conf->run_dir);
}

void target_close(struct target *t)
{
	t->auth->close(t->auth_handle);
	plugin_free(&t->plugin);
	conf_free(t->conf);
}

struct call *target_call(const struct target *t, int timeout_ms, struct err *err)
{
	struct call *c;
	int code;

	return call_open(&c, t->address, &t->policy, t->auth, t->auth_handle, timeout_ms, &code,
			 err)
		       ? NULL
		       : c;
}

int peer_connect(struct peer *p, const struct target *t)
{
	struct address list[ADDRESSES];
	struct err err;
	uint8_t seed[64];
	int n = address_resolve(t->address, false, list, &err);

	p->fd = n < 0 ? n : block_connect(&list[0], block_now_ms() + 1000);
	if (p->fd < 0) {
		n = p->fd;
		p->fd = -1;
		return n;
	}
	randombytes_buf(seed, sizeof(seed));
	p->session = session_new(&t->policy, seed);
	p->made = 0;
	return 0;
}

void peer_close(struct peer *p)
{
	if (p->fd < 0)
		return;
	close(p->fd);
	session_free(p->session);
	p->fd = -1;
	p->session = NULL;
}

/* The blocking step that the session requests. */
static void work(struct session *s, const struct session_work *w, const struct target *t)
{
	struct armada_error error = {""};
	uint8_t payload[64];
	char *cred = NULL;
	uint32_t uid, gid;
	size_t len;
	int rc;

	if (w->kind == SESSION_WORK_ENCODE) {
		rc = t->auth->encode(t->auth_handle, w->payload, sizeof(w->payload), w->for_uid,
				     &cred, &error);
		if (!rc)
			session_encoded(s, cred);
		free(cred);
	} else {
		rc = t->auth->decode(t->auth_handle, w->credential, payload, sizeof(payload), &len,
				     &uid, &gid, &error);
		if (!rc)
			session_decoded(s, payload, len, uid, gid);
	}
	if (rc)
		session_work_failed(s, rc, error.text);
}

/* Sends all output of the session, or reads once. */
static int exchange(struct peer *p, int64_t deadline_ms)
{
	struct buf *out = session_out(p->session);
	short events = out->len ? POLLOUT : POLLIN;
	int rc = block_ready(p->fd, events, deadline_ms);
	uint8_t chunk[8192];
	ssize_t n;

	if (rc)
		return rc;
	n = events == POLLOUT ? send(p->fd, out->data, out->len, MSG_NOSIGNAL)
			      : recv(p->fd, chunk, sizeof(chunk), 0);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (events == POLLOUT)
		buf_drop(out, (size_t)n);
	else
		session_feed(p->session, chunk, (size_t)n);
	return n == 0 ? -ECONNRESET : 0;
}

int peer_open(struct peer *p, const struct target *t, int timeout_ms, struct err *err)
{
	int64_t deadline_ms = block_now_ms() + timeout_ms;
	int rc = peer_connect(p, t);

	if (rc)
		return err_sys(err, rc, "connect");
	while (!rc &&
	       (session_state(p->session) == SESSION_HANDSHAKE || session_out(p->session)->len)) {
		struct session_work w;

		if (session_work(p->session, &w))
			work(p->session, &w, t);
		else
			rc = exchange(p, deadline_ms);
	}
	if (!rc && session_state(p->session) == SESSION_OPEN)
		return 0;
	if (session_state(p->session) == SESSION_FAILED)
		rc = err_set(err, -EPERM, "%s", session_error(p->session, NULL));
	else
		rc = err_sys(err, rc, "handshake");
	peer_close(p);
	return rc;
}
