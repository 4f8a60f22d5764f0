/*
 * The connection of a command or of libarmada to a controller.
 *
 * connection_new() reads the configuration. The first request opens the
 * connection: the local socket of armctld is tried first, then each configured controller. A
 * connection that breaks is closed, and the next request opens a new one. Errors are turned into
 * the errno values of the header.
 */
#include "client/connection.h"

#include "client/lazy_auth.h"
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

/* With several controllers, a silent one gets a short time before the others are tried. */
enum {
	OPEN_TIMEOUT_MS = 10000,
	OPEN_FIRST_MS = 2000,
	ASK_TIMEOUT_MS = 60000,
	HOST_SIZE = 256,
	ADDRESS_SIZE = 256
};

struct connection {
	struct conf *conf;
	struct lazy_auth *auth;
	uint32_t server_uid;
	char host[HOST_SIZE];
	struct session_identity identity; /* for whom it acts, if acts */
	char *token;
	bool acts;
	bool borrows;      /* conf and auth are those of another connection */
	struct call *call; /* NULL: not connected */
	bool standby;      /* call is with a standby */
	size_t last;       /* the place in the list of the one that led last; SIZE_MAX: not known */
	bool unanswered; /* a request was sent without a reply; it is not known whether it was carried out */
};

static connection_standby_fn *on_standby;
static void *on_standby_arg;

void connection_on_standby(connection_standby_fn *fn, void *arg)
{
	on_standby = fn;
	on_standby_arg = arg;
}

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

int connection_new(struct connection **ret_c, const char *conf_file, struct err *err)
{
	struct connection *c = xcalloc(1, sizeof(*c));
	int rc = conf_load(&c->conf, conf_file, err);

	if (rc == 0)
		rc = find_server(c, err);
	if (rc < 0) {
		connection_free(c);
		return exit_code_of(rc) > 1 ? -EBADE
					    : rc; /* -ENOENT would be reported as a missing job */
	}
	c->auth = lazy_auth_new(c->conf);
	gethostname(c->host, sizeof(c->host) - 1);
	if (getenv("ARMADA_TOKEN") && getenv("ARMADA_TOKEN")[0])
		connection_use_token(c, getenv("ARMADA_TOKEN"));
	c->last = SIZE_MAX;
	*ret_c = c;
	return 0;
}

struct connection *connection_like(const struct connection *other)
{
	struct connection *c = xcalloc(1, sizeof(*c));

	c->conf = other->conf;
	c->auth = other->auth;
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
	if (!c->borrows)
		lazy_auth_free(c->auth);
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
	c->standby = false;
}

/* The results of the addresses that were tried. */
struct attempt {
	struct buf tried;     /* "host:port (why), ..." */
	int exit_code;        /* 75, unless a controller refused the connection with another code */
	struct err last;      /* the message of that controller */
	struct call *standby; /* the first standby that answered, or the one that has the lead */
	bool holder;          /* that one */
	char leader[ADDRESS_SIZE]; /* the leader's address, as a standby says; "": none did */
	uint32_t done;             /* the places of the list that were tried */
	int timeout_ms;            /* for each address */
};

/* A standby that has the lead and does not act yet says that it is the leader itself. */
static bool has_lead(const struct conf *conf, const struct session_standing *s)
{
	for (size_t i = 0; i < conf->controller_count; i++)
		if (strcmp(conf->controllers[i], s->leader) == 0)
			return strcmp(conf->controller_names[i], s->name) == 0;
	return false;
}

static void note_standby(struct connection *c, struct attempt *a, struct call *call)
{
	const struct session_standing *s = &call_peer(call)->standing;
	bool holds = has_lead(c->conf, s);

	if (holds) {
		buf_addf(&a->tried, "%s%s has the lead, and its first record waits for a copy",
			 a->tried.len ? "; " : "", s->name);
		if (a->standby)
			call_close(a->standby);
		a->standby = call;
		a->holder = true;
		return;
	}

	buf_addf(&a->tried, "%s%s is a standby%s%s", a->tried.len ? "; " : "", s->name,
		 *s->leader ? " of " : "", s->leader);
	snprintf(a->leader, sizeof(a->leader), "%s", s->leader);
	if (a->standby)
		call_close(call);
	else
		a->standby = call;
}

