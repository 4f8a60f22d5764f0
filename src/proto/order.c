/*
 * Encoding, decoding, signing and verifying of orders. Input and output: struct order and its record of
 * ORDER_SIZE bytes. Decoding does not verify: the caller verifies the record first.
 */
#include "proto/order.h"

#include "util/le.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

/*
 * Layout: magic 4, version 2, kind 2, cluster 16, node 16, epoch 8, seq 8, job 8, element 4, rank 4,
 * attempt 4, uid 4, gid 4, cause 4, grace 8, digest 32, boot 16, number 8, signature 64. Launch and
 * lease orders have the two halves of the stamp in place of grace and number. A lease order has its
 * extension and its floor in place of the digest.
 */
enum { MAGIC = 0x524f4d41 /* "AMOR" */, SIGNED = ORDER_SIZE - ORDER_SIGNATURE, USED = 144 };

static void put(uint8_t **p, uint64_t value, size_t bytes)
{
	le_put(*p, value, bytes);
	*p += bytes;
}

static uint64_t get(const uint8_t **p, size_t bytes)
{
	*p += bytes;
	return le_get(*p - bytes, bytes);
}

static void put_bytes(uint8_t **p, const uint8_t *from, size_t n)
{
	memcpy(*p, from, n);
	*p += n;
}

static void get_bytes(const uint8_t **p, uint8_t *to, size_t n)
{
	memcpy(to, *p, n);
	*p += n;
}

bool order_has_body(enum order_kind kind)
{
	return kind == ORDER_LAUNCH || kind == ORDER_STEP || kind == ORDER_SETTINGS ||
	       kind == ORDER_OUTPUT;
}

static bool is_numbered(enum order_kind kind)
{
	return kind == ORDER_SIGNAL || kind == ORDER_SETTINGS || kind == ORDER_OUTPUT ||
	       kind == ORDER_STEP;
}

/* Orders with a stamp, in place of grace and number. */
static bool is_stamped(enum order_kind kind)
{
	return kind == ORDER_LAUNCH || kind == ORDER_LEASE;
}

static void get_stamped(struct order *o)
{
	le_put(o->stamp, (uint64_t)o->grace_ms, 8);
	le_put(o->stamp + 8, o->number, 8);
	o->grace_ms = 0;
	o->number = 0;
	if (o->kind != ORDER_LEASE)
		return;
	o->extension_ms = (int64_t)le_get(o->digest, 8);
	o->floor = le_get(o->digest + 8, 8);
	memset(o->digest, 0, sizeof(o->digest));
}

void order_encode(const struct order *o, uint8_t ret_bytes[ORDER_SIZE])
{
	uint8_t *p = ret_bytes;

	memset(ret_bytes, 0, ORDER_SIZE);
	put(&p, MAGIC, 4);
	put(&p, ORDER_VERSION, 2);
	put(&p, o->kind, 2);
	put_bytes(&p, o->cluster_id, sizeof(o->cluster_id));
	put_bytes(&p, o->node_id, sizeof(o->node_id));
	put(&p, o->epoch, 8);
	put(&p, o->seq, 8);
	put(&p, o->key.job, 8);
	put(&p, o->key.element, 4);
	put(&p, o->key.rank, 4);
	put(&p, o->key.attempt, 4);
	put(&p, o->uid, 4);
	put(&p, o->gid, 4);
	put(&p, o->cause, 4);
	if (is_stamped(o->kind))
		put_bytes(&p, o->stamp, 8);
	else
		put(&p, (uint64_t)o->grace_ms, 8);
	if (o->kind == ORDER_LEASE) {
		put(&p, (uint64_t)o->extension_ms, 8);
		put(&p, o->floor, 8);
		p += sizeof(o->digest) - 16;
	} else {
		put_bytes(&p, o->digest, sizeof(o->digest));
	}
	put_bytes(&p, o->boot, sizeof(o->boot));
	if (is_stamped(o->kind))
		put_bytes(&p, o->stamp + 8, 8);
	else
		put(&p, o->number, 8);
	_Static_assert(USED + 8 == SIGNED, "the layout fills the record");
}

bool order_decode(const uint8_t bytes[ORDER_SIZE], struct order *ret_order)
{
	struct order o = {0};
	const uint8_t *p = bytes;

	if (get(&p, 4) != MAGIC || get(&p, 2) != ORDER_VERSION)
		return false;
	o.kind = (enum order_kind)get(&p, 2);
	if (o.kind < ORDER_LAUNCH || o.kind > ORDER_LAST)
		return false;
	if (!is_numbered(o.kind) && !is_stamped(o.kind) &&
	    !sodium_is_zero(bytes + USED, SIGNED - USED))
		return false;
	get_bytes(&p, o.cluster_id, sizeof(o.cluster_id));
	get_bytes(&p, o.node_id, sizeof(o.node_id));
	o.epoch = get(&p, 8);
	o.seq = get(&p, 8);
	o.key.job = get(&p, 8);
	o.key.element = (uint32_t)get(&p, 4);
	o.key.rank = (uint32_t)get(&p, 4);
	o.key.attempt = (uint32_t)get(&p, 4);
	o.uid = (uint32_t)get(&p, 4);
	o.gid = (uint32_t)get(&p, 4);
	o.cause = (uint32_t)get(&p, 4);
	o.grace_ms = (int64_t)get(&p, 8);
	get_bytes(&p, o.digest, sizeof(o.digest));
	get_bytes(&p, o.boot, sizeof(o.boot));
	o.number = get(&p, 8);
	if (is_stamped(o.kind))
		get_stamped(&o);
	*ret_order = o;
	return true;
}

void order_sign(uint8_t bytes[ORDER_SIZE], const uint8_t secret_key[64])
{
	_Static_assert(crypto_sign_BYTES == ORDER_SIGNATURE, "Ed25519");
	crypto_sign_detached(bytes + SIGNED, NULL, bytes, SIGNED, secret_key);
}

bool order_verify(const uint8_t bytes[ORDER_SIZE], const uint8_t public_key[32])
{
	return crypto_sign_verify_detached(bytes + SIGNED, bytes, SIGNED, public_key) == 0;
}

void order_digest(const void *body, size_t len, uint8_t ret_digest[32])
{
	crypto_generichash(ret_digest, 32, body, len, NULL, 0);
}

void order_boot(const char *boot_id, uint8_t ret_boot[16])
{
	crypto_generichash(ret_boot, 16, (const uint8_t *)boot_id, strlen(boot_id), NULL, 0);
}

bool task_key_equal(const struct task_key *a, const struct task_key *b)
{
	return a->job == b->job && a->element == b->element && a->rank == b->rank &&
	       a->attempt == b->attempt;
}

void task_key_format(const struct task_key *k, char ret_text[64])
{
	snprintf(ret_text, 64, "%" PRIu64 "_%" PRIu32 ".%" PRIu32 "/%" PRIu32, k->job, k->element,
		 k->rank, k->attempt);
}
