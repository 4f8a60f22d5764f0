#include "core/lifecycle/node_health.h"

#include "core/lifecycle/node_life.h"
#include "core/view/filter.h"
#include "util/utf8.h"

#include <string.h>

#define NODE(name) ARMADA__NODE_STATE__NODE_##name

/* Values of reason_by. A good report resumes the node only if the health check drained it. */
static const char by_health[] = "health check", by_node[] = "armd";

char *node_text(struct txn *txn, const char *text)
{
	size_t len = strnlen(text, REASON_LONGEST + 1);
	char *line =
		arena_printf(txn->arena, "%.*s",
			     (int)(len > REASON_LONGEST ? utf8_whole(text, REASON_LONGEST) : len),
			     text);

	for (char *p = line; *p; p++)
		if (*p == '\n' || *p == '\t')
			*p = ' ';
	return line;
}

void node_take_health(struct txn *txn, const struct node *n, const Armada__NodeHealth *health)
{
	bool ours = node_is_drained_by(n, by_health);
	const char *text;

	if (!health)
		return;
	text = node_text(txn, health->text);
	if (!*text && ours)
		node_event(txn, n, NODE_EV_RESUME, "", by_health);
	else if (*text && (n->state == NODE(UP) || (ours && strcmp(n->reason, text) != 0)))
		node_event(txn, n, NODE_EV_DRAIN, text, by_health);
}

void node_take_problem(struct txn *txn, const struct node *n, const char *text)
{
	if (*text && (n->state == NODE(UP) || node_is_drained_by(n, by_health)))
		node_event(txn, n, NODE_EV_DRAIN, text, by_node);
}
