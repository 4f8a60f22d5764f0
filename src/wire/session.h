/*
 * One connection's protocol, without I/O.
 *
 * The caller feeds the bytes that arrived to the session and sends the bytes that it returns. A session knows
 * nothing of sockets, loops or threads, so the event-driven daemons, the blocking commands and the fuzzers
 * all run the same code. It never calls an auth plugin, because munge may block: when a credential must be
 * made or checked, it returns a `struct session_work`, and continues when the caller returns the result.
 *
 *	server: hello (nonce, key)  ->                  client
 *	        <-  hello (key, credential over the transcript, for the server's uid)
 *	        proof (credential over the transcript, for the client's uid)  ->
 *	        both: every frame sealed with libsodium's secretstream from here on
 *	        identity (a token, or a uid)  ->        if the client's hello announced it
 *	        <-  identified
 *
 * On a Unix socket the two credentials are left out if the kernel has told both ends the uid of the other
 * (`kernel` of both policies): the server says so in its hello, and the client in its own.
 *
 * The transcript hash is BLAKE2b-256 over protocol version, cluster name, roles, host, both hellos'
 * nonce and keys, and the direction. A credential that carries another hash, or was made by a uid
 * that the role does not allow, ends the session with a sentence.
 *
 * Frames: 12 bytes of header (length, type, flags, request id; little endian), then the body. Once
 * open, header and body are covered by the seal, and a frame out of order cannot be opened.
 *
 * Limits: before the session is open no frame is over 4 KiB; afterwards msg_info's limits,
 * checked on the header, before memory is allocated. A server that ends a session sends the reason in a
 * Refusal, in clear before the session is open and sealed afterwards.
 */
#pragma once

#include "proto/msg.h"
#include "wire/kernel_peer.h"

#include <stdbool.h>
#include <stdint.h>

enum { PROTOCOL_MIN = 1, PROTOCOL_MAX = 1 };

struct session;

/* The user whom a client acts for: by a token, or by vouching for a uid. */
struct session_identity {
	const char *token; /* NULL: vouch */
	uint32_t uid;      /* vouch */
};

/* What a controller says of itself in its hello. */
struct session_standing {
	bool standby;     /* it does not lead: it answers read-only requests only */
	char name[64];    /* "": it is the only controller */
	char leader[256]; /* a standby: the address of the leader in armada.conf; "": not known */
	int64_t lag_ms;   /* a standby: how old its state may be */
};

/* The requirements of one end. Copied by session_new; identity is borrowed until the session is open. */
struct session_policy {
	const char *cluster; /* name; on a client: NULL: any cluster */
	const char *host;    /* this machine's name */
	const char *auth; /* name of the auth plugin, compared by the server; NULL: not compared */
	enum role self;   /* ROLE_SERVER, ROLE_CLIENT or ROLE_AGENT */
	/* client side: the only uid that is accepted as the server */
	uint32_t server_uid;
	/* server side: the only uids that may take ROLE_AGENT; any uid may be ROLE_CLIENT */
	uint32_t agent_uids[4];
	size_t agent_uid_count;
	/* client side: the user to act for, in place of the user of the credential; NULL: none */
	const struct session_identity *identity;
	/* server side: sent in the hello as it is then; borrowed; NULL: the only controller */
	const struct session_standing *standing;
	/* for net.h and call.h: ask the kernel who the peer of a Unix socket is, and set `kernel` */
	bool trust_kernel;
	/*
	 * What the kernel says of the peer. If it is known at both ends, and at the client is that of
	 * server_uid, it replaces the credentials; never for ROLE_AGENT.
	 */
	struct kernel_peer kernel;
};

enum session_state {
	SESSION_HANDSHAKE,
	SESSION_OPEN,
	SESSION_FAILED, /* session_error() has the reason; send session_out, then close */
};

/* A blocking step for the shell's worker. */
struct session_work {
	enum { SESSION_WORK_NONE, SESSION_WORK_ENCODE, SESSION_WORK_DECODE } kind;
	uint8_t payload[32];    /* encode: put this in */
	uint32_t for_uid;       /* encode: only this uid may decode it */
	const char *credential; /* decode: this; borrowed until the work is done */
};

struct session_peer {
	enum role role;
	uint32_t uid,
		gid; /* from the credential, as the auth plugin decoded it, or from the kernel */
	bool by_kernel;
	char host[256];
	char release[64];
	bool identified;      /* uid and gid are of the user whom the client acts for ... */
	uint32_t gateway_uid; /* ... and this is the uid of its credential */
	uint32_t acts_for;    /* on a client: the uid of that user */
	uint64_t token;       /* the number of its token; 0: it vouched */
	struct session_standing standing; /* of a server */
	uint8_t binding[32]; /* a hash that both ends of this session have, and no other session */
};

/* A frame that arrived, opened; body is borrowed until the next call. */
struct session_frame {
	const struct msg_info *info;
	uint32_t request;
	const uint8_t *body;
	size_t len;
};

/* seed: 64 fresh random bytes for the nonce and the ephemeral key (the caller's randomness). */
struct session *session_new(const struct session_policy *policy, const uint8_t seed[64]);
void session_free(struct session *s);

enum session_state session_state(const struct session *s);
const struct session_peer *session_peer(const struct session *s); /* once open */
const char *session_cluster(const struct session *s);             /* once open */
/* Why the session failed, and the exit code for a command (4 not permitted, 75 try again, 1). */
const char *session_error(const struct session *s, int *ret_exit_code);

/* Bytes that arrived. Feeding never fails; check the state and session_next afterwards. */
void session_feed(struct session *s, const uint8_t *data, size_t len);
/* Bytes to send; the caller drops what it sent with buf_drop. */
struct buf *session_out(struct session *s);

/* Is there a blocking step to do? The result goes back with one of the two below. */
bool session_work(struct session *s, struct session_work *ret_work);
void session_encoded(struct session *s, const char *credential);
void session_decoded(struct session *s, const uint8_t *payload, size_t len, uint32_t uid,
		     uint32_t gid);
/*
 * The step failed with code, a negative errno (-EAGAIN: it may work later); text is the auth
 * plugin's sentence.
 */
void session_work_failed(struct session *s, int code, const char *text);

/*
 * On a server: the identity that the client named, to be checked; true once. The result goes back with
 * session_identified, or session_refuse.
 */
bool session_identity(struct session *s, struct session_identity *ret_identity);
void session_identified(struct session *s, uint32_t uid, uint32_t gid, uint64_t token);

/* End the session for a reason of the caller. A server sends exit_code and text to its peer. */
void session_refuse(struct session *s, int exit_code, const char *text);

/* The next complete frame: 1; 0: none yet; negative: the session failed. */
int session_next(struct session *s, struct session_frame *ret_frame);
/* True if session_next would return something other than 0. */
bool session_has_frame(const struct session *s);
/* Bytes of the incomplete frame at the head of the input, as its header says; 0: no header yet. */
size_t session_frame_size(const struct session *s);
/*
 * Seal a message into session_out. The session must be open, the message the schema's of type. One
 * that is over the limit of its type is not sent: the peer of a server gets an ERROR in its place,
 * and a session of another role fails.
 */
void session_send(struct session *s, enum msg_type type, uint32_t request, const void *message);
/* The same for a body packed before. */
void session_send_packed(struct session *s, enum msg_type type, uint32_t request,
			 const uint8_t *body, size_t len);
