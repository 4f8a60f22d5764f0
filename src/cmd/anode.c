/*
 * anode: the machines of the cluster; taking them out of use and back.
 */
#include "cmd/node_rows.h"

#include "client/jobstate.h"
#include "util/hostlist.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

enum { NODES_MAX = 65536 };

struct request {
	struct listing_request listing;
	const char *state; /* only these; NULL: all */
};

static int set_state(void *target, const char *value, struct err *err)
{
	struct request *r = target;

	for (const char *at = value; *at; at += at[0] == ',') {
		size_t n = strcspn(at, ",");
		CLEANUP_FREE char *word = xstrndup(at, n);

		if (!node_state_known(word))
			return err_set(err, -EINVAL,
				       "\"%.60s\" is not a state: up, draining, drained, down or "
				       "unknown",
				       word);
		at += n;
	}
	if (!*value)
		return err_set(err, -EINVAL, "is empty");
	r->state = value;
	return 0;
}

static const struct opt rows[] = {
	{"state", "states", 't', "STATES", set_state,
	 "Only nodes in these states: up, draining, drained, down, unknown"},
};

static const struct opt_table own_options = {"Which nodes", rows, ARRAY_SIZE(rows)};
static const struct opt_table *const tables[] = {&own_options, &listing_options, &common_options,
						 NULL};
static const char *const usages[] = {
	"[option...] [list] [NODES...]",
	"drain NODES REASON...",
	"resume NODES...",
	NULL,
};

