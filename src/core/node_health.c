/* What a node says of its own health: it is drained with its words, and resumed when it is well again. */
#include "core/node.h"
#include "core/request.h"
#include "util/mem.h"

#include <string.h>

#define NODE(name) ARMADA__NODE_STATE__NODE_##name

/* Who drained it: a node that somebody else drained is theirs to resume. */
static const char by_health[] = "health check", by_node[] = "armd";

static const char *cut(struct core *c, const char *text)
{
	return strlen(text) <= REASON_LONGEST
		       ? text
		       : arena_printf(c->arena, "%.*s", REASON_LONGEST - 4, text);
}

void node_take_health(struct core *c, struct node *n, const Armada__NodeHealth *health)
{
	bool ours = node_is_drained_by(n, by_health);
	const char *text;

	if (!health)
		return;
	text = cut(c, health->text);
	if (!*text && ours)
		node_event(c, n, NODE_EV_RESUME, "", by_health);
	else if (*text && (n->state == NODE(UP) || (ours && strcmp(n->reason, text) != 0)))
		node_event(c, n, NODE_EV_DRAIN, text, by_health);
}

void node_take_problem(struct core *c, struct node *n, const char *text)
{
	if (*text && (n->state == NODE(UP) || node_is_drained_by(n, by_health)))
		node_event(c, n, NODE_EV_DRAIN, cut(c, text), by_node);
}
