/*
 * actl show output: a part of an output file of a job, as the node of the task reads it.
 *
 * Input: an id, and the options of the table. Output: the bytes of the file. If they are not the whole
 * file, a sentence on standard error says which part they are.
 */
#include "cmd/actl/output.h"

#include "client/filter.h"
#include "proto/order.h"
#include "util/mem.h"
#include "util/units.h"
#include "util/visible.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

static const struct opt rows[] = {
	{"error", "stderr", 'e', NULL, OPT_FLAG(struct actl, output.error),
	 "The file of standard error instead of that of standard output"},
	{"task", NULL, 0, "N", OPT_INT(struct actl, output.task, 0, UINT32_MAX),
	 "The file of the task with this rank (default: 0)"},
	{"tail", NULL, 0, "SIZE",
	 OPT_SIZE(struct actl, output.tail, 1, "must be at least one byte"),
	 "The last bytes of the file, at most 1M (default: 64K)"},
	{"offset", NULL, 0, "SIZE",
	 OPT_SIZE(struct actl, output.offset, 1, "must be at least one byte"),
	 "The bytes after this many, instead of the last ones"},
	{"length", NULL, 0, "SIZE",
	 OPT_SIZE(struct actl, output.limit, 1, "must be at least one byte"),
	 "From the begin of the file or from --offset, at most so many bytes, at most 1M"},
};

const struct opt_table output_options = {"show output", rows, ARRAY_SIZE(rows)};

bool output_options_given(const struct actl *a)
{
	return a->output.error || a->output.task || a->output.tail || a->output.offset ||
	       a->output.limit;
}

static int fill(const struct actl *a, Armada__OutputRequest *q, struct err *err)
{
	int64_t bytes = a->output.tail ? a->output.tail : a->output.limit;
	bool has_element = false;
	int rc;

	if (a->output.tail && (a->output.offset || a->output.limit))
		return err_set(err, -EINVAL, "--tail excludes --offset and --length");
	if (bytes > OUTPUT_READ_MAX)
		return err_set(err, -EINVAL, "%s: at most 1M is read at once",
			       a->output.tail ? "--tail" : "--length");
	q->task = (uint32_t)a->output.task;
	q->error = a->output.error;
	q->from_offset = a->output.offset || a->output.limit;
	q->offset = (uint64_t)a->output.offset;
	q->limit = (uint32_t)bytes;
	rc = job_id_parse(a->args[0], &q->job, &has_element, &q->element, err);
	q->has_element = has_element;
	return rc;
}

/* As it is; on a terminal only what can be shown. */
static void print(const Armada__OutputReply *r)
{
	CLEANUP_BUF struct buf shown = {0};

	if (isatty(STDOUT_FILENO))
		visible_add_bytes(&shown, r->data.data, r->data.len, true);
	else
		buf_add(&shown, r->data.data, r->data.len);
	if (shown.len)
		fwrite(shown.data, 1, shown.len, stdout);
	if (r->data.len == r->size)
		return;
	fflush(stdout);
	fprintf(stderr,
		"actl: bytes %" PRIu64 " to %" PRIu64 " of %" PRIu64
		" of %s on node %s; --offset and --length show others\n",
		r->offset, r->offset + r->data.len, r->size, r->path, r->node);
}

int actl_show_output(struct actl *a, struct err *err)
{
	Armada__OutputRequest q = ARMADA__OUTPUT_REQUEST__INIT;
	const Armada__OutputReply *r;
	int rc = fill(a, &q, err);

	if (rc == 0)
		rc = connection_ask(a->c, MSG_OUTPUT, &q, MSG_OUTPUT_REPLY, a->arena, 0, &r, err);
	if (rc == 0)
		print(r);
	return rc;
}
