#include "armd/launcher/network_out.h"

#include "armd/pipe/io.h"

#include "util/clock.h"

#include <stdio.h>

/* A network process that is so slow learns of steps when it registers next. */
enum { STEPS_WAITING_MAX = 4096 };

static void send_message(struct launcher *l)
{
	/* NULL after its death: the next one asks for the inventory. */
	if (l->pipe)
		pipe_send(l->pipe, &l->out);
}

void launcher_send_hello(struct launcher *l)
{
	l->out.type = PIPE_HELLO;
	l->out.hello = *ledger_meta(l->ledger);
	send_message(l);
	l->hello_due = false;
}

void launcher_send_health(struct launcher *l, const char *text)
{
	l->out.type = PIPE_HEALTH;
	snprintf(l->out.problem.text, sizeof(l->out.problem.text), "%s", text);
	send_message(l);
}

void launcher_send_cpus(struct launcher *l, const char *text)
{
	l->out.type = PIPE_CPUS;
	snprintf(l->out.problem.text, sizeof(l->out.problem.text), "%s", text);
	send_message(l);
}

void launcher_send_shutdown(struct launcher *l)
{
	l->out.type = PIPE_SHUTDOWN;
	send_message(l);
}

void launcher_send_problem(struct launcher *l, enum pipe_about about, const char *text)
{
	l->out.type = PIPE_PROBLEM;
	l->out.problem.about = about;
	snprintf(l->out.problem.text, sizeof(l->out.problem.text), "%s", text);
	send_message(l);
}

void launcher_send_stamp(struct launcher *l)
{
	l->out.type = PIPE_STAMP;
	stamp_make(l->stamp_key, clock_us(CLOCK_BOOTTIME), l->out.stamp);
	send_message(l);
}

void launcher_send_report(struct launcher *l, const Armada__Report *report)
{
	size_t len = armada__report__get_packed_size(report);

	if (!l->pipe || len > PIPE_REPORT_MAX)
		return;
	l->out.type = PIPE_REPORT;
	l->out.report.len = (uint32_t)armada__report__pack(report, l->out.report.packed);
	send_message(l);
}

void launcher_send_inventory_end(struct launcher *l, uint64_t number)
{
	l->out.type = PIPE_INVENTORY_END;
	l->out.number = number;
	send_message(l);
}

void launcher_send_usage(struct launcher *l, const struct task_key *key, const struct task_usage *u)
{
	if (!l->pipe || pipe_waiting(l->pipe))
		return;
	l->out.type = PIPE_USAGE;
	l->out.usage = (struct pipe_usage){.key = *key, .used = *u};
	send_message(l);
}

void launcher_send_step(struct launcher *l, const struct task_key *key,
			const struct step_state *state)
{
	if (!l->pipe || pipe_waiting(l->pipe) >= STEPS_WAITING_MAX)
		return;
	l->out.type = PIPE_STEP;
	l->out.step = (struct pipe_step){.key = *key, .state = *state};
	send_message(l);
}

void launcher_send_output(struct launcher *l, uint64_t number, int fd)
{
	l->out.type = PIPE_OUTPUT;
	l->out.number = number;
	l->out.output.body_fd = fd;
	send_message(l);
	l->out.number = 0;
}
