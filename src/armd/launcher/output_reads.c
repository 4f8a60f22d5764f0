/*
 * Runs the processes that read output files (output_reads.h). Input: orders that the ledger has let
 * pass, ends of children, time. Output: one PIPE_OUTPUT for each order.
 */
#include "armd/launcher/output_reads.h"

#include "armd/launcher/network_out.h"
#include "armd/launcher/output_file.h"
#include "armd/launcher/user_rules.h"
#include "armd/pipe/body.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_REFUSED = 1, EXIT_TRY_AGAIN = 75 };

static void answer_problem(struct launcher *l, uint64_t number, int code, const char *text)
{
	Armada__OutputRead r = ARMADA__OUTPUT_READ__INIT;
	CLEANUP_BUF struct buf packed = {0};
	CLEANUP_CLOSE int fd = -1;
	struct err err;

	r.problem = (char *)(uintptr_t)text;
	r.code = code;
	msg_pack(&r, &packed);
	fd = pipe_body_new(packed.data, packed.len, &err);
	if (fd >= 0)
		launcher_send_output(l, number, fd);
}

static struct output_read *find_free(struct launcher *l)
{
	for (size_t i = 0; i < OUTPUT_READS; i++)
		if (!l->reads[i].pid)
			return &l->reads[i];
	return NULL;
}

static int start(struct launcher *l, struct output_read *r, const struct received_order *o,
		 const struct order *order, struct err *err)
{
	struct output_file f = {.order = *order,
				.body = o->body,
				.len = o->len,
				.node_name = l->config->node_name,
				.groups_of_controller = l->config->groups_of_controller,
				.launcher = getpid()};
	CLEANUP_CLOSE int fd = -1;
	pid_t pid;

	if (!launcher_user_allowed(l, order, err))
		return -EACCES;
	fd = f.fd = pipe_body_open(err);
	if (fd < 0)
		return fd;
	pid = fork();
	if (pid == 0)
		output_file_child(&f);
	if (pid < 0)
		return err_sys(err, -errno, "cannot fork");
	*r = (struct output_read){.number = order->number,
				  .pid = pid,
				  .fd = fd,
				  .until_us = clock_us(CLOCK_BOOTTIME) + OUTPUT_READ_US};
	fd = -1;
	return 0;
}

void launcher_read_output(struct launcher *l, const struct received_order *o)
{
	struct output_read *r = find_free(l);
	struct err err = {{0}};
	struct order order;

	if (!order_decode(o->bytes, &order))
		return;
	if (!r) {
		err_set(&err, -EAGAIN, "node %s reads %d output files already: try again",
			l->config->node_name, OUTPUT_READS);
		answer_problem(l, order.number, EXIT_TRY_AGAIN, err.text);
	} else if (start(l, r, o, &order, &err) < 0) {
		answer_problem(l, order.number, EXIT_REFUSED, err.text);
	}
}

static void send_result(struct launcher *l, const struct output_read *r, int status)
{
	struct err err;

	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		answer_problem(l, r->number, EXIT_REFUSED, "the process that reads it was killed");
	else if (pipe_body_seal(r->fd, &err) < 0)
		answer_problem(l, r->number, EXIT_REFUSED, err.text);
	else
		launcher_send_output(l, r->number, r->fd);
}

bool launcher_output_reaped(struct launcher *l, pid_t pid, int status)
{
	for (size_t i = 0; i < OUTPUT_READS; i++) {
		struct output_read *r = &l->reads[i];

		if (r->pid != pid)
			continue;
		if (r->until_us)
			send_result(l, r, status);
		close_fd(&r->fd);
		*r = (struct output_read){.fd = -1};
		return true;
	}
	return false;
}

void launcher_output_tick(struct launcher *l)
{
	int64_t now_us = clock_us(CLOCK_BOOTTIME);
	struct err err;

	for (size_t i = 0; i < OUTPUT_READS; i++) {
		struct output_read *r = &l->reads[i];

		if (!r->pid || !r->until_us || now_us < r->until_us)
			continue;
		kill(r->pid, SIGKILL); /* a child, not yet reaped */
		r->until_us = 0;
		err_set(&err, -ETIMEDOUT, "node %s could not read the file within %s",
			l->config->node_name, duration_words(OUTPUT_READ_US).text);
		answer_problem(l, r->number, EXIT_TRY_AGAIN, err.text);
	}
}

int64_t launcher_output_due(const struct launcher *l)
{
	int64_t first = 0;

	for (size_t i = 0; i < OUTPUT_READS; i++) {
		int64_t at_us = l->reads[i].pid ? l->reads[i].until_us : 0;

		if (at_us && (!first || at_us < first))
			first = at_us;
	}
	return first;
}

void launcher_output_stop(struct launcher *l)
{
	for (size_t i = 0; i < OUTPUT_READS; i++) {
		if (l->reads[i].pid)
			kill(l->reads[i].pid, SIGKILL);
		close_fd(&l->reads[i].fd);
	}
}
