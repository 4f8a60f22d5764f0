#include "core/txn/name_lookup.h"

#include "core/txn/effects.h"
#include "core/txn/reply.h"

#include <string.h>

/* Every name is compared with every other, so their number is limited. */
enum { NAMES_MAX = 2000, EXIT_REFUSED = 1, EXIT_TRY_AGAIN = 75 };

static bool is_same(const struct core_name *n, bool group, const char *name)
{
	return n->group == group && strcmp(n->name, name) == 0;
}

void name_lookup_want(struct txn *txn, struct names *n, bool group, const char *name)
{
	for (size_t i = 0; i < n->count; i++)
		if (is_same(&n->list[i], group, name))
			return;
	/* keep one more than the limit, so that name_lookup_ask refuses the request */
	if (n->count > NAMES_MAX)
		return;
	if (n->count == n->cap) {
		struct core_name *more;

		n->cap = n->cap ? 2 * n->cap : 16;
		more = arena_zalloc(txn->arena, n->cap, sizeof(*more));
		if (n->count)
			memcpy(more, n->list, n->count * sizeof(*more));
		n->list = more;
	}
	n->list[n->count++] = (struct core_name){.group = group, .name = name};
}

const struct core_name *name_lookup_find(const struct txn *txn, bool group, const char *name)
{
	for (size_t i = 0; i < txn->in->name_count; i++)
		if (is_same(&txn->in->names[i], group, name))
			return &txn->in->names[i];
	return NULL;
}

static void send_back(struct txn *txn, const struct names *n, const void *what)
{
	struct effect *e = effect_later_with(txn, EFFECT_NAMES, txn->in->type, what);

	e->names = n->list;
	e->name_count = n->count;
}

bool name_lookup_ask(struct txn *txn, const struct names *n, const void *what)
{
	if (n->count > NAMES_MAX) {
		reply_refuse(txn, EXIT_REFUSED, "more than %d users and groups in one request",
			     NAMES_MAX);
		return true;
	}
	for (size_t i = 0; i < n->count; i++) {
		const struct core_name *found =
			name_lookup_find(txn, n->list[i].group, n->list[i].name);
		const char *kind = n->list[i].group ? "group" : "user";

		if (!found) {
			send_back(txn, n, what);
			return true;
		}
		if (found->known)
			continue;
		if (found->failed)
			reply_refuse(
				txn, EXIT_TRY_AGAIN,
				"%s '%s' could not be looked up on the controller's machine: try "
				"again later",
				kind, found->name);
		else
			reply_refuse(
				txn, EXIT_REFUSED,
				"there is no %s '%s' on the controller's machine: expected a name "
				"that getent %s shows there",
				kind, found->name, n->list[i].group ? "group" : "passwd");
		return true;
	}
	return false;
}
