/*
 * The listeners and the dispatch of a request (rest.h). Input: requests that the library has
 * parsed. Output: the answer of the handler of their route.
 *
 * Each connection has a thread, so a handler may wait for the controller. The number of
 * connections, the size of a body and of headers and the time that a client may take are bounded.
 * A token is never logged.
 */
#include "armrestd/rest.h"

#include "armrestd/connections.h"
#include "armrestd/framing.h"
#include "armrestd/routes.h"
#include "armrestd/tls.h"
#include "util/log.h"
#include "util/mem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	STACK = 512 << 10,
	HEADER_MEMORY = 32 << 10,
	TOKEN_LONGEST = 512,
	BACKLOG = 4096,
	BODY_FREE = 64 << 10, /* of a body that is read before its sender is known */
};

/* The token of an Authorization header; NULL: none. */
static const char *bearer(const struct exchange *x)
{
	const char *text = exchange_header(x, "Authorization");

	if (!text || strncasecmp(text, "Bearer ", 7) != 0 || strlen(text) > TOKEN_LONGEST)
		return NULL;
	text += 7;
	text += strspn(text, " ");
	return *text ? text : NULL;
}

/* The peer of the Unix socket, as the kernel names it. */
static bool peer_uid(const struct exchange *x, uint32_t *ret_uid)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(x->http, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct ucred who;
	socklen_t len = sizeof(who);

	if (!info || getsockopt(info->connect_fd, SOL_SOCKET, SO_PEERCRED, &who, &len) < 0)
		return false;
	*ret_uid = who.uid;
	return true;
}

static bool is_local(const struct exchange *x)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(x->http, MHD_CONNECTION_INFO_DAEMON);

	return info && x->rest->local && info->daemon == x->rest->local;
}

/* Who makes the request: a token, or else the peer of the Unix socket. */
static int find_caller(struct exchange *x, struct err *err)
{
	x->caller.token = bearer(x);
	if (x->caller.token)
		return 0;
	if (!exchange_header(x, "Authorization") && is_local(x) && peer_uid(x, &x->caller.uid))
		return 0;
	return err_set(err, -EACCES,
		       "give a token of actl token create, as Authorization: Bearer TOKEN");
}

/* The session of the caller. */
static int take_user(struct exchange *x, struct err *err)
{
	unsigned wait_s = 0;
	int rc = find_caller(x, err);

	if (rc == 0)
		rc = users_take(x->rest->users, &x->caller, &x->user, &wait_s, err);
	x->retry_after_s = wait_s;
	return wait_s ? -EDQUOT : rc;
}

static int handle(struct exchange *x, struct err *err)
{
	int rc;

	/* probes and scrapers may add parameters of their own */
	if (x->route->open)
		return x->route->handle(x, err);
	rc = exchange_check_query(x, err);
	if (rc == 0)
		rc = take_user(x, err);
	if (rc < 0)
		return rc;
	x->c = users_connection(x->user);
	rc = x->route->handle(x, err);
	users_give(x->rest->users, x->user);
	return rc;
}

static enum MHD_Result dispatch(struct exchange *x, const char *method, const char *path)
{
	struct err err = {""};
	enum MHD_Result rc;
	bool known;

	connections_mark(x->rest->connections, x->http, CONNECTION_ANSWER);
	if (x->too_large)
		return exchange_problem(x, HTTP_TOO_LARGE,
					"the body is larger than rest.body_size");
	if (x->crowded)
		return exchange_problem(x, MHD_HTTP_SERVICE_UNAVAILABLE,
					"the gateway reads as many large bodies as it may: try "
					"again");
	x->route = route_find(method, path, x->ids, &known);
	if (!x->route)
		return exchange_problem(x, known ? MHD_HTTP_METHOD_NOT_ALLOWED : MHD_HTTP_NOT_FOUND,
					known ? "this path has no such method: see /openapi.json"
					      : "there is no such path: see /openapi.json");
	rc = exchange_answer(x, handle(x, &err), &err);
	connections_mark(x->rest->connections, x->http,
			 x->stream ? CONNECTION_STREAM : CONNECTION_ANSWER);
	return rc;
}

/*
 * The sender of a large body is asked for before the body is read, so that only users can fill the
 * memory. It counts as a request of its own.
 */
static int check_sender(struct exchange *x, struct err *err)
{
	int rc = take_user(x, err);

	if (rc == 0)
		users_give(x->rest->users, x->user);
	x->user = NULL;
	return rc;
}

/* The declared length of the body; a body without one is counted as it arrives. */
static uint64_t declared(const struct exchange *x)
{
	const char *length = exchange_header(x, MHD_HTTP_HEADER_CONTENT_LENGTH);

	return length ? strtoull(length, NULL, 10) : 0;
}

