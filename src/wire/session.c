/*
 * The bytes and frames of a session (session.h). Input: received bytes, messages to send, results
 * of the auth plugin. Output: bytes to send, received frames, the next blocking step. Before the
 * session is open, frames are in clear and go to handshake.c; afterwards they are sealed. Each
 * header is checked before its body is decoded. Caveat: a failed session stays failed; its output
 * still has the refusal for the peer.
 */
#include "wire/session.h"

#include "proto/check.h"
#include "util/mem.h"
#include "wire/state.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	FIRST_OPEN_TYPE = 16,     /* messages below are the handshake's */
	AHEAD_OF_PROOF = 1 << 20, /* bytes that a server may send while its credential is checked */
	KEEP_BUFFER = 1 << 14,    /* an input buffer larger than this is given back when empty */
};

struct session *session_new(const struct session_policy *policy, const uint8_t seed[64])
{
	struct session *s = xcalloc(1, sizeof(*s));

	if (sodium_init() < 0)
		abort();
	assert(policy->agent_uid_count <= ARRAY_SIZE(policy->agent_uids));
	s->policy = *policy;
	s->policy.cluster = xstrdup(policy->cluster);
	s->policy.host = xstrdup(policy->host ? policy->host : "");
	s->policy.auth = xstrdup(policy->auth);
	s->cluster = xstrdup(policy->cluster);
	memcpy(s->nonce, seed, 32);
	crypto_kx_seed_keypair(s->public_key, s->secret_key, seed + 32);
	s->step = policy->self == ROLE_SERVER ? STEP_SERVER_WAIT : STEP_CLIENT_WAIT;
	if (policy->self == ROLE_SERVER)
		session_greet(s);
	return s;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	free((char *)s->policy.cluster);
	free((char *)s->policy.host);
	free((char *)s->policy.auth);
	free(s->cluster);
	free(s->credential);
	buf_done(&s->server_hello);
	buf_done(&s->in);
	buf_done(&s->out);
	sodium_memzero(s, sizeof(*s));
	free(s);
}

enum session_state session_state(const struct session *s)
{
	return s->step == STEP_OPEN     ? SESSION_OPEN
	       : s->step == STEP_FAILED ? SESSION_FAILED
					: SESSION_HANDSHAKE;
}

const struct session_peer *session_peer(const struct session *s)
{
	return &s->peer;
}

const char *session_cluster(const struct session *s)
{
	return s->cluster;
}

const char *session_error(const struct session *s, int *ret_exit_code)
{
	if (ret_exit_code)
		*ret_exit_code = s->exit_code;
	return s->error;
}

struct buf *session_out(struct session *s)
{
	return &s->out;
}

void session_fail(struct session *s, int exit_code, const char *fmt, ...)
{
	Armada__Refusal refusal = ARMADA__REFUSAL__INIT;
	va_list ap;

	if (s->step == STEP_FAILED)
		return;
	va_start(ap, fmt);
	vsnprintf(s->error, sizeof(s->error), fmt, ap);
	va_end(ap);
	text_make_clean(s->error, strlen(s->error), true); /* it must pass the peer's own check */
	if (!s->error[0])
		snprintf(s->error, sizeof(s->error), "refused without a reason");
	s->exit_code = exit_code;
	if (s->policy.self == ROLE_SERVER) {
		refusal.code = exit_code;
		refusal.text = s->error;
		session_put(s, MSG_REFUSAL, 0, &refusal);
	}
	s->step = STEP_FAILED;
	buf_done(&s->in);
	s->in_pos = 0;
}

void session_refuse(struct session *s, int exit_code, const char *text)
{
	session_fail(s, exit_code, "%s", text);
}

/* After both proofs every frame is sealed. */
static bool is_sealed(enum step step)
{
	return step >= STEP_SERVER_IDENTITY && step <= STEP_OPEN;
}

static void put_packed(struct session *s, enum msg_type type, uint32_t request, const void *message,
		       const uint8_t *body, size_t len)
{
	struct seal *seal = is_sealed(s->step) ? &s->tx : NULL;
	struct frame_header h = {.len = (uint32_t)len, .type = (uint16_t)type, .request = request};
	uint8_t *at = frame_begin(&s->out, &h, seal);

	if (message)
		protobuf_c_message_pack(message, at);
	else if (len)
		memcpy(at, body, len);
	frame_end(&s->out, &h, seal);
}

void session_put(struct session *s, enum msg_type type, uint32_t request, const void *message)
{
	put_packed(s, type, request, message, NULL, protobuf_c_message_get_packed_size(message));
}

/* A message that its receiver would refuse for its size is not sent. */
static bool fits(struct session *s, const struct msg_info *info, uint32_t request, size_t len)
{
	Armada__ErrorReply error = ARMADA__ERROR_REPLY__INIT;
	char text[160];

	if (len <= info->body_max)
		return true;
	snprintf(text, sizeof(text), "%s: %zu bytes, at most %zu can be sent: request less at once",
		 info->name, len, info->body_max);
	if (s->policy.self != ROLE_SERVER) {
		session_fail(s, EXIT_REFUSED, "%s", text);
		return false;
	}
	error.code = EXIT_REFUSED;
	error.text = text;
	session_put(s, MSG_ERROR, request, &error);
	return false;
}

