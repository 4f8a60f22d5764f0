/*
 * The messages of a controller, and their effects. Input: decoded messages of the session. Output:
 * changes of the link's state, and effects for the launcher (orders, acknowledgements, the
 * controller's credential).
 *
 * A table says which messages are accepted in which states; others are ignored. Nothing here is
 * trusted by the launcher, which checks cluster, credential and signatures again.
 */
#include "agent/link_lease.h"
#include "agent/link_reports.h"
#include "agent/link_session.h"
#include "agent/link_usage.h"

#include "util/mem.h"

#include <string.h>

enum {
	HEARTBEAT_MIN_MS = 10,
	HEARTBEAT_MAX_MS = 3600 * 1000,
	HEARTBEAT_DEFAULT_MS = 10 * 1000,
	CREDENTIAL_MAX = 4095,
};

/* Passes the cluster id and the credential of a registration to the launcher. */
static void send_controller(const struct link *l, const Armada__Registered *m,
			    struct link_effects *out)
{
	struct link_effect *x = link_effect_add(out, LINK_CONTROLLER);
	size_t len = m->order_key_credential.len;
	char *credential = arena_zalloc(out->arena, len + 1, 1);

	if (len)
		memcpy(credential, m->order_key_credential.data, len);
	x->cluster_id = l->cluster_id;
	x->credential = credential;
}

/* Why this registration is refused, or NULL. */
static const char *refusal_of(const struct link *l, const Armada__Registered *m)
{
	static const uint8_t none[16];

	if (m->cluster_id.len != sizeof(none))
		return "it has no cluster id";
	if (memcmp(l->meta.cluster_id, none, sizeof(none)) != 0 &&
	    memcmp(l->meta.cluster_id, m->cluster_id.data, sizeof(none)) != 0)
		return "it belongs to another cluster than this node's spool";
	if (m->epoch < l->meta.epoch)
		return "its epoch is old: this node has seen a later one";
	if (m->order_key_credential.len > CREDENTIAL_MAX)
		return "the credential of its order key is too long";
	return NULL;
}

static void on_registered(struct link *l, const void *message, int64_t now_us,
			  struct link_effects *out)
{
	const Armada__Registered *m = message;
	const char *why = refusal_of(l, m);
	uint32_t ms = m->heartbeat_ms ? m->heartbeat_ms : HEARTBEAT_DEFAULT_MS;

	if (why) {
		link_give_up(l, now_us, out, "%s", why);
		return;
	}
	memcpy(l->cluster_id, m->cluster_id.data, sizeof(l->cluster_id));
	ms = ms < HEARTBEAT_MIN_MS ? HEARTBEAT_MIN_MS : ms;
	ms = ms > HEARTBEAT_MAX_MS ? HEARTBEAT_MAX_MS : ms;
	l->heartbeat_us = (int64_t)ms * 1000;
	l->lease_us = m->lease_ms > 0 ? m->lease_ms * 1000 : 0;
	l->epoch = m->epoch;
	send_controller(l, m, out);
	link_lease_renew(l, l->registered_us, m->extension_ms);
	l->state = LINK_OPEN;
	l->failures = 0;
	l->named = false;
	l->beats = l->answered = 0;
	l->next_beat_us = now_us + l->heartbeat_us;
	link_usage_restart(l, m->usage_ms, now_us);
	l->takes_steps = m->steps;
	link_log(out, LOG_NOTICE, "registered with controller %s, epoch %llu",
		 l->config.addresses[l->address], (unsigned long long)m->epoch);
	link_flush(l, now_us, out);
}

static void on_heartbeat_ack(struct link *l, const void *message, int64_t now_us,
			     struct link_effects *out)
{
	const Armada__HeartbeatAck *m = message;

	(void)now_us, (void)out;
	if (m->epoch < l->epoch || m->number > l->beats || m->number <= l->answered)
		return;
	l->answered = m->number;
	link_lease_renew(l, l->beat_us[m->number % LINK_HEARTBEATS], m->extension_ms);
}

static void on_order(struct link *l, const void *message, int64_t now_us, struct link_effects *out)
{
	const Armada__Order *m = message;
	struct link_effect *x;

	(void)l, (void)now_us;
	if (m->order.len != ORDER_SIZE) {
		link_log(out, LOG_WARN, "an order of %zu bytes was dropped", m->order.len);
		return;
	}
	x = link_effect_add(out, LINK_ORDER);
	x->order = m->order.data;
	x->body = m->body.data;
	x->body_len = m->body.len;
}

static void on_report_ack(struct link *l, const void *message, int64_t now_us,
			  struct link_effects *out)
{
	(void)now_us;
	link_reports_acked(l, message, out);
}

static void on_error(struct link *l, const void *message, int64_t now_us, struct link_effects *out)
{
	const Armada__ErrorReply *m = message;

	/* Treat the session as failed, because the controller refused it. */
	l->state = LINK_REGISTERING;
	link_give_up(l, now_us, out, "it refused this node: %s", m->text);
}

/*
 * The accepted messages and their states. A credential is taken once, so a second Registered is
 * ignored.
 */
static const struct {
	enum msg_type type;
	unsigned states;
	void (*handle)(struct link *l, const void *message, int64_t now_us,
		       struct link_effects *out);
} handlers[] = {
	{MSG_REGISTERED, LINK_REGISTERING, on_registered},
	{MSG_HEARTBEAT_ACK, LINK_OPEN, on_heartbeat_ack},
	{MSG_ORDER, LINK_REGISTERING | LINK_OPEN, on_order},
	{MSG_REPORT_ACK, LINK_REGISTERING | LINK_OPEN, on_report_ack},
	{MSG_ERROR, LINK_REGISTERING | LINK_OPEN, on_error},
};

void link_message(struct link *l, uint64_t session, enum msg_type type, const void *message,
		  int64_t now_us, struct link_effects *out)
{
	for (size_t i = 0; session == l->session && i < ARRAY_SIZE(handlers); i++)
		if (handlers[i].type == type && handlers[i].states & l->state) {
			handlers[i].handle(l, message, now_us, out);
			return;
		}
}
