/*
 * The connection of a command or of libarmada to a controller.
 *
 * connection_new() reads the configuration and loads the auth plugin. The first request opens the
 * connection: the local socket of armctld is tried first, then each configured controller. A
 * connection that breaks is closed, and the next request opens a new one. Errors are turned into
 * the errno values of the header.
 */
#include "client/connection.h"

#include "plugin/plugin.h"
#include "proto/check.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/units.h"
#include "wire/call.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { OPEN_TIMEOUT_MS = 10000, ASK_TIMEOUT_MS = 60000, HOST_SIZE = 256 };

struct connection {
	struct conf *conf;
	struct plugin plugin;
	const struct armada_auth_ops *auth;
	void *auth_handle;
	uint32_t server_uid;
	char host[HOST_SIZE];
	struct session_identity identity; /* for whom it acts, if acts */
	char *token;
	bool acts;
	bool borrows;      /* conf and auth are those of another connection */
	struct call *call; /* NULL: not connected */
	bool unanswered; /* a request was sent without a reply; it is not known whether it was carried out */
};

/* The exit codes of the commands, and their errno values here. The codes never change. */
static const struct {
	int exit_code;
	int rc;
} codes[] = {
	{0, 0}, {1, -EBADE}, {2, -EINVAL}, {3, -ENOENT}, {4, -EPERM}, {75, -EAGAIN},
};

int exit_code_of(int rc)
{
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		if (codes[i].rc == rc)
			return codes[i].exit_code;
	}
	return 1;
}

static int rc_of(int exit_code)
{
	for (size_t i = 1; i < ARRAY_SIZE(codes); i++) {
		if (codes[i].exit_code == exit_code)
			return codes[i].rc;
	}
	return -EBADE;
}

int64_t steady_ms(void)
{
	return clock_us(CLOCK_MONOTONIC) / 1000;
}