/* The names that all of count node lists stand for. */
static int expand(const char *const *lists, size_t count, struct arena *arena, char ***ret_names,
		  size_t *ret_count, struct err *err)
{
	CLEANUP_BUF struct buf joined = {0};
	char **names = NULL, **copy;
	size_t n = 0;
	int rc;

	*ret_names = NULL;
	*ret_count = 0;
	if (!count)
		return 0;
	for (size_t i = 0; i < count; i++)
		buf_addf(&joined, "%s%s", i ? "," : "", lists[i]);
	rc = hostlist_expand((char *)joined.data, NODES_MAX, &names, &n, err);
	if (rc < 0)
		return -EINVAL;
	copy = arena_zalloc(arena, n + 1, sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		copy[i] = arena_strdup(arena, names[i]);
	hostlist_free(names, n);
	*ret_names = copy;
	*ret_count = n;
	return 0;
}

static bool word_in(const char *list, const char *word)
{
	while (*list) {
		size_t n = strcspn(list, ",");

		if (strlen(word) == n && !strncasecmp(list, word, n))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

/* n2 before n10. */
static int by_name(const void *left, const void *right)
{
	const Armada__NodeRow *const *a = left, *const *b = right;

	return strverscmp((*a)->name, (*b)->name);
}

static int list_nodes(const struct request *r, struct connection *c, struct arena *arena,
		      const char *const *args, size_t count, struct err *err)
{
	Armada__ListNodesRequest q = ARMADA__LIST_NODES_REQUEST__INIT;
	Armada__ListNodesReply *reply;
	const void **list;
	void *message;
	size_t n = 0;
	int rc = expand(args, count, arena, &q.names, &q.n_names, err);

	if (rc == 0)
		rc = connection_ask(c, MSG_LIST_NODES, &q, MSG_LIST_NODES_REPLY, arena, 0, &message,
				    err);
	if (rc < 0)
		return rc;
	reply = message;
	list = arena_zalloc(arena, reply->n_nodes + 1, sizeof(*list));
	for (size_t i = 0; i < reply->n_nodes; i++) {
		if (!r->state || word_in(r->state, node_row_state(reply->nodes[i])))
			list[n++] = reply->nodes[i];
	}
	qsort(list, n, sizeof(*list), by_name);
	rc = listing_print(&node_listing, &r->listing, list, n, stdout, err);
	if (rc == 0 && reply->n_missing)
		return err_set(err, -ENOENT, "there is no node %s%s", reply->missing[0],
			       reply->n_missing > 1 ? ", nor others that were named" : "");
	return rc;
}

static int update(struct connection *c, struct arena *arena, Armada__UpdateNodeRequest *q,
		  struct err *err)
{
	CLEANUP_BUF struct buf names = {0};
	Armada__OkReply *ok;
	void *message;
	int rc = connection_ask(c, MSG_UPDATE_NODE, q, MSG_OK, arena, 0, &message, err);

	if (rc < 0)
		return rc;
	ok = message;
	hostlist_compress((const char *const *)q->names, q->n_names, &names);
	if (ok->text[0])
		printf("%s\n", ok->text);
	else
		printf("%s %s\n",
		       q->action == ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_DRAIN ? "Drained"
										    : "Resumed",
		       (char *)names.data);
	return 0;
}

static int drain(const struct request *r, struct connection *c, struct arena *arena,
		 const char *const *args, size_t count, struct err *err)
{
	Armada__UpdateNodeRequest q = ARMADA__UPDATE_NODE_REQUEST__INIT;
	CLEANUP_BUF struct buf reason = {0};
	int rc;

	(void)r;
	if (count < 2)
		return err_set(err, -EINVAL,
			       "drain: say which nodes and why: anode drain cn[01-04] "
			       "new disks");
	for (size_t i = 1; i < count; i++)
		buf_addf(&reason, "%s%s", i > 1 ? " " : "", args[i]);
	rc = expand(args, 1, arena, &q.names, &q.n_names, err);
	q.action = ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_DRAIN;
	q.reason = (char *)reason.data;
	return rc < 0 ? rc : update(c, arena, &q, err);
}

static int resume(const struct request *r, struct connection *c, struct arena *arena,
		  const char *const *args, size_t count, struct err *err)
{
	Armada__UpdateNodeRequest q = ARMADA__UPDATE_NODE_REQUEST__INIT;
	int rc;

	(void)r;
	if (!count)
		return err_set(err, -EINVAL, "resume: say which nodes: anode resume cn[01-04]");
	rc = expand(args, count, arena, &q.names, &q.n_names, err);
	q.action = ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_RESUME;
	return rc < 0 ? rc : update(c, arena, &q, err);
}

static const struct verb {
	const char *name;
	int (*run)(const struct request *r, struct connection *c, struct arena *arena,
		   const char *const *args, size_t count, struct err *err);
} verbs[] = {
	{"list", list_nodes},
	{"drain", drain},
	{"resume", resume},
};

static int run(int argc, char **argv, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct request r = {.listing.format = getenv("ANODE_FORMAT")};
	struct connection *c = NULL;
	CLEANUP_FREE const char **operands = NULL;
	const struct verb *verb = &verbs[0];
	const char *const *args;
	size_t count = 0;
	int rc = opt_parse(tables, argc, argv, &r, &operands, &count, err);

	if (rc == 0)
		rc = listing_check(&node_listing, &r.listing, err);
	if (rc < 0)
		return rc;
	args = operands;
	for (size_t i = 0; count && i < ARRAY_SIZE(verbs); i++) {
		if (!strcmp(operands[0], verbs[i].name)) {
			verb = &verbs[i];
			args++;
			count--;
			break;
		}
	}
	rc = connection_new(&c, NULL, err);
	if (rc == 0)
		rc = verb->run(&r, c, arena, args, count, err);
	connection_free(c);
	return rc;
}

static void columns_help(struct buf *out)
{
	listing_help(&node_listing, out);
}

static const struct command anode = {
	.name = "anode",
	.summary = "List the nodes of the cluster; drain and resume them",
	.usages = usages,
	.tables = tables,
	.more_help = columns_help,
	.run = run,
};

int main(int argc, char **argv)
{
	listing_locale();
	return command_main(&anode, argc, argv);
}
