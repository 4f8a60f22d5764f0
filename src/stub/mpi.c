/*
 * The mpi plugin of a stub (mpi.h). Input: frames of arun, events of the plugin's descriptor, the end of the
 * program. Output: variables and a descriptor for the program, frames FENCE and ABORT.
 *
 * Caveat: what arun sends is kept until FENCED, at most ARMADA_MPI_FENCED_MAX bytes.
 */
#include "stub/mpi.h"

#include "plugin/plugin.h"
#include "util/le.h"
#include "util/mem.h"

#include <armada/mpi.h>

#include <errno.h>
#include <string.h>

enum { BLOCK = 12 };

struct stub_mpi {
	const struct payload *p;
	struct stream *stream;
	struct plugin plugin;
	const struct armada_mpi_ops *ops; /* NULL: the plugin could not be loaded: why */
	struct err why;
	struct armada_mpi_host host;
	void *handle; /* NULL: not open */
	struct armada_mpi_block *blocks;
	size_t block_count;
	char **envp;
	struct buf merged;
	bool aborted; /* arun knows */
};

static void send_fence(void *ctx, const void *data, size_t len)
{
	struct stub_mpi *m = ctx;
	const uint8_t *at = data;
	uint8_t body[STREAM_DATA_MAX];

	do {
		size_t part = len < sizeof(body) - 1 ? len : sizeof(body) - 1;

		body[0] = part == len;
		if (part)
			memcpy(body + 1, at, part);
		stream_send(m->stream, STREAM_FENCE, body, part + 1);
		at += part;
		len -= part;
	} while (!body[0]);
}

static void send_abort(void *ctx, int code, const char *why)
{
	struct stub_mpi *m = ctx;
	uint8_t body[4 + STREAM_TEXT_MAX];
	size_t len = strnlen(why, STREAM_TEXT_MAX);

	if (m->aborted)
		return;
	m->aborted = true;
	le_put(body, (uint32_t)code, 4);
	memcpy(body + 4, why, len);
	stream_send(m->stream, STREAM_ABORT, body, 4 + len);
}

struct stub_mpi *stub_mpi_new(const struct payload *p, const char *plugin_dir, struct stream *s)
{
	struct stub_mpi *m = xcalloc(1, sizeof(*m));

	m->p = p;
	m->stream = s;
	m->host = (struct armada_mpi_host){m, send_fence, send_abort};
	if (plugin_load(&m->plugin, plugin_dir, ARMADA_PLUGIN_MPI, p->message->mpi, &m->why) == 0)
		m->ops = m->plugin.ops;
	return m;
}

void stub_mpi_free(struct stub_mpi *m)
{
	if (!m)
		return;
	if (m->handle)
		m->ops->close(m->handle);
	if (m->ops)
		plugin_free(&m->plugin);
	free(m->blocks);
	free(m->envp);
	buf_done(&m->merged);
	free(m);
}

static bool same_name(const char *a, const char *b)
{
	size_t len = strcspn(a, "=");

	return strncmp(a, b, len) == 0 && b[len] == '=';
}

/* The environment of the plan with the variables of the plugin in the place of those of the same name. */
static void add_variables(struct stub_mpi *m, struct child_plan *plan)
{
	const char *const *more = m->ops->environment(m->handle);
	size_t count = 0, added = 0, kept = 0;

	while (plan->envp[count])
		count++;
	while (more[added])
		added++;
	m->envp = xcalloc(count + added + 1, sizeof(*m->envp));
	for (size_t i = 0; i < count; i++) {
		bool replaced = false;

		for (size_t k = 0; k < added; k++)
			replaced |= same_name(more[k], plan->envp[i]);
		if (!replaced)
			m->envp[kept++] = plan->envp[i];
	}
	for (size_t k = 0; k < added; k++)
		m->envp[kept++] = (char *)(uintptr_t)more[k];
	plan->envp = m->envp;
}

int stub_mpi_open(struct stub_mpi *m, struct child_plan *plan, struct err *err)
{
	const struct armada_mpi_rank rank = {m->p->hello.rank, m->p->hello.tasks,
					     m->p->message->mpi_step, m->blocks, m->block_count};
	struct armada_error why = {""};
	int rc;

	if (!m->ops)
		return err_set(err, -ENOEXEC, "cannot start MPI: %s", m->why.text);
	rc = m->ops->open(&m->handle, &rank, &m->host, &why);
	if (rc < 0) {
		m->handle = NULL;
		return err_set(err, rc, "cannot start MPI: %s: %s", m->p->message->mpi, why.text);
	}
	add_variables(m, plan);
	plan->inherited = m->ops->program_fd(m->handle);
	return 0;
}

void stub_mpi_started(struct stub_mpi *m)
{
	if (m->handle)
		m->ops->started(m->handle);
}

int stub_mpi_poll_fd(struct stub_mpi *m, short *ret_events)
{
	return m->ops->poll_fd(m->handle, ret_events);
}

void stub_mpi_ready(struct stub_mpi *m)
{
	m->ops->ready(m->handle);
}

static int take_nodes(struct stub_mpi *m, const struct stream_frame *f)
{
	size_t count = f->len / BLOCK;

	if (m->handle || m->blocks || f->len % BLOCK)
		return -EPROTO;
	m->blocks = xcalloc(count, sizeof(*m->blocks));
	m->block_count = count;
	for (size_t i = 0; i < count; i++) {
		const uint8_t *at = f->body + i * BLOCK;

		m->blocks[i] = (struct armada_mpi_block){(uint32_t)le_get(at, 4),
							 (uint32_t)le_get(at + 4, 4),
							 (uint32_t)le_get(at + 8, 4)};
	}
	return 0;
}

int stub_mpi_receive(struct stub_mpi *m, const struct stream_frame *f)
{
	if (f->type == STREAM_NODES)
		return take_nodes(m, f);
	if (!m->handle || m->merged.len + f->len > ARMADA_MPI_FENCED_MAX)
		return -EPROTO;
	buf_add(&m->merged, f->body, f->len);
	if (f->type == STREAM_FENCED) {
		m->ops->fenced(m->handle, m->merged.data, m->merged.len);
		buf_done(&m->merged);
	}
	return 0;
}

void stub_mpi_ended(struct stub_mpi *m, int exit_code)
{
	if (m->handle && m->ops->ended(m->handle) == 1)
		send_abort(m, exit_code ? exit_code : 1, "it ended without MPI_Finalize");
}
