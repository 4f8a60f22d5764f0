/*
 * Connections of clients and nodes (sessions.h). Input: messages of the net, identities, messages
 * of the core. Output: inputs of the core and messages to peers. Until the identity of the sender is
 * known, its messages wait in the socket (conn_hold). Messages that follow an incomplete one wait in
 * `held`, in order, and count as output. Caveat: a handled message may close the connection and free the
 * peer, so peers are found again by their number.
 */
#define LOG_AREA LOG_AREA_NET
#include "armctld/sessions.h"
#include "util/clock.h"
#include "util/log_peer.h"
#include "util/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <time.h>
#include <uthash.h>

/* More busy nodes at once than this are not looked at. */
enum { BUSY_MAX = 256 };

/* Exit codes of refusals. */
enum { EXIT_NOT_PERMITTED = 4, EXIT_TRY_AGAIN = 75 };

/* A waiting message. */
struct queued {
	STAILQ_ENTRY(queued) entry;
	enum msg_type type;
	uint32_t request;
	size_t len;
	uint8_t body[];
};

STAILQ_HEAD(message_queue, queued);

struct peer {
	UT_hash_handle hh;
	uint64_t conn;
	struct identity *identity; /* NULL: being looked up */
	struct caller caller;
	uint64_t token;            /* its number; 0: none */
	struct token_scope scope;  /* of the token; its queue is owned */
	struct message_queue held; /* outgoing: an earlier message is not complete */
	bool holding;
};

struct sessions {
	struct sessions_config config;
	struct net *net;
	struct peer *peers;
	size_t with_token;   /* the number of peers with a token */
	struct arena *arena; /* of the message being handled */
};

static struct queued *queue_put(struct message_queue *l, const uint8_t *body, size_t len)
{
	struct queued *new_message = xmalloc(sizeof(*new_message) + len);

	memset(new_message, 0, sizeof(*new_message));
	if (len)
		memcpy(new_message->body, body, len);
	new_message->len = len;
	STAILQ_INSERT_TAIL(l, new_message, entry);
	return new_message;
}

static struct queued *queue_take(struct message_queue *l)
{
	struct queued *taken = STAILQ_FIRST(l);

	if (taken)
		STAILQ_REMOVE_HEAD(l, entry);
	return taken;
}

static void queue_done(struct message_queue *l)
{
	for (struct queued *x; (x = queue_take(l));)
		free(x);
}

static struct peer *peer_find(struct sessions *s, uint64_t conn)
{
	struct peer *p;

	HASH_FIND(hh, s->peers, &conn, sizeof(conn), p);
	return p;
}

static void peer_free(struct sessions *s, struct peer *p)
{
	HASH_DEL(s->peers, p);
	queue_done(&p->held);
	s->with_token -= p->token != 0;
	free((char *)p->scope.queue);
	identity_unref(p->identity);
	free((char *)p->caller.address);
	free((char *)p->caller.host);
	free(p);
}

static void caller_name(const struct caller *who, char ret_name[LOG_PEER_NAME])
{
	if (who->role == ROLE_AGENT)
		snprintf(ret_name, LOG_PEER_NAME, "the node at %s (%s)", who->address, who->host);
	else
		snprintf(ret_name, LOG_PEER_NAME, "uid %u", who->uid);
}

static enum log_class caller_class(const struct caller *who)
{
	return who->role == ROLE_AGENT ? LOG_NODES : LOG_USERS;
}