void sleep_ms(int64_t ms)
{
	struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

/* Finds the uid of the controller; a server with another uid is refused. */
static int find_server(struct connection *c, struct err *err)
{
	const char *name = c->conf->controller_user;
	const struct passwd *pw = getpwnam(name);
	char *end;
	unsigned long uid;

	if (pw) {
		c->server_uid = pw->pw_uid;
		return 0;
	}
	uid = strtoul(name, &end, 10);
	if (!*name || *end || uid >= UINT32_MAX)
		return err_set(err, -EBADE,
			       "%s: controller_user: there is no user '%s' on this machine",
			       c->conf->file, name);
	c->server_uid = (uint32_t)uid;
	return 0;
}

static int load_auth(struct connection *c, struct err *err)
{
	int rc = plugin_load_chosen(&c->plugin, c->conf, ARMADA_PLUGIN_AUTH, err);

	if (rc == 0)
		rc = plugin_open_auth(&c->plugin, &c->auth_handle, err);
	if (rc == 0)
		c->auth = c->plugin.ops;
	return rc;
}

int connection_new(struct connection **ret_c, const char *conf_file, struct err *err)
{
	struct connection *c = xcalloc(1, sizeof(*c));
	int rc = conf_load(&c->conf, conf_file, err);

	if (rc == 0)
		rc = find_server(c, err);
	if (rc == 0)
		rc = load_auth(c, err);
	if (rc < 0) {
		connection_free(c);
		return exit_code_of(rc) > 1 ? -EBADE
					    : rc; /* -ENOENT would be reported as a missing job */
	}
	gethostname(c->host, sizeof(c->host) - 1);
	if (getenv("ARMADA_TOKEN") && getenv("ARMADA_TOKEN")[0])
		connection_use_token(c, getenv("ARMADA_TOKEN"));
	*ret_c = c;
	return 0;
}

struct connection *connection_like(const struct connection *other)
{
	struct connection *c = xcalloc(1, sizeof(*c));

	c->conf = other->conf;
	c->plugin = other->plugin;
	c->auth = other->auth;
	c->auth_handle = other->auth_handle;
	c->server_uid = other->server_uid;
	memcpy(c->host, other->host, sizeof(c->host));
	c->borrows = true;
	return c;
}

void connection_free(struct connection *c)
{
	if (!c)
		return;
	connection_close(c);
	if (c->borrows)
		c->auth = NULL;
	if (c->auth)
		c->auth->close(c->auth_handle);
	if (c->plugin.desc && !c->borrows)
		plugin_free(&c->plugin);
	if (c->token)
		explicit_bzero(c->token, strlen(c->token));
	free(c->token);
	if (!c->borrows)
		conf_free(c->conf);
	free(c);
}

void connection_use_token(struct connection *c, const char *token)
{
	connection_close(c);
	c->token = xstrdup(token);
	c->identity = (struct session_identity){.token = c->token};
	c->acts = true;
}

void connection_vouch(struct connection *c, uint32_t uid)
{
	connection_close(c);
	c->identity = (struct session_identity){.uid = uid};
	c->acts = true;
}

uint32_t connection_uid(const struct connection *c)
{
	return c->call && call_peer(c->call)->identified ? call_peer(c->call)->acts_for : getuid();
}

const struct conf *connection_conf(const struct connection *c)
{
	return c->conf;
}

void connection_close(struct connection *c)
{
	if (c->call)
		call_close(c->call);
	c->call = NULL;
}

/* The results of the addresses that were tried. */
struct attempt {
	struct buf tried; /* "host:port (why), ..." */
	int exit_code;    /* 75, unless a controller refused the connection with another code */
	struct err last;  /* the message of that controller */
};

/* Returns 0 if the connection is open. */
static int try_address(struct connection *c, const char *address, struct attempt *a)
{
	const struct session_policy policy = {
		.cluster = c->conf->cluster,
		.host = c->host,
		.self = ROLE_CLIENT,
		.server_uid = c->server_uid,
		.identity = c->acts ? &c->identity : NULL,
	};
	struct err why = {0};
	int exit_code = 75;
	int rc = call_open(&c->call, address, &policy, c->auth, c->auth_handle, OPEN_TIMEOUT_MS,
			   &exit_code, &why);

	if (rc == 0)
		return 0;
	c->call = NULL;
	/* the message begins with the address */
	buf_addf(&a->tried, "%s%s", a->tried.len ? "; " : "", why.text);
	if (exit_code != 75) {
		a->exit_code = exit_code;
		a->last = why;
	}
	return rc;
}

int connection_open(struct connection *c, struct err *err)
{
	CLEANUP_FREE char *local = xasprintf("%s/armctld.sock", c->conf->run_dir);
	struct attempt a = {.exit_code = 75};
	int64_t begin_ms = steady_ms();
	int rc = -EAGAIN;

	if (c->call)
		return 0;
	if (access(local, F_OK) == 0)
		rc = try_address(c, local, &a);
	for (size_t i = 0; rc != 0 && i < c->conf->controller_count; i++) {
		if (strcmp(c->conf->controllers[i], local) != 0 || !a.tried.len)
			rc = try_address(c, c->conf->controllers[i], &a);
	}
	if (rc == 0) {
		buf_done(&a.tried);
		return 0;
	}
	if (a.exit_code != 75)
		rc = err_set(err, rc_of(a.exit_code), "%s", a.last.text);
	else
		rc = err_set(err, -EAGAIN, "no controller of cluster %s answered in %s: %s",
			     c->conf->cluster, duration_words((steady_ms() - begin_ms) * 1000).text,
			     a.tried.len ? (char *)a.tried.data : "none is configured");
	buf_done(&a.tried);
	return rc;
}

/*
 * A controller closes the connection when it cannot decode a message, which looks like a controller
 * that is down. This checks whether the request is such a message, because a retry would be
 * useless.
 */
static int check_own(enum msg_type type, const void *request, struct err *err)
{
	const struct msg_info *info = msg_find(type);
	CLEANUP_BUF struct buf body = {0};

	msg_pack(request, &body);
	if (body.len > info->body_max)
		return err_set(
			err, -EINVAL,
			"the request has %zu bytes; this kind of request may have at most %zu",
			body.len, info->body_max);
	return request_check(info->schema, body.data, body.len, err) < 0 ? -EINVAL : 0;
}

int connection_error(const Armada__ErrorReply *m, struct err *err)
{
	return err_set(err, rc_of(m->code), "%s", m->text);
}

int connection_fd(const struct connection *c)
{
	return c->call ? call_fd(c->call) : -1;
}

int connection_send(struct connection *c, enum msg_type type, uint32_t request, const void *message,
		    struct err *err)
{
	int rc = connection_open(c, err);

	if (rc < 0)
		return rc;
	rc = call_send(c->call, type, request, message, err);
	if (rc == 0)
		return 0;
	connection_close(c);
	return check_own(type, message, err) < 0 ? -EINVAL : -EAGAIN;
}

int connection_receive(struct connection *c, struct arena *arena, int timeout_ms,
		       enum msg_type *ret_type, uint32_t *ret_request, void **ret_message,
		       struct err *err)
{
	int rc;

	if (!c->call)
		return err_set(err, -EAGAIN, "not connected to a controller");
	rc = call_receive(c->call, arena, timeout_ms, ret_type, ret_request, ret_message, err);
	if (rc == -ETIMEDOUT)
		return rc;
	if (rc < 0) {
		connection_close(c);
		return rc == -EPERM ? rc : -EAGAIN;
	}
	message_show(*ret_message, arena);
	return 0;
}

int connection_ask(struct connection *c, enum msg_type type, const void *request,
		   enum msg_type want, struct arena *arena, int timeout_ms, void *ret_message,
		   struct err *err)
{
	enum msg_type got = 0;
	void *message = NULL;
	int rc = connection_open(c, err);

	/*
	 * after a request without a reply, a refused connection does not mean that the request was
	 * refused
	 */
	if (rc < 0)
		return c->unanswered ? -EAGAIN : rc;
	if (timeout_ms == 0)
		timeout_ms = ASK_TIMEOUT_MS;
	rc = call_ask(c->call, type, request, arena, timeout_ms < 0 ? INT_MAX : timeout_ms, &got,
		      &message, err);
	c->unanswered = rc < 0;
	if (rc < 0) {
		connection_close(c);
		if (rc == -EPERM)
			return rc;
		return check_own(type, request, err) < 0 ? -EINVAL : -EAGAIN;
	}
	message_show(message, arena);
	if (got == MSG_ERROR)
		return connection_error(message, err);
	if (got != want) {
		connection_close(c);
		return err_set(err, -EBADE,
			       "unexpected reply of the controller: message type %d instead of %d",
			       (int)got, (int)want);
	}
	memcpy(ret_message, &message, sizeof(message));
	return 0;
}
