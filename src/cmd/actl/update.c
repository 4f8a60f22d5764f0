/*
 * actl update: change jobs.
 *
 * The words before the options select the jobs; changes.c has the options.
 */
#include "cmd/actl/update.h"

#include "client/known.h"
#include "cmd/actl/changes.h"
#include "cmd/actl/paged_request.h"
#include "cmd/actl/select.h"
#include "cmd/common/command.h"
#include "util/mem.h"
#include "util/plural.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

static const struct opt_table *const tables[] = {&changes_options, &command_options, NULL};

static int report(const struct tally *t, struct err *err)
{
	if (t->done)
		printf("Updated %" PRIu64 " job%s\n", t->done, plural(t->done, "", "s"));
	if (t->absent < 0)
		return t->absent;
	if (t->denied)
		return paged_request_denied(t, err);
	if (t->refused)
		return err_set(err, -EBADE, "%" PRIu64 " job%s not changed", t->refused,
			       plural(t->refused, " was", "s were"));
	return t->done ? 0 : err_set(err, -ENOENT, "there are no such jobs");
}

static int send_request(struct connection *c, const struct changes *u, const struct filter *f,
			struct err *err)
{
	Armada__UpdateJobRequest q;
	struct tally t;
	int rc;

	changes_request(u, f, &q);
	rc = paged_request_ask(c, &paged_update, &q, &t, err);
	return rc < 0 ? rc : paged_request_end(&t, report(&t, err), err);
}

/* Words before "--" select the jobs, those after it are a command. */
static int parse(struct changes *u, int argc, char **argv, const char **operands, size_t *ret_count,
		 struct err *err)
{
	struct opt_parser p = {.tables = tables, .argv = argv, .argc = argc, .next = 1};
	const struct opt *o;
	const char *value, **words = arena_zalloc(u->spec.arena, (size_t)argc + 1, sizeof(*words));
	size_t word_count = 0;
	int rc;

	while ((rc = opt_next(&p, &o, &value, err)) > 0) {
		if (rc == OPT_OPTION) {
			rc = opt_set(o, u, value, err);
			if (rc < OPT_ERRNO_LEAST)
				return rc;
			if (rc < 0)
				return err_prefix(err, -EINVAL, "%s", p.shown);
		} else if (p.after_dashes) {
			words[word_count++] = value;
		} else {
			operands[(*ret_count)++] = value;
		}
	}
	changes_words(u, words, word_count);
	return rc;
}

static int run_with(struct changes *u, int argc, char **argv, struct err *err)
{
	const char **operands = arena_zalloc(u->spec.arena, (size_t)argc + 1, sizeof(*operands));
	struct connection *c = NULL;
	struct filter f;
	size_t count = 0;
	int rc;

	filter_init(&f);
	rc = parse(u, argc, argv, operands, &count, err);
	if (rc == 0 && !count)
		rc = err_set(
			err, -EINVAL,
			"usage: actl update ID|queue=NAME|job-set=NAME|user=NAME... option...");
	if (rc == 0)
		rc = actl_select(&f, operands, count, err);
	if (rc == 0)
		rc = changes_finish(u, err);
	if (rc == 0)
		rc = connection_new(&c, NULL, err);
	if (rc == 0)
		rc = changes_program(u, connection_conf(c), err);
	if (rc == 0)
		rc = known_check(c, &f, NULL, NULL, err);
	if (rc == 0)
		rc = send_request(c, u, &f, err);
	connection_free(c);
	filter_done(&f);
	return rc;
}

int actl_update(int argc, char **argv, struct err *err)
{
	struct changes u;
	int rc;

	changes_init(&u);
	rc = run_with(&u, argc, argv, err);
	changes_done(&u);
	return rc;
}