/* A line that the caller has caused, within its limit. */
static void caller_log(const struct caller *who, enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void caller_log(const struct caller *who, enum log_level level, const char *fmt, ...)
{
	const struct log_about about = {.user = who->user};
	const struct log_from from = LOG_FROM;
	char name[LOG_PEER_NAME], text[1024];
	struct log_peer_line line = {&from, caller_class(who), name, level, &about};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	caller_name(who, name);
	log_peer_line(&line, "%s", text);
}

static void deliver_with(struct sessions *s, struct peer *p, const struct msg_info *info,
			 uint32_t request, const uint8_t *body, size_t len,
			 const struct input *found)
{
	uint64_t busy[BUSY_MAX];
	struct input in = *found;
	struct err err;

	in.kind = INPUT_MESSAGE;
	in.conn = p->conn;
	in.request = request;
	in.caller = &p->caller;
	in.type = info->type;
	in.message = msg_unpack(info, body, len, s->arena, &err);
	if (info->type == MSG_STEP) {
		in.busy = busy;
		in.busy_count = net_busy_agents(s->net, NODE_BUSY_BYTES, busy, BUSY_MAX);
	}
	if (in.message) {
		s->config.input(s->config.arg, &in);
	} else {
		caller_log(&p->caller, LOG_WARN, "%s of uid %u at %s cannot be decoded: %s",
			   info->name, p->caller.uid, p->caller.address, err.text);
		sessions_close(s, p->conn, err.text);
	}
	arena_clear(s->arena);
}

static void deliver(struct sessions *s, struct peer *p, const struct msg_info *info,
		    uint32_t request, const uint8_t *body, size_t len)
{
	static const struct input nothing;

	deliver_with(s, p, info, request, body, len, &nothing);
}

static void know_identity(void *arg, uint64_t conn, struct identity *id)
{
	struct sessions *s = arg;
	struct peer *p = peer_find(s, conn);
	struct conn *c = net_find(s->net, conn);

	if (!p || !c)
		return;
	if (id->failed)
		caller_log(&p->caller, LOG_WARN,
			   "the names and groups of uid %u could not be looked up", id->uid);
	p->identity = identity_ref(id);
	p->caller.user = id->user;
	p->caller.gids = id->gids;
	p->caller.gid_count = id->gid_count;
	p->caller.groups = (const char *const *)id->groups;
	p->caller.group_count = id->gid_count;
	if (s->config.privileged(s->config.arg, &p->caller))
		conn_privilege(c);
	conn_resume(c);
}

/* A token never changes, so its scope is copied once; whether it is still valid is asked each time. */
static void take_token(struct sessions *s, struct peer *p, const struct session_peer *peer)
{
	const struct token *t = peer->token ? s->config.token_of(s->config.arg, peer->token) : NULL;

	if (!peer->token)
		return;
	s->with_token++;
	p->token = peer->token;
	p->scope.verbs = t ? t->verbs : 0;
	p->scope.queue = t ? xstrdup(t->queue) : NULL;
	p->caller.scope = &p->scope;
}

static bool token_is_gone(const struct sessions *s, const struct peer *p)
{
	return p->token && !s->config.token_of(s->config.arg, p->token);
}

static const char token_gone[] = "the token was revoked, or has expired";

/* The gateway vouches for a user whose names and groups are known now. */
static void on_vouched(void *arg, uint64_t conn, struct identity *id)
{
	struct sessions *s = arg;
	struct conn *c = net_find(s->net, conn);
	struct caller who = {.role = ROLE_CLIENT, .uid = id->uid, .gid = id->gid};
	struct err err;

	if (!c)
		return;
	who.user = id->user;
	who.gids = id->gids;
	who.gid_count = id->gid_count;
	who.groups = (const char *const *)id->groups;
	who.group_count = id->gid_count;
	if (id->failed)
		conn_refuse(c, EXIT_TRY_AGAIN, "the user could not be looked up: try again");
	else if (s->config.vouches(s->config.arg, conn_peer(c)->uid, &who, &err) < 0)
		conn_refuse(c, EXIT_NOT_PERMITTED, err.text);
	else
		conn_identified(c, id->uid, id->gid, 0);
}

static void on_identity(void *arg, struct conn *c, const struct session_peer *peer,
			const struct session_identity *id)
{
	struct sessions *s = arg;
	const struct token *t;
	struct err err;

	(void)peer;
	if (!id->token) {
		identity_cache_get(s->config.identities, id->uid, clock_us(CLOCK_BOOTTIME),
				   on_vouched, s, conn_id(c));
		return;
	}
	t = s->config.token(s->config.arg, id->token, &err);
	if (t)
		conn_identified(c, t->uid, t->gid, t->number);
	else
		conn_refuse(c, EXIT_NOT_PERMITTED, err.text);
}

static void on_open(void *arg, struct conn *c, const struct session_peer *peer)
{
	struct sessions *s = arg;
	struct peer *p = xcalloc(1, sizeof(*p));

	p->conn = conn_id(c);
	STAILQ_INIT(&p->held);
	p->caller.role = peer->role;
	p->caller.uid = peer->uid;
	p->caller.gid = peer->gid;
	p->caller.address = xstrdup(conn_address(c));
	p->caller.host = xstrdup(peer->host);
	take_token(s, p, peer);
	HASH_ADD(hh, s->peers, conn, sizeof(p->conn), p);
	conn_hold(c);
	identity_cache_get(s->config.identities, peer->uid, clock_us(CLOCK_BOOTTIME), know_identity,
			   s, p->conn);
}

static void on_message(void *arg, struct conn *c, const struct msg_info *info, uint32_t request,
		       const uint8_t *body, size_t len)
{
	struct sessions *s = arg;
	struct peer *p = peer_find(s, conn_id(c));

	if (p && token_is_gone(s, p))
		conn_refuse(c, EXIT_NOT_PERMITTED, token_gone);
	else if (p)
		deliver(s, p, info, request, body, len);
}

static void on_close(void *arg, struct conn *c, const char *why)
{
	struct sessions *s = arg;
	uint64_t conn = conn_id(c);
	struct peer *p = peer_find(s, conn);
	struct input in = {.kind = INPUT_CLOSED, .conn = conn};

	if (why && p)
		caller_log(&p->caller, LOG_INFO, "connection of uid %u at %s: %s", p->caller.uid,
			   conn_address(c), why);
	else if (why)
		log_peer(LOG_STRANGERS, conn_address(c), LOG_INFO, "connection from %s: %s",
			 conn_address(c), why);
	if (!p)
		return;
	peer_free(s, p);
	s->config.input(s->config.arg, &in);
}

struct sessions *sessions_new(const struct sessions_config *config)
{
	static const struct net_ops ops = {on_open, on_message, on_close, on_identity};
	struct sessions *s = xcalloc(1, sizeof(*s));

	s->config = *config;
	s->arena = arena_new(0);
	s->net = net_new(config->base, &config->policy, config->auth, config->auth_handle,
			 &config->limits, &ops, s);
	return s;
}

void sessions_free(struct sessions *s)
{
	struct peer *p, *next;

	if (!s)
		return;
	net_free(s->net);
	HASH_ITER (hh, s->peers, p, next)
		peer_free(s, p);
	arena_free(s->arena);
	free(s);
}

static int listen_one(struct sessions *s, const char *address, struct err *err)
{
	uint16_t port = 0;
	int rc = net_listen(s->net, address, &port, err);

	if (rc < 0)
		return rc;
	if (port)
		log_notice("listening on %s (port %u)", address, port);
	else
		log_notice("listening on %s", address);
	return 0;
}

int sessions_listen(struct sessions *s, const struct conf *conf, struct err *err)
{
	CLEANUP_FREE char *path = xasprintf("%s/armctld.sock", conf->run_dir);
	const char *address = conf->listen && *conf->listen ? conf->listen
			      : conf->controller_count      ? conf->controllers[conf->self]
							    : "";
	int rc;

	if (mkdir(conf->run_dir, 0755) < 0 && errno != EEXIST)
		return err_sys(err, -errno, "run_dir %s", conf->run_dir);
	if (*address && strcmp(address, path) != 0) {
		rc = listen_one(s, address, err);
		if (rc < 0)
			return rc;
	}
	return listen_one(s, path, err);
}

void sessions_stop_listening(struct sessions *s)
{
	net_stop_listening(s->net);
}

static void note_refusal(struct sessions *s, const uint8_t *body, size_t len)
{
	Armada__ErrorReply *e = armada__error_reply__unpack(NULL, len, body);

	if (e)
		s->config.refused(s->config.arg, e->code);
	armada__error_reply__free_unpacked(e, NULL);
}

void sessions_send(struct sessions *s, uint64_t conn, enum msg_type type, uint32_t request,
		   const uint8_t *body, size_t len)
{
	struct peer *p = peer_find(s, conn);
	struct conn *c = net_find(s->net, conn);
	struct queued *l;

	if (!p || !c)
		return;
	if (type == MSG_ERROR)
		note_refusal(s, body, len);
	if (!p->holding) {
		conn_send_packed(c, type, request, body, len);
		return;
	}
	l = queue_put(&p->held, body, len);
	l->type = type;
	l->request = request;
	conn_owe(c, (int64_t)len);
}

void sessions_owe(struct sessions *s, uint64_t conn, int64_t bytes)
{
	struct conn *c = net_find(s->net, conn);

	if (c)
		conn_owe(c, bytes);
}

void sessions_commit(struct sessions *s, uint64_t conn, int64_t bytes)
{
	struct conn *c = net_find(s->net, conn);

	if (c)
		conn_commit(c, bytes);
}

void sessions_error(struct sessions *s, uint64_t conn, uint32_t request, int code, const char *text)
{
	CLEANUP_BUF struct buf body = {0};

	msg_pack_error(code, text, &body);
	sessions_send(s, conn, MSG_ERROR, request, body.data, body.len);
}

void sessions_close(struct sessions *s, uint64_t conn, const char *why)
{
	struct conn *c = net_find(s->net, conn);

	if (c)
		conn_close_after_send(c, why);
}

void sessions_log(struct sessions *s, const struct effect *e)
{
	const struct peer *p = peer_find(s, e->conn);
	char name[LOG_PEER_NAME] = "connections that have ended";
	struct log_peer_line line = {&e->from, LOG_USERS, name, e->level, &e->about};

	if (p) {
		caller_name(&p->caller, name);
		line.class = caller_class(&p->caller);
	}
	log_peer_line(&line, "%s", e->text);
}

void sessions_check_tokens(struct sessions *s)
{
	struct peer *p, *next;
	struct conn *c;

	if (!s->with_token)
		return;
	HASH_ITER (hh, s->peers, p, next) {
		c = token_is_gone(s, p) ? net_find(s->net, p->conn) : NULL;
		if (c)
			conn_refuse(c, EXIT_NOT_PERMITTED, token_gone);
	}
}

void sessions_hold(struct sessions *s, uint64_t conn)
{
	struct peer *p = peer_find(s, conn);

	if (p)
		p->holding = true;
}

void sessions_release(struct sessions *s, uint64_t conn, enum msg_type type, uint32_t request,
		      const uint8_t *body, size_t len)
{
	struct peer *p = peer_find(s, conn);
	struct queued *l;

	if (!p)
		return;
	p->holding = false;
	sessions_send(s, conn, type, request, body, len);
	while ((p = peer_find(s, conn)) && (l = queue_take(&p->held))) {
		sessions_owe(s, conn, -(int64_t)l->len);
		sessions_send(s, conn, l->type, l->request, l->body, l->len);
		free(l);
	}
}

void sessions_redeliver(struct sessions *s, const struct effect *e, const struct input *found)
{
	struct peer *p = peer_find(s, e->conn);
	const struct msg_info *info = msg_find(e->type);

	if (p && info)
		deliver_with(s, p, info, e->request, e->body, e->len, found);
}

size_t sessions_pending(struct sessions *s)
{
	struct peer *p, *next;
	struct conn *c;
	size_t bytes = 0;

	HASH_ITER (hh, s->peers, p, next) {
		c = net_find(s->net, p->conn);
		bytes += c ? conn_pending(c) : 0;
	}
	return bytes;
}

size_t sessions_waiting(struct sessions *s, uint64_t conn)
{
	struct conn *c = net_find(s->net, conn);

	return c ? conn_pending(c) : 0;
}

bool sessions_binding(struct sessions *s, uint64_t conn, uint8_t ret_binding[32])
{
	const struct conn *c = peer_find(s, conn) ? net_find(s->net, conn) : NULL;

	if (c)
		memcpy(ret_binding, conn_peer(c)->binding, 32);
	return c != NULL;
}

bool sessions_is_open(struct sessions *s, uint64_t conn)
{
	return peer_find(s, conn) && net_find(s->net, conn);
}

const struct net *sessions_net(const struct sessions *s)
{
	return s->net;
}
