/*
 * The health of the node: the health check of the site, free space in the spool, and epilogs of
 * jobs whose shepherds were killed. Input: the results of child processes, and time. Output: one
 * text for the network process; an empty text means that the node is healthy.
 *
 * Each cause has its own text (check, unkillable task, full spool, failed epilog); the first that
 * is not empty is sent. Nothing is sent before the first health check has ended.
 */
#define LOG_AREA LOG_AREA_NODE
#include "armd/launcher/health.h"

#include "armd/launcher/network_out.h"
#include "armd/spool/disk_reserve.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/mem.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { SWEEP_AGAIN_US = 60000000, ROOM_AGAIN_US = 5000000 };

static const struct hooks nothing;

static const struct hooks *hooks_of(const struct launcher *l)
{
	return l->config->hooks ? l->config->hooks : &nothing;
}

void launcher_health_init(struct launcher *l)
{
	bool checks = hooks_of(l)->health_check.argc > 0;

	l->health.run.fd = l->sweep.fd = -1;
	l->health.next_us = checks ? clock_us(CLOCK_BOOTTIME) : 0;
	l->health.known = !checks;
	l->sweep_us = clock_us(CLOCK_BOOTTIME);
}

void launcher_health_send(struct launcher *l)
{
	const char *text = l->health.text[0]    ? l->health.text
			   : l->health.stuck[0] ? l->health.stuck
			   : l->health.full[0]  ? l->health.full
						: l->health.lost;

	if (l->health.known || *text)
		launcher_send_health(l, text);
}

static void set_problem(char known[HOOK_TEXT], const char *text)
{
	if (strcmp(known, text) == 0)
		return;
	if (*text)
		log_warn("this node is unhealthy: %s", text);
	else
		log_notice("this node is healthy again");
	snprintf(known, HOOK_TEXT, "%s", text);
}

void launcher_health_stuck(struct launcher *l, const char *text)
{
	set_problem(l->health.stuck, text);
	launcher_health_send(l);
}

void launcher_health_full(struct launcher *l)
{
	l->health.room_us = clock_us(CLOCK_BOOTTIME);
}

/* Hysteresis: the spool is full below one reserve, and has room again above two. */
static void check_room(struct launcher *l)
{
	bool was = l->health.full[0];
	uint64_t room = spool_free_bytes(&l->spool);
	char text[HOOK_TEXT] = "";

	if (room < SPOOL_RESERVE_BYTES * (was ? 2 : 1))
		snprintf(text, sizeof(text), "the disk of node %s's spool is full",
			 l->config->node_name);
	l->health.room_us = text[0] ? clock_us(CLOCK_BOOTTIME) + ROOM_AGAIN_US : 0;
	if (was == (text[0] != '\0'))
		return;
	set_problem(l->health.full, text);
	if (!text[0])
		disk_reserve_fill(&l->spool);
	launcher_health_send(l);
}

static void begin_check(struct launcher *l)
{
	struct hook_env *e = hook_env_new();
	struct err err = {{0}};

	hook_env_set(e, "ARMADA_HOOK", "health_check");
	hook_env_set(e, "ARMADA_NODE_NAME", "%s", l->config->node_name);
	l->health.next_us = 0;
	if (hook_start(&hooks_of(l)->health_check, e, NULL, NULL, &l->health.run, &err) < 0) {
		set_problem(l->health.text, err.text);
		l->health.known = true;
		l->health.next_us = clock_us(CLOCK_BOOTTIME) + hooks_of(l)->health_interval_us;
		launcher_health_send(l);
	}
	hook_env_free(e);
}

static void end_check(struct launcher *l)
{
	struct err err = {{0}};

	hook_end(&l->health.run, &err);
	set_problem(l->health.text, err.text);
	l->health.known = true;
	l->health.next_us = clock_us(CLOCK_BOOTTIME) + hooks_of(l)->health_interval_us;
	launcher_health_send(l);
}

static _Noreturn void sweep(const struct launcher *l, int fd)
{
	struct err err = {{0}};
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	job_sweep(&l->spool, hooks_of(l), &err);
	n = write(fd, err.text, strlen(err.text) + 1);
	_exit(n > 0 ? 0 : 1);
}

/* A child runs the epilogs, because it waits for them. */
static void begin_sweep(struct launcher *l)
{
	int fds[2];

	l->sweep_us = 0;
	if (faccessat(l->spool.tasks, "../jobs", F_OK, 0) < 0 || pipe2(fds, O_CLOEXEC) < 0)
		return;
	l->sweep.pid = fork();
	if (l->sweep.pid == 0)
		sweep(l, fds[1]);
	close(fds[1]);
	l->sweep.fd = fds[0];
	if (l->sweep.pid < 0)
		close_fd(&l->sweep.fd);
}

static void end_sweep(struct launcher *l)
{
	struct err err = {{0}};

	if (hook_end(&l->sweep, &err) < 0)
		l->sweep_us = clock_us(CLOCK_BOOTTIME) + SWEEP_AGAIN_US;
	set_problem(l->health.lost, err.text);
	launcher_health_send(l);
}

void launcher_health_poll(const struct launcher *l, struct pollfd fds[HEALTH_FDS])
{
	fds[0] = (struct pollfd){.fd = l->health.run.fd, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = l->sweep.fd, .events = POLLIN};
}

void launcher_health_step(struct launcher *l, const struct pollfd fds[HEALTH_FDS])
{
	if (l->health.run.fd >= 0 && fds[0].revents)
		end_check(l);
	if (l->sweep.fd >= 0 && fds[1].revents)
		end_sweep(l);
	if (l->health.run.fd < 0 && l->health.next_us &&
	    clock_us(CLOCK_BOOTTIME) >= l->health.next_us)
		begin_check(l);
	if (l->health.room_us && clock_us(CLOCK_BOOTTIME) >= l->health.room_us)
		check_room(l);
	if (l->sweep.fd < 0 && l->sweep_us && clock_us(CLOCK_BOOTTIME) >= l->sweep_us)
		begin_sweep(l);
}

/* The loop has reaped this child: forget its pid, which another process may get. */
void launcher_health_reaped(struct launcher *l, pid_t pid)
{
	if (l->health.run.pid == pid)
		l->health.run.pid = 0;
	if (l->sweep.pid == pid)
		l->sweep.pid = 0;
}

void launcher_health_stop(struct launcher *l)
{
	struct hook_run *all[] = {&l->health.run, &l->sweep};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (all[i]->pid > 0)
			kill(all[i]->pid, SIGKILL);
		close_fd(&all[i]->fd);
	}
}
