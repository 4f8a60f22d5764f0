/*
 * Handles an order of the network process. Input: the signed order record, and a sealed memfd with
 * the body if the order has one. Output: an input of the ledger; or the order is dropped, and the
 * network process logs the reason.
 *
 * The network process is not trusted: an order counts only if the controller's signature, the stamp
 * of a launch and the digest of the body are valid. A refused launch is recorded in the spool, so
 * it needs a file; an order for which even that file has no room is dropped, and the controller
 * repeats it.
 */
#include "armd/launcher/orders.h"

#include "armd/launcher/health.h"
#include "armd/launcher/network_out.h"
#include "armd/launcher/user_rules.h"
#include "armd/spool/disk_reserve.h"
#include "armd/pipe/body.h"
#include "util/mem.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

static struct ledger_check check_order(struct launcher *l, const struct order *o, size_t len,
				       char why[256])
{
	struct ledger_check check = {.allowed = true, .why = why};
	struct err err;

	if (o->kind != ORDER_LAUNCH)
		return check;
	if (l->shutting_down) {
		snprintf(why, 256, "node %s is shutting down", l->config->node_name);
		check.allowed = false;
		check.cause = ARMADA__END_CAUSE__END_SHUTDOWN;
		return check;
	}
	check.allowed = launcher_user_allowed(l, o, &err);
	if (!check.allowed) {
		snprintf(why, 256, "%.255s", err.text);
		check.cause = ARMADA__END_CAUSE__END_ACCOUNT;
	}
	if (check.allowed && spool_free_bytes(&l->spool) < SPOOL_RESERVE_BYTES + len) {
		snprintf(why, 256, "the disk of node %s's spool is full", l->config->node_name);
		check.allowed = false;
		launcher_health_full(l);
	}
	return check;
}

/*
 * An unknown attempt needs a file, also for a refusal. Without room for the file the order is
 * dropped: the controller repeats it, and nothing was refused.
 */
static int check_room(struct launcher *l, const struct order *o, struct err *err)
{
	bool makes = o->kind == ORDER_LAUNCH || o->kind == ORDER_KILL;

	/* the orders of this iteration have not taken their files yet */
	if (!makes || ledger_find(l->ledger, &o->key) ||
	    disk_reserve_ready(&l->spool) > l->order_count ||
	    spool_free_bytes(&l->spool) >= SPOOL_RESERVE_BYTES)
		return 0;
	launcher_health_full(l);
	return err_set(err, -ENOSPC, "the disk of node %s's spool is full, even for a refusal",
		       l->config->node_name);
}

static int read_body(const struct pipe_order *p, const struct order *o, uint8_t **ret_body,
		     size_t *ret_len, struct err *err)
{
	CLEANUP_FREE uint8_t *body = NULL;
	uint8_t digest[32];
	size_t len;
	int rc;

	if (!order_has_body(o->kind))
		return 0;
	if (p->body_fd < 0)
		return err_set(err, -EBADMSG, "it has no body");
	rc = pipe_body_read(p->body_fd, &body, &len, err);
	if (rc < 0)
		return rc;
	order_digest(body, len, digest);
	if (memcmp(digest, o->digest, sizeof(digest)) != 0)
		return err_set(err, -EBADMSG, "its body does not match the signed digest");
	*ret_body = body;
	*ret_len = len;
	body = NULL;
	return 0;
}

/* The text of a kill order. Without a valid one the order counts all the same. */
static void read_text(const struct pipe_order *p, const struct order *o, uint8_t **ret_text,
		      size_t *ret_len)
{
	CLEANUP_FREE uint8_t *text = NULL;
	uint8_t digest[32];
	struct err ignored;
	size_t len;

	if (o->kind != ORDER_KILL || p->body_fd < 0 ||
	    pipe_body_read(p->body_fd, &text, &len, &ignored) < 0 || len > ORDER_TEXT_MAX)
		return;
	order_digest(text, len, digest);
	if (memcmp(digest, o->digest, sizeof(digest)) != 0)
		return;
	*ret_text = text;
	*ret_len = len;
	text = NULL;
}

