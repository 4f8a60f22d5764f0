/*
 * aexplain: explain why a job is pending, and which change would start it.
 *
 * Each id is one request to the controller, which makes a dry run of a scheduling round. The answer
 * is printed as text (explain_print.c) or as JSON (explain_json.c). An error of one id does not
 * stop the others; the exit code is that of the last error.
 */
#include "client/filter.h"
#include "cmd/common/command.h"
#include "cmd/explain_json.h"
#include "cmd/explain_print.h"
#include "cmd/listing/listing.h"
#include "util/clock.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

struct request {
	bool json;
};

static const struct opt rows[] = {
	{"json", NULL, 0, NULL, OPT_FLAG(struct request, json), "Print everything as JSON"},
};

static const struct opt_table own_options = {"Output", rows, ARRAY_SIZE(rows)};
static const struct opt_table *const tables[] = {&own_options, &command_options, NULL};
static const char *const usages[] = {"[option...] ID...", NULL};

/*
 * One id as aqueue prints it. The elements of a row, "812_[4-16]", wait alike: the first of them is
 * explained.
 */
static int parse_id(const char *word, Armada__ExplainRequest *ret, struct err *err)
{
	struct filter f;
	int rc;

	filter_init(&f);
	rc = filter_add(&f, FILTER_IDS, word, err);
	armada__explain_request__init(ret);
	for (size_t i = 0; rc == 0 && i < f.message.n_ids; i++) {
		const Armada__JobRange *id = f.message.ids[i];

		if (id->first != id->last || id->first != f.message.ids[0]->first)
			rc = err_set(err, -EINVAL,
				     "'%.60s' names several jobs; write 812, 812_7 or 812_[4-16]",
				     word);
	}
	if (rc == 0 && f.message.n_ids) {
		ret->job = f.message.ids[0]->first;
		ret->has_element = f.message.ids[0]->has_elements;
		ret->element = ret->has_element ? f.message.ids[0]->elements->first : 0;
	} else if (rc == 0) {
		rc = err_set(err, -EINVAL, "an id is empty; write 812, 812_7 or 812_[4-16]");
	}
	filter_done(&f);
	return rc < 0 ? -EINVAL : 0;
}

static int parse_ids(const char *const *words, size_t count, Armada__ExplainRequest *ret,
		     struct err *err)
{
	int rc = 0;

	if (!count)
		return err_set(err, -EINVAL,
			       "no job given; give an id, as in aexplain 812 or aexplain 812_7");
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = parse_id(words[i], &ret[i], err);
	return rc;
}

/* The output of all ids. */
struct output {
	struct connection *c;
	struct arena *arena;
	const struct request *r;
	json_t *list;
	size_t printed;
};

static int explain_one(struct output *t, const Armada__ExplainRequest *q, struct err *err)
{
	const Armada__ExplainReply *e;
	int rc = connection_ask(t->c, MSG_EXPLAIN, q, MSG_EXPLAIN_REPLY, t->arena, 0, &e, err);

	if (rc < 0)
		return rc;
	if (t->r->json) {
		json_array_append_new(t->list, explain_json(e, clock_us(CLOCK_REALTIME)));
	} else {
		if (t->printed)
			printf("\n\n");
		explain_print(e, clock_us(CLOCK_REALTIME), stdout);
	}
	t->printed++;
	return 0;
}

/*
 * Explains all ids. Every error but the last is printed here; the last one is returned for
 * command_main to print. The loop ends when no controller answers.
 */
static int explain_all(struct output *t, const Armada__ExplainRequest *list, size_t count,
		       struct err *err)
{
	int last = 0;

	for (size_t i = 0; i < count; i++) {
		struct err why = {0};
		int rc = explain_one(t, &list[i], &why);

		if (rc == 0)
			continue;
		if (last)
			fprintf(stderr, "aexplain: error: %s\n", err->text);
		last = rc;
		*err = why;
		if (rc == -EAGAIN)
			break;
	}
	return last;
}

static int explain(const struct request *r, const Armada__ExplainRequest *list, size_t count,
		   struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct output t = {.arena = arena, .r = r};
	int rc = connection_new(&t.c, NULL, err);

	if (rc < 0)
		return rc;
	t.list = json_array();
	rc = explain_all(&t, list, count, err);
	connection_free(t.c);
	if (r->json && (rc == 0 || t.printed)) {
		json_t *root = listing_json_new();

		json_object_set(root, "jobs", t.list);
		listing_json_print(root, stdout);
	}
	json_decref(t.list);
	return rc;
}

static int run(int argc, char **argv, struct err *err)
{
	CLEANUP_FREE Armada__ExplainRequest *list = NULL;
	CLEANUP_FREE const char **operands = NULL;
	struct request r = {0};
	size_t count = 0;
	int rc = opt_parse(tables, argc, argv, &r, &operands, &count, err);

	if (rc < 0)
		return rc;
	list = xcalloc(count + 1, sizeof(*list));
	rc = parse_ids(operands, count, list, err);
	return rc < 0 ? rc : explain(&r, list, count, err);
}

static const struct command aexplain = {
	.name = "aexplain",
	.summary = "Explain why a job is pending, and which change would start it",
	.usages = usages,
	.tables = tables,
	.run = run,
};

int main(int argc, char **argv)
{
	listing_locale();
	return command_main(&aexplain, argc, argv);
}
