/*
 * The main part of a link: dialling, registering, heartbeats, and messages of the launcher (link.h).
 * Input: connections, time, messages of the launcher. Output: effects. Messages of the controller
 * are in link_messages.c, reports in link_reports.c.
 */
#include "agent/link_lease.h"
#include "agent/link_reports.h"
#include "agent/link_session.h"
#include "agent/link_steps.h"
#include "agent/link_usage.h"

#include "util/mem.h"
#include "util/units.h"

#include <stdio.h>
#include <string.h>

struct link *link_new(const struct link_config *config)
{
	struct link *l = xcalloc(1, sizeof(*l));

	l->config = *config;
	l->random = config->seed | 1;
	l->state = LINK_IDLE;
	l->due_us = INT64_MAX;
	l->usage_at_us = l->steps_at_us = INT64_MAX;
	return l;
}

void link_free(struct link *l)
{
	if (!l)
		return;
	link_reports_free(l);
	link_steps_free(l);
	free(l->health);
	free(l->cpus);
	free(l);
}

void link_closed(struct link *l, uint64_t session, const char *why, int64_t now_us,
		 struct link_effects *out)
{
	if (session != l->session || l->state < LINK_DIALLING)
		return;
	/* Warn once when the controller goes away, not for each attempt to dial. */
	link_log(out, l->failures ? LOG_DEBUG : LOG_WARN, "controller %s: %s",
		 l->config.addresses[l->address], why ? why : "it closed the connection");
	link_dial_later(l, now_us);
}

static void dial(struct link *l, int64_t now_us, struct link_effects *out)
{
	struct link_effect *x = link_effect_add(out, LINK_DIAL);

	l->state = LINK_DIALLING;
	l->due_us = now_us + l->config.answer_us;
	x->session = ++l->session;
	x->address = l->address;
}

static void beat(struct link *l, int64_t now_us, struct link_effects *out)
{
	Armada__Heartbeat *m = arena_alloc(out->arena, sizeof(*m));

	armada__heartbeat__init(m);
	m->number = ++l->beats;
	m->free_memory_bytes = l->free_memory_bytes;
	m->load = l->load;
	m->leaving = l->leaving;
	m->tasks = link_reports_running(l);
	if (l->health) {
		m->health = arena_alloc(out->arena, sizeof(*m->health));
		armada__node_health__init(m->health);
		m->health->text = arena_strdup(out->arena, l->health);
	}
	m->cpu_containment = arena_strdup(out->arena, l->cpus ? l->cpus : "");
	m->stamp = (ProtobufCBinaryData){sizeof(l->stamp), l->stamp};
	l->beat_us[l->beats % LINK_HEARTBEATS] = now_us;
	l->next_beat_us = now_us + l->heartbeat_us;
	link_send(l, MSG_HEARTBEAT, m, out);
	link_reports_repeat(l, now_us);
}

/* When the oldest heartbeat without an answer has waited too long. */
static int64_t silence_us(const struct link *l)
{
	if (l->answered == l->beats)
		return INT64_MAX;
	return l->beat_us[(l->answered + 1) % LINK_HEARTBEATS] + LINK_SILENCE * l->heartbeat_us;
}

static void tick_open(struct link *l, int64_t now_us, struct link_effects *out)
{
	if (now_us >= silence_us(l)) {
		link_give_up(l, now_us, out, "no answer to a heartbeat for %s",
			     duration_words(LINK_SILENCE * l->heartbeat_us).text);
		return;
	}
	if (now_us >= l->next_beat_us)
		beat(l, now_us, out);
	link_flush(l, now_us, out);
}

static int64_t session_due_us(const struct link *l)
{
	int64_t due_us = silence_us(l) < l->next_beat_us ? silence_us(l) : l->next_beat_us;

	if (l->state != LINK_OPEN)
		return l->due_us;
	if (l->steps_at_us < due_us)
		due_us = l->steps_at_us;
	return l->usage_at_us < due_us ? l->usage_at_us : due_us;
}

int64_t link_due(const struct link *l)
{
	int64_t due_us = session_due_us(l), half_us = link_lease_half_us(l);

	return half_us < due_us ? half_us : due_us;
}

void link_tick(struct link *l, int64_t now_us, struct link_effects *out)
{
	link_lease_warn(l, now_us, out);
	if (now_us < session_due_us(l))
		return;
	if (l->state == LINK_OPEN)
		tick_open(l, now_us, out);
	else if (l->state == LINK_WAITING)
		dial(l, now_us, out);
	else
		link_give_up(l, now_us, out, "no answer for %s",
			     duration_words(l->config.answer_us).text);
}

