/*
 * An order to a node: a record of fixed layout. The controller signs it with Ed25519, and the
 * launcher of the node verifies the signature. The network process between them is not trusted.
 *
 * Integers are little endian. The signature covers all bytes before it. The digest of a launch order
 * is BLAKE2b-256 of its body (a packed TaskBody). An order is valid for one cluster, one node
 * (node_id) and one key. seq is the log sequence of the record that granted the lease, so a later
 * attempt on the node has a greater seq. A lease order announces a floor; orders with a lower seq are
 * never valid again. Epoch and floor of a node only rise, so an old lease order does no harm.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum order_kind {
	ORDER_LAUNCH = 1,
	ORDER_KILL = 2,
	ORDER_RELEASE = 3, /* the task behind the start barrier may run its program */
	ORDER_STEP = 4, /* a further child of the task runs the io stub; the body is its payload */
	ORDER_SIGNAL = 5, /* a signal to the task, which continues */
	ORDER_REBOOT = 6, /* no key: reboot the node, if its boot is that of the order */
	ORDER_LEASE = 7,  /* no key: the controller has heard of the node since the stamp */
	ORDER_SETTINGS =
		8, /* what has changed for a running task; the body is a packed TaskSettings */
	ORDER_OUTPUT =
		9, /* read an output file of the task, as its user; the body is a packed OutputOrder */
	ORDER_LAST = ORDER_OUTPUT,
};

enum { ORDER_VERSION = 1, ORDER_SIGNATURE = 64, ORDER_SIZE = 152 + ORDER_SIGNATURE };

/*
 * The payload of the credential that gives the controller's public key to the launchers: these words, the
 * cluster id, the public key. Credentials for other purposes do not begin with these words.
 */
#define ORDER_KEY_WORDS "armada-order-key"
enum { ORDER_KEY_PAYLOAD = sizeof(ORDER_KEY_WORDS) - 1 + 16 + 32 };

struct task_key {
	uint64_t job;
	uint32_t element;
	uint32_t rank;
	uint32_t attempt;
};

struct order {
	enum order_kind kind;
	uint8_t cluster_id[16];
	uint8_t node_id[16];
	uint64_t epoch;
	uint64_t seq;
	struct task_key key;
	uint32_t uid, gid; /* launch, output */
	uint32_t cause; /* kill: enum EndCause of the end; signal: its number, and ORDER_TO_FIRST */
	/* kill: from SIGTERM to SIGKILL; signal: order_step_number() of a step, 0: for the whole task */
	int64_t grace_ms;
	uint8_t digest
		[32]; /* launch, step, settings, output: of the body; kill: of the text, or zero */
	uint8_t boot[16]; /* all but kill: order_boot() of the boot id of the registration */
	/*
	 * signal, output: grows within an epoch. A node obeys only larger numbers, so it sends no signal
	 * twice, and a copy of an old order reads nothing.
	 * settings: that of the body.
	 * step: order_step_number(). Earlier releases refuse such an order, so only nodes that know
	 * it (RegisterNode.steps) get one; the others get 0.
	 */
	uint64_t number;
	uint8_t stamp[16];    /* launch, lease: time of the node's own clock, agent/lease.h */
	int64_t extension_ms; /* lease: minimum time that leases last after the stamp */
	uint64_t floor;       /* lease: orders with a lower seq are stale */
};

/* The number of a step order: that of the step, and its layer. 0, of earlier releases: none. */
static inline uint64_t order_step_number(uint32_t step, uint32_t layer)
{
	return ((uint64_t)layer << 32 | step) + 1;
}

/* Added to the signal number if the signal is only for the first process of the task. */
enum { ORDER_TO_FIRST = 0x100 };

enum { STEP_PAYLOAD_MAX = 256 << 10 };

/* Bytes of an output file that one order reads. */
enum { OUTPUT_READ_DEFAULT = 64 << 10, OUTPUT_READ_MAX = 1 << 20 };

/*
 * The body of a kill order may be a text for the owner of the task, of at most so many bytes. A text that
 * is not as signed is dropped, and the order counts.
 */
enum { ORDER_TEXT_MAX = 500 };

/* True if an order of this kind must have a body, which its digest covers. */
bool order_has_body(enum order_kind kind);

/* Encodes an order. The signature bytes are zero. */
void order_encode(const struct order *o, uint8_t ret_bytes[ORDER_SIZE]);
/* False: the magic, the version or the kind is unknown. Does not check the signature. */
bool order_decode(const uint8_t bytes[ORDER_SIZE], struct order *ret_order);

/* secret_key and public_key are those of libsodium's crypto_sign: 64 and 32 bytes. */
void order_sign(uint8_t bytes[ORDER_SIZE], const uint8_t secret_key[64]);
bool order_verify(const uint8_t bytes[ORDER_SIZE], const uint8_t public_key[32]);
/*
 * The boot of an order, from a boot id. Orders other than kill are valid for one boot of the node. When
 * the node returns with another boot id, its attempts count as dead. Then no copy of their orders may be
 * executed, even if the node has lost its state.
 */
void order_boot(const char *boot_id, uint8_t ret_boot[16]);
void order_digest(const void *body, size_t len, uint8_t ret_digest[32]);

bool task_key_equal(const struct task_key *a, const struct task_key *b);
/* "812_7.3/1": job, element, rank, attempt; at most 64 bytes with the NUL. */
void task_key_format(const struct task_key *k, char ret_text[64]);