static enum MHD_Result see_header(void *arg, enum MHD_ValueKind kind, const char *name, size_t len,
				  const char *value, size_t value_len)
{
	(void)kind;
	framing_add(arg, name, len, value ? value : "", value_len);
	return MHD_YES;
}

/* The headers have arrived. An answer that is queued here leaves the body unread. */
static enum MHD_Result begin(struct exchange *x, const char *method, const char *path)
{
	struct framing f = {0};
	struct err err = {""};
	const char *wrong;
	int rc = 0;

	MHD_get_connection_values_n(x->http, MHD_HEADER_KIND, see_header, &f);
	wrong = framing_wrong(&f);
	connections_mark(x->rest->connections, x->http, CONNECTION_BODY);
	if (wrong) {
		x->close = true;
		return exchange_problem(x, MHD_HTTP_BAD_REQUEST, wrong);
	}
	x->too_large = declared(x) > (uint64_t)x->rest->conf->rest.body_bytes;
	if (x->too_large)
		return dispatch(x, method, path);
	if (declared(x) > BODY_FREE || exchange_header(x, MHD_HTTP_HEADER_TRANSFER_ENCODING))
		rc = check_sender(x, &err);
	if (rc == 0)
		return MHD_YES;
	x->close = true;
	return exchange_answer(x, rc, &err);
}

/* A part of the body, kept unless there is too much of it, or of all bodies together. */
static void take_body(struct exchange *x, const char *data, size_t size)
{
	enum bodies_fate fate;

	if (x->too_large || x->crowded)
		return;
	fate = bodies_add(&x->rest->bodies, &x->body, data, size);
	x->too_large = fate == BODIES_TOO_LARGE;
	x->crowded = fate == BODIES_CROWDED;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *http, const char *path,
				  const char *method, const char *version, const char *data,
				  size_t *size, void **state)
{
	struct exchange *x = *state;

	(void)version;
	if (!x) {
		x = xcalloc(1, sizeof(*x));
		*state = x;
		x->rest = arg;
		x->http = http;
		x->arena = arena_new(0);
		return begin(x, method, path);
	}
	if (!*size)
		return dispatch(x, method, path);
	take_body(x, data, *size);
	*size = 0;
	return MHD_YES;
}

static void on_end(void *arg, struct MHD_Connection *http, void **state,
		   enum MHD_RequestTerminationCode why)
{
	struct exchange *x = *state;

	(void)arg, (void)why;
	if (!x)
		return;
	connections_mark(x->rest->connections, http, CONNECTION_WAITS);
	if (x->stream)
		MHD_destroy_response(x->stream);
	json_decref(x->json);
	buf_done(&x->text);
	bodies_end(&x->rest->bodies, &x->body);
	arena_free(x->arena);
	free(x);
	*state = NULL;
}

static size_t unescape(void *arg, struct MHD_Connection *http, char *text)
{
	(void)arg, (void)http;
	return route_unescape(text);
}

/* A daemon that serves what the thread of connections.h accepts from the listener. */
static struct MHD_Daemon *start(struct rest *r, int fd, bool tls)
{
	unsigned flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD |
			 MHD_USE_POLL | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC |
			 (tls ? MHD_USE_TLS : 0);
	struct MHD_Daemon *daemon;
	struct MHD_OptionItem options[] = {
		/* connections.h has the limit; those that end are still here for a moment */
		{MHD_OPTION_CONNECTION_LIMIT, 2 * (intptr_t)r->conf->rest.connections + BACKLOG,
		 NULL},
		{MHD_OPTION_CONNECTION_TIMEOUT, (intptr_t)(r->conf->rest.timeout_us / 1000000),
		 NULL},
		{MHD_OPTION_CONNECTION_MEMORY_LIMIT, HEADER_MEMORY, NULL},
		{MHD_OPTION_THREAD_STACK_SIZE, STACK, NULL},
		{MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
		{tls ? MHD_OPTION_HTTPS_MEM_CERT : MHD_OPTION_END, 0, r->cert},
		{MHD_OPTION_HTTPS_MEM_KEY, 0, r->key},
		{MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)TLS_PRIORITIES},
		{MHD_OPTION_END, 0, NULL},
	};

	daemon = MHD_start_daemon(flags, 0, NULL, NULL, on_request, r, MHD_OPTION_NOTIFY_COMPLETED,
				  on_end, NULL, MHD_OPTION_NOTIFY_CONNECTION, connections_notify,
				  r->connections, MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL,
				  MHD_OPTION_ARRAY, options, MHD_OPTION_END);
	if (daemon)
		connections_add_listener(r->connections, fd, daemon, tls);
	else
		close(fd);
	return daemon;
}

