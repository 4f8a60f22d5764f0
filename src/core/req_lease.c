/* EXTEND_LEASE: before an outage that is to last longer than leases do. */
#include "core/node.h"
#include "core/request.h"
#include "util/mem.h"
#include "util/units.h"

#include <string.h>

/* As much as nodes believe (armd/lease.h). */
enum { EXTENSION_MAX_S = 400 * 86400 };

static void extend(struct core *c, struct node *n, const Armada__ExtendLeaseRequest *m)
{
	Armada__LeaseExtended *ex;
	Armada__Event *ev = event_make(c, ARMADA__EVENT__KIND_LEASE_EXTENDED, &ex);

	ex->name = n->name;
	ex->duration_us = m->duration_s * 1000000;
	ex->reason = m->reason;
	ex->by = arena_strdup(c->arena,
			      c->in->caller->user ? c->in->caller->user : "an administrator");
	ex->at_us = c->now_us;
	emit(c, ev);
	/* durable before any answer that tells the node of it, for answers wait for records */
	n->extended_from_us = c->in->steady_us;
}

static bool check(struct core *c, const Armada__ExtendLeaseRequest *m)
{
	if (m->all == (m->n_names > 0)) {
		refuse(c, 2, "name nodes, or all of them");
		return false;
	}
	if (m->duration_s <= 0 || m->duration_s > EXTENSION_MAX_S) {
		refuse(c, 1, "a lease is extended by 1 second to %d days", EXTENSION_MAX_S / 86400);
		return false;
	}
	if (strlen(m->reason) > REASON_LONGEST) {
		refuse(c, 1, "reason: longer than %d bytes", REASON_LONGEST);
		return false;
	}
	for (size_t i = 0; i < m->n_names; i++)
		if (!core_find_node(c, m->names[i])) {
			refuse(c, 3, "node '%s' is not known; nothing was changed", m->names[i]);
			return false;
		}
	return true;
}

/* What a node may have been told holds: it ends by itself, never sooner. */
static bool is_shorter(const struct core *c, const struct node *n, int64_t duration_s)
{
	return node_extension_ms(c, n) > duration_s * 1000;
}

void req_extend_lease(struct core *c, const void *message)
{
	const Armada__ExtendLeaseRequest *m = message;
	uint32_t kept = 0, count = 0;
	char length[48];

	if (!check(c, m))
		return;
	for (struct node *n = c->nodes; n; n = n->hh.next) {
		bool named = m->all;

		for (size_t i = 0; i < m->n_names && !named; i++)
			named = strcmp(m->names[i], n->name) == 0;
		if (!named)
			continue;
		count++;
		if (is_shorter(c, n, m->duration_s))
			kept++;
		else
			extend(c, n, m);
	}
	format_duration(m->duration_s * 1000000, length, sizeof(length));
	reply_ok(c,
		 "leases on %u node%s hold for %s from now at least, if they hear of it before the "
		 "controller goes%s",
		 count, count == 1 ? "" : "s", length,
		 kept ? "; some have a longer one, which stays" : "");
}