static void send(struct session *s, enum msg_type type, uint32_t request, const void *message,
		 const uint8_t *body, size_t len)
{
	const struct msg_info *info = msg_find((uint16_t)type);

	assert(s->step == STEP_OPEN && info && info->senders & s->policy.self);
	if (fits(s, info, request, len))
		put_packed(s, type, request, message, body, len);
}

void session_send(struct session *s, enum msg_type type, uint32_t request, const void *message)
{
	assert(((const ProtobufCMessage *)message)->descriptor == msg_find((uint16_t)type)->schema);
	send(s, type, request, message, NULL, protobuf_c_message_get_packed_size(message));
}

void session_send_packed(struct session *s, enum msg_type type, uint32_t request,
			 const uint8_t *body, size_t len)
{
	send(s, type, request, NULL, body, len);
}

/* The messages that each step accepts, checked before anything is decoded. */
static bool expects(enum step step, uint16_t type, enum session_event *ret_event)
{
	static const struct {
		enum step step;
		uint16_t type;
		enum session_event event;
	} table[] = {
		{STEP_SERVER_WAIT, MSG_CLIENT_HELLO, EVENT_CLIENT_HELLO},
		{STEP_CLIENT_WAIT, MSG_SERVER_HELLO, EVENT_SERVER_HELLO},
		{STEP_CLIENT_WAIT, MSG_REFUSAL, EVENT_REFUSAL},
		{STEP_CLIENT_PROOF, MSG_SERVER_PROOF, EVENT_SERVER_PROOF},
		{STEP_CLIENT_PROOF, MSG_REFUSAL, EVENT_REFUSAL},
		{STEP_SERVER_IDENTITY, MSG_IDENTITY, EVENT_IDENTITY},
		{STEP_CLIENT_IDENTITY, MSG_IDENTIFIED, EVENT_IDENTIFIED},
		{STEP_CLIENT_IDENTITY, MSG_REFUSAL, EVENT_REFUSAL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (table[i].step == step && table[i].type == type) {
			*ret_event = table[i].event;
			return true;
		}
	}
	return false;
}

/* Decode a message of the handshake and do the step. */
static void handshake_message(struct session *s, enum session_event event, uint16_t type,
			      const uint8_t *body, size_t len)
{
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	struct session_input input = {.body = body, .len = len};
	struct err err = {""};

	input.message = msg_unpack(msg_find(type), body, len, arena, &err);
	if (input.message)
		session_step(s, event, &input);
	else
		session_fail(s, EXIT_REFUSED, "%s", err.text);
}

/* Does the step wait for a message of the handshake? While work is done, arriving bytes wait. */
static bool waits_for_message(enum step step)
{
	return step == STEP_SERVER_WAIT || step == STEP_CLIENT_WAIT || step == STEP_CLIENT_PROOF ||
	       step == STEP_SERVER_IDENTITY || step == STEP_CLIENT_IDENTITY;
}

static void undecryptable(struct session *s)
{
	session_fail(s, EXIT_REFUSED,
		     "cannot decrypt a frame: frames were changed, repeated, lost or reordered "
		     "on their way");
}

/* Process the next frame of the handshake. False: it is not complete yet, or the session failed. */
static bool handshake_frame(struct session *s)
{
	size_t have = s->in.len - s->in_pos, size;
	bool sealed = is_sealed(s->step);
	enum session_event event;
	struct frame_header h;
	uint8_t *at, *body;

	if (have < FRAME_HEADER)
		return false;
	at = s->in.data + s->in_pos;
	frame_header_get(at, &h);
	if (h.flags || h.len > FRAME_CLEAR_MAX - FRAME_HEADER ||
	    !expects(s->step, h.type, &event)) {
		session_fail(
			s, EXIT_REFUSED,
			"the peer sent something that is not the next message of an Armada session: "
			"is it another program, or another release?");
		return false;
	}
	size = FRAME_HEADER + (size_t)h.len + (sealed ? FRAME_SEAL : 0);
	if (have < size)
		return false;
	body = sealed ? frame_open(&s->rx, at, &h) : at + FRAME_HEADER;
	s->in_pos += size;
	if (body)
		handshake_message(s, event, h.type, body, h.len);
	else
		undecryptable(s);
	return body != NULL;
}

/* Process all complete frames before the session is open. */
static void advance(struct session *s)
{
	size_t most = s->policy.self == ROLE_SERVER ? FRAME_CLEAR_MAX : AHEAD_OF_PROOF;

	while (waits_for_message(s->step) && handshake_frame(s))
		;
	if (s->step < STEP_OPEN && s->in.len - s->in_pos > most)
		session_fail(s, EXIT_REFUSED,
			     "the peer sent too much data before it was authenticated");
}

void session_feed(struct session *s, const uint8_t *data, size_t len)
{
	if (s->step == STEP_FAILED)
		return;
	if (s->in_pos == s->in.len) {
		if (s->in.cap > KEEP_BUFFER)
			buf_done(&s->in);
		buf_clear(&s->in);
	} else {
		buf_drop(&s->in, s->in_pos);
	}
	s->in_pos = 0;
	buf_add(&s->in, data, len);
	advance(s);
}

bool session_work(struct session *s, struct session_work *ret_work)
{
	bool encode = s->step == STEP_SERVER_ENCODE || s->step == STEP_CLIENT_ENCODE;

	*ret_work = (struct session_work){0};
	if (encode) {
		ret_work->kind = SESSION_WORK_ENCODE;
		memcpy(ret_work->payload, s->ours, sizeof(s->ours));
		ret_work->for_uid =
			s->step == STEP_SERVER_ENCODE ? s->peer.uid : s->policy.server_uid;
		return true;
	}
	if (s->step == STEP_SERVER_DECODE || s->step == STEP_CLIENT_DECODE) {
		ret_work->kind = SESSION_WORK_DECODE;
		ret_work->credential = s->credential;
		return true;
	}
	return false;
}

void session_encoded(struct session *s, const char *credential)
{
	session_step(s, EVENT_ENCODED, &(struct session_input){.text = credential});
	advance(s);
}

void session_decoded(struct session *s, const uint8_t *payload, size_t len, uint32_t uid,
		     uint32_t gid)
{
	session_step(s, EVENT_DECODED,
		     &(struct session_input){
			     .payload = payload, .payload_len = len, .uid = uid, .gid = gid});
	advance(s);
}

void session_work_failed(struct session *s, int code, const char *text)
{
	session_step(s, EVENT_WORK_FAILED, &(struct session_input){.code = code, .text = text});
}

bool session_identity(struct session *s, struct session_identity *ret_identity)
{
	bool first = s->step == STEP_SERVER_CHECK && s->to_check;

	if (first)
		*ret_identity = s->named;
	s->to_check = false;
	return first;
}

void session_identified(struct session *s, uint32_t uid, uint32_t gid, uint64_t token)
{
	session_step(s, EVENT_IDENTIFIED,
		     &(struct session_input){.uid = uid, .gid = gid, .token = token});
	advance(s);
}

/* May the peer send a message of this type and size? Decided on the header. */
static bool header_check(struct session *s, const struct frame_header *h,
			 const struct msg_info *info)
{
	if (h->flags || !info || (h->type < FIRST_OPEN_TYPE && h->type != MSG_REFUSAL)) {
		session_fail(s, EXIT_REFUSED,
			     "unknown message type %u: do both ends have the same release?",
			     h->type);
		return false;
	}
	if (!(info->senders & s->peer.role)) {
		session_fail(s, EXIT_NOT_PERMITTED, "a %s may not send %s",
			     s->peer.role == ROLE_CLIENT  ? "client"
			     : s->peer.role == ROLE_AGENT ? "node"
							  : "controller",
			     info->name);
		return false;
	}
	if (h->len > info->body_max) {
		session_fail(s, EXIT_REFUSED, "%s: %u bytes, at most %zu are allowed", info->name,
			     h->len, info->body_max);
		return false;
	}
	return true;
}

size_t session_frame_size(const struct session *s)
{
	struct frame_header h;

	if (s->step != STEP_OPEN || s->in.len - s->in_pos < FRAME_HEADER)
		return 0;
	frame_header_get(s->in.data + s->in_pos, &h);
	return (size_t)FRAME_HEADER + h.len + FRAME_SEAL;
}

bool session_has_frame(const struct session *s)
{
	size_t size = session_frame_size(s);
	const struct msg_info *info;
	struct frame_header h;

	if (s->step == STEP_FAILED)
		return true;
	if (!size)
		return false;
	frame_header_get(s->in.data + s->in_pos, &h);
	info = msg_find(h.type);
	/* a header that session_next will refuse */
	if (!info || h.len > info->body_max)
		return true;
	return s->in.len - s->in_pos >= size;
}

int session_next(struct session *s, struct session_frame *ret_frame)
{
	size_t have = s->in.len - s->in_pos;
	const struct msg_info *info;
	struct frame_header h;
	uint8_t *at, *body;

	if (s->step == STEP_FAILED)
		return -1;
	if (s->step != STEP_OPEN || have < FRAME_HEADER)
		return 0;
	at = s->in.data + s->in_pos;
	frame_header_get(at, &h);
	info = msg_find(h.type);
	if (!header_check(s, &h, info))
		return -1;
	if (have < (size_t)FRAME_HEADER + h.len + FRAME_SEAL)
		return 0;
	body = frame_open(&s->rx, at, &h);
	if (!body) {
		undecryptable(s);
		return -1;
	}
	s->in_pos += (size_t)FRAME_HEADER + h.len + FRAME_SEAL;
	if (h.type == MSG_REFUSAL) {
		handshake_message(s, EVENT_REFUSAL, h.type, body, h.len);
		return -1;
	}
	*ret_frame = (struct session_frame){
		.info = info, .request = h.request, .body = body, .len = h.len};
	return 1;
}
