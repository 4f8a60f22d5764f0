/* EXTEND_LEASE: extends the leases of nodes before an outage that is longer than the leases. */
#include "core/view/lease_time.h"
#include "core/request/request.h"
#include "core/txn/emit.h"
#include "core/txn/reply.h"
#include "core/view/filter.h"
#include "core/view/no_such.h"
#include "util/plural.h"
#include "util/units.h"

#include <string.h>

/* The longest extension that nodes accept (armd/spool/lease.h). */
enum { EXTENSION_MAX_S = 400 * 86400 };

static void extend(struct txn *txn, const struct node *n, const Armada__ExtendLeaseRequest *m)
{
	Armada__LeaseExtended *ex;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_LEASE_EXTENDED, &ex);

	ex->name = n->name;
	ex->duration_us = m->duration_s * 1000000;
	ex->reason = m->reason;
	ex->by = arena_strdup(txn->arena,
			      txn->in->caller->user ? txn->in->caller->user : "an administrator");
	ex->at_us = txn->clock_us;
	emit_event(txn, ev);
	/* answers wait for records, so the extension is durable before the node is told */
	live_node(txn->live, n)->extended_from_us = txn->in->steady_us;
}

static bool check(struct txn *txn, const Armada__ExtendLeaseRequest *m)
{
	if (m->all == (m->n_names > 0)) {
		reply_refuse(txn, 2, "name nodes, or all of them");
		return false;
	}
	if (m->duration_s <= 0 || m->duration_s > EXTENSION_MAX_S) {
		reply_refuse(txn, 1, "a lease is extended by 1 s to %s",
			     duration_words(EXTENSION_MAX_S * INT64_C(1000000)).text);
		return false;
	}
	if (strlen(m->reason) > REASON_LONGEST) {
		reply_refuse(txn, 1, "reason: longer than %d bytes", REASON_LONGEST);
		return false;
	}
	for (size_t i = 0; i < m->n_names; i++)
		if (!node_find(txn->state, m->names[i])) {
			reply_refuse(txn, 3, "%s", no_such_node(txn, m->names[i]));
			return false;
		}
	return true;
}

/* True if the node has a longer extension. The node may know it, so it is never shortened. */
static bool is_shorter(const struct txn *txn, const struct node *n, int64_t duration_s)
{
	return node_extension_ms(txn, n) > duration_s * 1000;
}

void req_extend_lease(struct txn *txn, const Armada__ExtendLeaseRequest *m)
{
	uint32_t kept = 0, count = 0;

	if (!check(txn, m))
		return;
	for (const struct node *n = txn->state->nodes; n; n = n->hh.next) {
		bool named = m->all;

		for (size_t i = 0; i < m->n_names && !named; i++)
			named = strcmp(m->names[i], n->name) == 0;
		if (!named)
			continue;
		count++;
		if (is_shorter(txn, n, m->duration_s))
			kept++;
		else
			extend(txn, n, m);
	}
	reply_ok(txn,
		 "leases on %u node%s are valid for at least %s from now, once the nodes have "
		 "received the extension%s",
		 count, plural(count, "", "s"), duration_words(m->duration_s * 1000000).text,
		 kept ? "; some nodes have a longer extension, which is kept" : "");
}
