/*
 * GET /v1/jobs/{id}/output: a part of an output file of a job, as actl show output.
 *
 * Input: stream, task, and tail or offset and limit. Output: the bytes of the file, and headers that
 * say which part they are. The node of the task reads the file, as the owner of the job; the gateway
 * opens none.
 */
#include "armrestd/routes.h"
#include "armrestd/selection.h"

#include "proto/order.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int read_stream(const struct exchange *x, bool *ret_error, struct err *err)
{
	const char *stream = exchange_query(x, "stream");

	*ret_error = stream && strcmp(stream, "stderr") == 0;
	if (stream && !*ret_error && strcmp(stream, "stdout") != 0)
		return err_set(err, -EINVAL, "stream: expected stdout or stderr");
	return 0;
}

static int read_part(const struct exchange *x, Armada__OutputRequest *q, struct err *err)
{
	int64_t task = 0, tail = 0, offset = -1, limit = 0;
	int rc = exchange_number(x, "task", 0, UINT32_MAX, &task, err);

	if (rc == 0)
		rc = exchange_number(x, "tail", 1, OUTPUT_READ_MAX, &tail, err);
	if (rc == 0)
		rc = exchange_number(x, "offset", 0, INT64_MAX, &offset, err);
	if (rc == 0)
		rc = exchange_number(x, "limit", 1, OUTPUT_READ_MAX, &limit, err);
	if (rc < 0)
		return rc;
	if (tail && (offset >= 0 || limit))
		return err_set(err, -EINVAL, "tail excludes offset and limit");
	q->task = (uint32_t)task;
	q->from_offset = offset >= 0 || limit;
	q->offset = offset > 0 ? (uint64_t)offset : 0;
	q->limit = (uint32_t)(tail ? tail : limit);
	return 0;
}

int job_output(struct exchange *x, struct err *err)
{
	Armada__OutputRequest q = ARMADA__OUTPUT_REQUEST__INIT;
	const Armada__OutputReply *r;
	bool error = false, has;
	int rc = selection_id(x, &q.job, &has, &q.element, err);

	if (rc == 0)
		rc = read_stream(x, &error, err);
	if (rc == 0)
		rc = read_part(x, &q, err);
	if (rc < 0)
		return rc;
	q.has_element = has;
	q.error = error;
	rc = exchange_ask(x, MSG_OUTPUT, &q, MSG_OUTPUT_REPLY, &r, err);
	if (rc < 0)
		return rc;
	if (r->data.len)
		buf_add(&x->text, r->data.data, r->data.len);
	x->type = "application/octet-stream";
	snprintf(x->offset, sizeof(x->offset), "%" PRIu64, r->offset);
	snprintf(x->size, sizeof(x->size), "%" PRIu64, r->size);
	return 0;
}