/* True if each order of the kind that counts has exactly one effect of this kind, the last one. */
static bool has_own_effect(enum order_kind kind, enum ledger_effect_kind *ret)
{
	*ret = kind == ORDER_STEP ? LEDGER_STEP : LEDGER_OUTPUT;
	return kind == ORDER_STEP || kind == ORDER_OUTPUT;
}

static int take_order(struct launcher *l, const struct pipe_order *p, struct err *err)
{
	struct received_order t = {0};
	enum ledger_effect_kind own;
	struct ledger_check check;
	struct order o;
	char why[256];
	size_t effects;
	int rc;

	if (!l->has_key)
		return err_set(err, -EPERM, "the controller's order key is not known yet");
	if (!order_verify(p->bytes, l->public_key))
		return err_set(err, -EPERM, "its signature is not the controller's");
	if (!order_decode(p->bytes, &o))
		return err_set(err, -EBADMSG, "its kind or version is not known here");
	if (o.kind == ORDER_LAUNCH && !sodium_is_zero(o.stamp, sizeof(o.stamp)) &&
	    !stamp_verify(l->stamp_key, o.stamp))
		return err_set(err, -ESTALE, "it was made for an earlier armd process");
	rc = check_room(l, &o, err);
	if (rc == 0)
		rc = read_body(p, &o, &t.body, &t.len, err);
	if (rc < 0)
		return rc;
	read_text(p, &o, &t.body, &t.len);
	t.key = o.key;
	memcpy(t.bytes, p->bytes, ORDER_SIZE);
	check = check_order(l, &o, t.len, why);
	t.kind = o.kind;
	GROW(l->orders, l->order_cap, l->order_count + 1);
	l->orders[l->order_count++] = t;
	effects = l->effects.count;
	ledger_order(l->ledger, &o, &check, &l->effects);
	/*
	 * Several steps for one task, and several reads, may arrive in one iteration. Each order of these
	 * that is kept has one effect of its kind, in the same order.
	 */
	if (has_own_effect(o.kind, &own) &&
	    (l->effects.count == effects || l->effects.list[l->effects.count - 1].kind != own))
		free(l->orders[--l->order_count].body);
	return 0;
}

static void send_stale(struct launcher *l, const uint8_t bytes[ORDER_SIZE])
{
	const struct ledger_meta *m = ledger_meta(l->ledger);
	char text[256], key[64];
	struct order o;

	if (!order_decode(bytes, &o))
		return;
	task_key_format(&o.key, key);
	snprintf(text, sizeof(text),
		 "an order for %s was dropped: it is stale or for another node (epoch %llu, order "
		 "%llu; here epoch %llu, floor %llu)",
		 key, (unsigned long long)o.epoch, (unsigned long long)o.seq,
		 (unsigned long long)m->epoch, (unsigned long long)m->floor);
	launcher_send_problem(l, PIPE_ABOUT_ORDER, text);
}

void launcher_take_order(struct launcher *l, struct pipe_order *p)
{
	uint64_t stale = ledger_stale_orders(l->ledger), epoch = ledger_meta(l->ledger)->epoch;
	struct err err;
	int rc = take_order(l, p, &err);

	close_fd(&p->body_fd);
	if (ledger_meta(l->ledger)->epoch != epoch)
		l->hello_due = true;
	if (rc < 0) {
		err_prefix(&err, rc, "an order was dropped");
		launcher_send_problem(l, PIPE_ABOUT_ORDER, err.text);
	} else if (ledger_stale_orders(l->ledger) > stale) {
		send_stale(l, p->bytes);
	}
}

void launcher_forget_orders(struct launcher *l)
{
	for (size_t i = 0; i < l->order_count; i++)
		free(l->orders[i].body);
	l->order_count = 0;
}
