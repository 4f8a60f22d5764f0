/*
 * Internal types of a session, for session.c (bytes and frames) and handshake.c (authentication).
 */
#pragma once

#include "wire/frame.h"
#include "wire/session.h"

enum step {
	STEP_SERVER_WAIT,   /* for the client's hello */
	STEP_SERVER_DECODE, /* the client's credential is being checked */
	STEP_SERVER_ENCODE, /* our proof is being made */
	STEP_CLIENT_WAIT,   /* for the server's hello */
	STEP_CLIENT_ENCODE, /* our credential is being made */
	STEP_CLIENT_PROOF,  /* waiting for the server's proof */
	STEP_CLIENT_DECODE, /* the server's proof is being checked */
	/* sealed from here on */
	STEP_SERVER_IDENTITY, /* for the identity that the client acts under */
	STEP_SERVER_CHECK,    /* it is being checked */
	STEP_CLIENT_IDENTITY, /* waiting for its acceptance */
	STEP_OPEN,
	STEP_FAILED,
	STEPS
};

enum session_event {
	EVENT_SERVER_HELLO,
	EVENT_CLIENT_HELLO,
	EVENT_SERVER_PROOF,
	EVENT_REFUSAL,
	EVENT_IDENTITY,
	EVENT_IDENTIFIED, /* of the client: the message; of the server: the result of the check */
	EVENT_OTHER,      /* any other message */
	EVENT_ENCODED,
	EVENT_DECODED,
	EVENT_WORK_FAILED,
	EVENTS
};

/* The argument of an event: a decoded message, or the result of a step of work. */
struct session_input {
	const void *message;
	const uint8_t *body; /* of the message */
	size_t len;
	const char *text; /* credential, or why work failed */
	int code;         /* work failed: negative errno */
	const uint8_t *payload;
	size_t payload_len;
	uint32_t uid, gid;
	uint64_t token;
};

struct session {
	enum step step;
	struct session_policy policy; /* its strings are owned */
	struct session_peer peer;
	char *cluster;
	char error[512];
	int exit_code;

	uint8_t nonce[32]; /* server's */
	uint8_t public_key[32], secret_key[32];
	struct buf server_hello; /* body, for the transcript */
	uint8_t expected[32];    /* the hash that the peer's credential must contain */
	uint8_t ours[32];        /* the hash in our credential */
	char *credential;        /* of the peer, while it is checked; of a client: then its token */
	bool identifies;         /* the peer announced an identity */
	bool to_check;           /* session_identity has not returned it yet */
	struct session_identity named; /* its token is in credential */

	struct seal tx, rx;
	struct buf in;
	size_t in_pos; /* bytes of in that were consumed */
	struct buf out;
};

/* The table of handshake.c: handle the event in the present step, or fail the session. */
void session_step(struct session *s, enum session_event event, const struct session_input *input);
/* Write the server's hello. */
void session_greet(struct session *s);
/* Append a message to out, in clear or sealed, depending on the step. */
void session_put(struct session *s, enum msg_type type, uint32_t request, const void *message);
/* End the session; a server sends the reason to its peer. exit_code is for a command. */
void session_fail(struct session *s, int exit_code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Exit codes that a session can end with (client/connection.h). */
enum { EXIT_REFUSED = 1, EXIT_NOT_PERMITTED = 4, EXIT_TRY_AGAIN = 75 };