void link_connected(struct link *l, uint64_t session, const char *local_address, int64_t now_us,
		    struct link_effects *out)
{
	if (session != l->session || l->state != LINK_DIALLING)
		return;
	snprintf(l->local_address, sizeof(l->local_address), "%s", local_address);
	l->state = LINK_LISTING;
	l->due_us = now_us + l->config.answer_us;
	link_steps_restart(l);
	link_effect_add(out, LINK_INVENTORY)->number = ++l->inventory;
}

/* An address that a standby named is dialled next, once in a round over all addresses. */
static void dial_named(struct link *l, const char *leader)
{
	for (size_t i = 0; !l->named && i < l->config.address_count; i++) {
		if (i == l->address || strcmp(l->config.addresses[i], leader) != 0)
			continue;
		/* link_dial_later goes to the next */
		l->address = i ? i - 1 : l->config.address_count - 1;
		l->named = true;
		return;
	}
}

void link_standby(struct link *l, uint64_t session, const char *leader, int64_t now_us,
		  struct link_effects *out)
{
	struct link_effect *x;

	if (session != l->session || l->state != LINK_DIALLING)
		return;
	x = link_effect_add(out, LINK_CLOSE);
	x->session = session;
	x->text = "it is a standby";
	link_log(out, LOG_DEBUG, "controller %s is a standby%s%s", l->config.addresses[l->address],
		 *leader ? ", the leader is " : "", leader);
	dial_named(l, leader);
	link_dial_later(l, now_us);
}

static void register_node(struct link *l, int64_t now_us, struct link_effects *out)
{
	static const uint8_t none[16];
	Armada__RegisterNode *m = arena_memdup(out->arena, l->config.describe, sizeof(*m));

	m->node_id = (ProtobufCBinaryData){sizeof(l->meta.node_id), l->meta.node_id};
	m->spool_id = (ProtobufCBinaryData){sizeof(l->meta.spool_id), l->meta.spool_id};
	if (memcmp(l->meta.cluster_id, none, sizeof(none)) != 0)
		m->cluster_id =
			(ProtobufCBinaryData){sizeof(l->meta.cluster_id), l->meta.cluster_id};
	m->boot_id = l->meta.boot_id;
	m->stamp = (ProtobufCBinaryData){sizeof(l->stamp), l->stamp};
	m->epoch = l->meta.epoch;
	m->steps = true;
	m->leaving = l->leaving;
	if (l->cpus)
		m->cpu_containment = arena_strdup(out->arena, l->cpus);
	if (!m->address || !m->address[0])
		m->address = l->local_address;
	m->reports = link_reports_all(l, now_us, out->arena, &m->n_reports);
	l->registered_us = now_us;
	l->state = LINK_REGISTERING;
	l->due_us = now_us + l->config.answer_us;
	link_send(l, MSG_REGISTER_NODE, m, out);
}

void link_inventory_end(struct link *l, uint64_t number, int64_t now_us, struct link_effects *out)
{
	if (l->state != LINK_LISTING || number != l->inventory)
		return;
	link_reports_prune(l);
	register_node(l, now_us, out);
}

void link_hello(struct link *l, const struct ledger_meta *meta, int64_t now_us,
		struct link_effects *out)
{
	l->meta = *meta;
	if (l->state == LINK_IDLE)
		dial(l, now_us, out);
}

void link_controller_refused(struct link *l, const char *why, int64_t now_us,
			     struct link_effects *out)
{
	if (l->state < LINK_REGISTERING)
		return;
	/* Treat the session as failed, so that it is not dialled again at once. */
	l->state = LINK_REGISTERING;
	link_give_up(l, now_us, out, "%s", why);
}

void link_stamp(struct link *l, const uint8_t *stamp)
{
	memcpy(l->stamp, stamp, sizeof(l->stamp));
}

void link_health(struct link *l, const char *text)
{
	if (l->health && strcmp(l->health, text) == 0)
		return;
	free(l->health);
	l->health = xstrdup(text);
	if (l->state == LINK_OPEN)
		l->next_beat_us = 0;
}

void link_output(struct link *l, const Armada__OutputRead *m, struct link_effects *out)
{
	if (l->state == LINK_OPEN)
		link_send(l, MSG_OUTPUT_READ, m, out);
}

void link_cpus(struct link *l, const char *text)
{
	if (l->cpus && strcmp(l->cpus, text) == 0)
		return;
	free(l->cpus);
	l->cpus = xstrdup(text);
	if (l->state == LINK_OPEN)
		l->next_beat_us = 0;
}

void link_shutdown(struct link *l, int64_t now_us, struct link_effects *out)
{
	bool first = !l->leaving;

	l->leaving = true;
	if (first && l->state == LINK_OPEN)
		beat(l, now_us, out);
}

void link_sample(struct link *l, int64_t free_memory_bytes, double load)
{
	l->free_memory_bytes = free_memory_bytes;
	l->load = load;
}

bool link_open(const struct link *l)
{
	return l->state == LINK_OPEN;
}
