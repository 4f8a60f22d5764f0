/*
 * Notes a change of the set of copies (copies.h). Input: the set as the engine has it now. Output: a record,
 * if the log has another version, and the answer to the administrator who asked for the change.
 */
#include "core/lifecycle/copies.h"

#include "core/txn/effects.h"
#include "core/txn/emit.h"
#include "core/txn/reply.h"

#include <inttypes.h>

static size_t add_names(struct txn *txn, bool removed, char ***ret_names)
{
	const struct armada_replica_copies *c = txn->in->copies;
	size_t count = 0;

	*ret_names = arena_alloc(txn->arena, ARMADA_REPLICA_COPIES_MAX * sizeof(**ret_names));
	for (size_t i = 0; i < c->count; i++)
		if (removed ? c->copies[i].removed : c->copies[i].member)
			(*ret_names)[count++] = arena_strdup(txn->arena, c->copies[i].name);
	return count;
}

void copies_input(struct txn *txn)
{
	const struct armada_replica_copies *c = txn->in->copies;
	Armada__CopiesSet *m;
	Armada__Event *ev;

	if (c->version != txn->state->copies_version) {
		ev = emit_make(txn, ARMADA__EVENT__KIND_COPIES_SET, &m);
		m->version = c->version;
		m->at_us = txn->in->wall_us;
		m->by = (char *)(txn->in->text ? txn->in->text : "");
		m->n_members = add_names(txn, false, &m->members);
		m->n_removed = add_names(txn, true, &m->removed);
		emit_event(txn, ev);
	}
	if (txn->in->conn)
		reply_ok(txn, "records have to be on %s (version %" PRIu64 " of the set)",
			 txn->state->copies_members, txn->state->copies_version);
}