/* Returns 0 if the connection with a leader is open. */
static int try_address(struct connection *c, const char *address, struct attempt *a)
{
	const struct session_policy policy = {
		.cluster = c->conf->cluster,
		.host = c->host,
		.self = ROLE_CLIENT,
		.server_uid = c->server_uid,
		.trust_kernel = c->conf->trust_kernel,
		.identity = c->acts ? &c->identity : NULL,
	};
	struct err why = {0};
	int exit_code = 75;
	int rc = call_open(&c->call, address, &policy, &lazy_auth_ops, c->auth, a->timeout_ms,
			   &exit_code, &why);

	if (rc == 0 && !call_peer(c->call)->standing.standby)
		return 0;
	if (rc == 0) {
		note_standby(c, a, c->call);
		c->call = NULL;
		return -EAGAIN;
	}
	c->call = NULL;
	/* the message begins with the address */
	buf_addf(&a->tried, "%s%s", a->tried.len ? "; " : "", why.text);
	if (exit_code != 75) {
		a->exit_code = exit_code;
		a->last = why;
	}
	return rc;
}

/* One of the list, once. */
static int try_listed(struct connection *c, size_t i, struct attempt *a)
{
	int rc;

	if (a->done & UINT32_C(1) << i)
		return -EAGAIN;
	a->done |= UINT32_C(1) << i;
	rc = try_address(c, c->conf->controllers[i], a);
	if (rc == 0)
		c->last = i;
	return rc;
}

/* The one that a standby named, if it is in the list. */
static int try_leader(struct connection *c, struct attempt *a)
{
	for (size_t i = 0; i < c->conf->controller_count; i++)
		if (strcmp(c->conf->controllers[i], a->leader) == 0)
			return try_listed(c, i, a);
	return -EAGAIN;
}

/* The local one, the one that led last, then each of the list; one that a standby names comes next. */
static int try_all(struct connection *c, const char *local, struct attempt *a)
{
	bool several = c->conf->controller_count > 1;
	int rc = -EAGAIN;

	a->done = 0;
	for (size_t i = 0; i < c->conf->controller_count; i++)
		if (strcmp(c->conf->controllers[i], local) == 0 && access(local, F_OK) == 0)
			a->done |= UINT32_C(1) << i;
	if (access(local, F_OK) == 0 && !(several && c->last < c->conf->controller_count))
		rc = try_address(c, local, a);
	else
		a->done = 0;
	if (rc != 0 && c->last < c->conf->controller_count)
		rc = try_listed(c, c->last, a);
	for (size_t i = 0; rc != 0 && i < c->conf->controller_count; i++) {
		if (*a->leader)
			rc = try_leader(c, a);
		if (rc != 0)
			rc = try_listed(c, i, a);
	}
	return rc;
}

/* What is left when no controller leads: a standby for who only reads, or an error. */
static int without_leader(struct connection *c, struct attempt *a, enum msg_type type,
			  int64_t begin_ms, struct err *err)
{
	bool reads = type && msg_only_reads(type);

	if (a->standby && (reads || (a->holder && type && msg_before_acting(type)))) {
		c->call = a->standby;
		c->standby = true;
		a->standby = NULL;
		if (on_standby && reads)
			on_standby(on_standby_arg, call_peer(c->call)->standing.name,
				   call_peer(c->call)->standing.lag_ms);
		return 0;
	}
	if (a->exit_code != 75)
		return err_set(err, rc_of(a->exit_code), "%s", a->last.text);
	return err_set(err, -EAGAIN, "no controller of cluster %s %s in %s: %s", c->conf->cluster,
		       a->standby ? "leads" : "answered",
		       duration_words((steady_ms() - begin_ms) * 1000).text,
		       a->tried.len ? (char *)a->tried.data : "none is configured");
}

/* type: of the request; a standby will do for some of them if no controller leads. 0: not known. */
static int open_for(struct connection *c, enum msg_type type, struct err *err)
{
	CLEANUP_FREE char *local = xasprintf("%s/armctld.sock", c->conf->run_dir);
	bool several = c->conf->controller_count > 1;
	struct attempt a = {.exit_code = 75};
	int64_t begin_ms = steady_ms();
	int rc;

	if (c->standby)
		connection_close(c);
	if (c->call)
		return 0;
	a.timeout_ms = several ? OPEN_FIRST_MS : OPEN_TIMEOUT_MS;
	rc = try_all(c, local, &a);
	if (rc != 0 && several && !a.standby && a.exit_code == 75) {
		buf_clear(&a.tried);
		a.timeout_ms = OPEN_TIMEOUT_MS;
		rc = try_all(c, local, &a);
	}
	if (rc != 0)
		rc = without_leader(c, &a, type, begin_ms, err);
	if (a.standby)
		call_close(a.standby);
	buf_done(&a.tried);
	return rc;
}

int connection_open(struct connection *c, struct err *err)
{
	return open_for(c, 0, err);
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
	int rc = open_for(c, type, err);

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