/* Opens "host:port" or "[v6]:port". */
static int listen_tcp(const char *address, struct err *err)
{
	CLEANUP_FREE char *host = xstrdup(address);
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
	char *port = strrchr(host, ':');
	int fd, one = 1, rc;

	if (!port)
		return err_set(err, -EINVAL, "rest.listen: expected host:port");
	*port++ = '\0';
	if (*host == '[' && host[strlen(host) - 1] == ']') {
		host[strlen(host) - 1] = '\0';
		memmove(host, host + 1, strlen(host));
	}
	rc = getaddrinfo(*host ? host : NULL, port, &hints, &found);
	if (rc)
		return err_set(err, -EINVAL, "rest.listen: %s: %s", address, gai_strerror(rc));
	fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, found->ai_addr, found->ai_addrlen) < 0 || listen(fd, BACKLOG) < 0) {
		rc = err_sys(err, -errno, "rest.listen: %s", address);
		if (fd >= 0)
			close(fd);
		fd = rc;
	}
	freeaddrinfo(found);
	return fd;
}

static int listen_local(const char *path, struct err *err)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	int fd, rc;

	if (strlen(path) >= sizeof(sa.sun_path))
		return err_set(err, -EINVAL, "rest.socket: %s: too long for a socket", path);
	memcpy(sa.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0 || chmod(path, 0666) < 0 ||
	    listen(fd, BACKLOG) < 0) {
		rc = err_sys(err, -errno, "rest.socket: %s", path);
		if (fd >= 0)
			close(fd);
		return rc;
	}
	return fd;
}

/* True if only this machine can connect to the address. */
static bool is_loopback(const char *address)
{
	return strncmp(address, "127.", 4) == 0 || strncmp(address, "[::1]:", 6) == 0 ||
	       strncmp(address, "localhost:", 10) == 0;
}

static int start_tcp(struct rest *r, struct err *err)
{
	const char *address = r->conf->rest.listen;
	bool tls = r->conf->rest.tls_certificate[0] || r->conf->rest.tls_key[0];
	int fd, rc = 0;

	if (!*address)
		return 0;
	if (!tls && !is_loopback(address))
		return err_set(
			err, -EINVAL,
			"rest.listen: %s: other machines could read tokens there; set "
			"rest.tls_certificate and rest.tls_key, or listen on 127.0.0.1 behind a "
			"proxy",
			address);
	if (tls)
		rc = tls_read(r->conf, &r->cert, &r->key, err);
	if (rc < 0)
		return rc;
	fd = listen_tcp(address, err);
	if (fd < 0)
		return fd;
	r->tcp = start(r, fd, tls);
	if (!r->tcp)
		return err_set(err, -EINVAL, "rest.listen: %s: the listener does not start",
			       address);
	log_notice("listening on %s%s", address, tls ? " (TLS)" : "");
	return 0;
}

static int start_local(struct rest *r, struct err *err)
{
	int fd;

	if (!r->conf->rest.socket[0])
		return 0;
	fd = listen_local(r->conf->rest.socket, err);
	if (fd < 0)
		return fd;
	r->socket_path = xstrdup(r->conf->rest.socket);
	r->local = start(r, fd, false);
	if (!r->local)
		return err_set(err, -EINVAL, "rest.socket: the listener does not start");
	log_notice("listening on %s", r->socket_path);
	return 0;
}

int rest_start(struct rest *r, struct err *err)
{
	int rc;

	r->connections =
		connections_new((unsigned)r->conf->rest.connections, r->conf->rest.timeout_us);
	r->bodies.largest = (size_t)r->conf->rest.body_bytes;
	r->stop_fd = eventfd(0, EFD_CLOEXEC);
	rc = r->stop_fd < 0 ? err_sys(err, -errno, "eventfd") : start_tcp(r, err);
	if (rc == 0)
		rc = start_local(r, err);
	return rc < 0 ? rc : connections_start(r->connections, err);
}

void rest_stop(struct rest *r)
{
	r->stopping = true;
	if (r->stop_fd >= 0)
		eventfd_write(r->stop_fd, 1);
	connections_stop(r->connections);
	if (r->tcp)
		MHD_stop_daemon(r->tcp);
	if (r->local)
		MHD_stop_daemon(r->local);
	connections_free(r->connections);
	if (r->stop_fd >= 0)
		close(r->stop_fd);
	if (r->socket_path)
		unlink(r->socket_path);
	free(r->socket_path);
	free(r->cert);
	if (r->key)
		explicit_bzero(r->key, strlen(r->key));
	free(r->key);
}
