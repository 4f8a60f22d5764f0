/*
 * The loop of the launcher (launcher.h). Input: signals, notices of shepherds, the result of a
 * credential, messages of the network process, health checks, and time. Output: the exit status of
 * the process.
 *
 * In each iteration the inputs go into the ledger, and then its effects are applied (effects.c). A
 * fatal error is a spool that cannot be written: the launcher exits, tasks continue, and the next
 * launcher reads the spool.
 */
#include "armd/launcher/launcher.h"

#include "armd/launcher/cpus.h"
#include "armd/launcher/effects.h"
#include "armd/launcher/health.h"
#include "armd/launcher/load.h"
#include "armd/launcher/network.h"
#include "armd/launcher/network_out.h"
#include "armd/launcher/orders.h"
#include "armd/launcher/output_reads.h"
#include "armd/launcher/reboot.h"
#include "armd/launcher/shutdown.h"
#include "armd/launcher/tasks.h"
#include "armd/pipe/io.h"
#include "util/clock.h"
#include "util/log_peer.h"
#include "util/mem.h"
#include "util/reap.h"

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sodium.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static int open_signals(struct err *err)
{
	sigset_t mask;
	int fd;

	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGHUP);
	sigaddset(&mask, SIGUSR1);
	sigaddset(&mask, SIGUSR2);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	fd = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
	return fd < 0 ? err_sys(err, -errno, "signalfd") : fd;
}

static int probe_contain(struct launcher *l, struct err *err)
{
	struct armada_error text = {{0}};
	int rc = l->contain->probe(l->config->contain->values, &text);

	return rc < 0 ? err_set(err, rc, "%s", text.text) : 0;
}

static int start(struct launcher *l, struct err *err)
{
	int rc = sodium_init() < 0 ? err_set(err, -EIO, "libsodium cannot be initialized") : 0;

	randombytes_buf(l->stamp_key, sizeof(l->stamp_key));
	if (rc == 0)
		rc = spool_open(&l->spool, l->config->spool_dir, err);
	if (rc < 0)
		return rc;
	rc = probe_contain(l, err);
	if (rc < 0)
		return rc;
	launcher_cpus_init(l);
	/* Load the libraries for user lookups once here, and not in every shepherd. */
	getpwuid(geteuid());
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	l->signals = open_signals(err);
	if (l->signals < 0)
		return l->signals;
	l->notify = control_listen(&l->spool, err);
	if (l->notify < 0)
		return l->notify;
	return launcher_load(l, err);
}

static void reap(struct launcher *l)
{
	pid_t pid;
	int status;

	while ((pid = reap_ended(&status)) > 0) {
		launcher_health_reaped(l, pid);
		if (pid == l->reboot) {
			launcher_reboot_ended(l, status);
			continue;
		}
		if (launcher_output_reaped(l, pid, status))
			continue;
		if (pid != l->network) {
			launcher_child_died(l, pid);
			continue;
		}
		if (WIFSIGNALED(status))
			log_warn("the network process was killed by signal %d", WTERMSIG(status));
		else if (WEXITSTATUS(status) != 0)
			log_warn("the network process ended with status %d", WEXITSTATUS(status));
		launcher_network_died(l);
	}
}

/* The network process is a child with levels of its own. */
static void change_levels(struct launcher *l, int number)
{
	log_levels_on_signal(number);
	if (l->network)
		kill(l->network, number);
	log_notice("SIGUSR%d: the log has %s", number == SIGUSR1 ? 1 : 2,
		   number == SIGUSR1 ? "all messages, to level debug" : "its level of before");
}

static void receive_signals(struct launcher *l)
{
	struct signalfd_siginfo info;

	while (read(l->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (info.ssi_signo == SIGHUP)
			log_notice("SIGHUP ignored: armd reads its configuration only at startup");
		else if (info.ssi_signo == SIGUSR1 || info.ssi_signo == SIGUSR2)
			change_levels(l, (int)info.ssi_signo);
		else if (info.ssi_signo != SIGCHLD)
			l->ending = true;
}

static int wait_ms(const struct launcher *l)
{
	const int64_t at[] = {
		l->next_tick_us,
		l->network ? 0 : l->respawn_at_us,
		l->credential.fd >= 0 ? l->credential.until_us : 0,
		l->health.next_us,
		l->health.room_us,
		l->cpus.fd >= 0 ? l->cpus.next_us : 0,
		l->sweep.fd < 0 ? l->sweep_us : 0,
		launcher_output_due(l),
	};
	int64_t first = 0, left;

	for (size_t i = 0; i < ARRAY_SIZE(at); i++)
		if (at[i] && (first == 0 || at[i] < first))
			first = at[i];
	if (!l->network && !l->respawn_at_us)
		return 0; /* before the first start of the network process */
	if (first == 0)
		return -1;
	left = (first - clock_us(CLOCK_BOOTTIME) + 999) / 1000;
	return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

enum { FDS = 4 + HEALTH_FDS };

static void wait_for_something(struct launcher *l, struct pollfd fds[FDS])
{
	short pipe_events = launcher_reads_network(l) ? POLLIN : 0;

	if (l->pipe && pipe_waiting(l->pipe) > 0)
		pipe_events |= POLLOUT;
	fds[0] = (struct pollfd){.fd = l->signals, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = l->notify, .events = POLLIN};
	fds[2] = (struct pollfd){.fd = l->credential.fd, .events = POLLIN};
	fds[3] = (struct pollfd){.fd = l->pipe ? pipe_fd(l->pipe) : -1, .events = pipe_events};
	launcher_health_poll(l, fds + 4);
	poll(fds, FDS, wait_ms(l));
}

static void step(struct launcher *l)
{
	struct pollfd fds[FDS];

	arena_clear(l->arena);
	l->effects = (struct ledger_effects){.arena = l->arena};
	wait_for_something(l, fds);
	/* The notices of a shepherd come before its death: what it told of its steps counts. */
	if (fds[0].revents || fds[1].revents)
		launcher_receive_notices(l);
	if (fds[0].revents) {
		receive_signals(l);
		reap(l);
	}
	if (l->credential.fd >= 0 &&
	    (fds[2].revents || clock_us(CLOCK_BOOTTIME) >= l->credential.until_us))
		launcher_receive_credential(l);
	if (fds[3].revents)
		launcher_receive_network(l);
	log_peer_tick();
	launcher_health_step(l, fds + 4);
	launcher_cpus_tick(l);
	launcher_output_tick(l);
	launcher_tick(l);
	launcher_apply_effects(l);
	launcher_forget_orders(l);
	if (l->hello_due) {
		launcher_send_hello(l);
		launcher_health_send(l);
		launcher_cpus_send(l);
	}
	if (!l->network && clock_us(CLOCK_BOOTTIME) >= l->respawn_at_us)
		launcher_start_network(l);
}

static void release(struct launcher *l)
{
	launcher_health_stop(l);
	launcher_output_stop(l);
	launcher_stop_network(l);
	launcher_forget_orders(l);
	pipe_free(l->pipe);
	close_fd(&l->credential.fd);
	close_fd(&l->signals);
	close_fd(&l->notify);
	close_fd(&l->cpus.fd);
	ledger_free(l->ledger);
	arena_free(l->arena);
	spool_close(&l->spool);
	free(l->orders);
	free(l->live);
	for (size_t i = 0; i < l->step_count; i++)
		close(l->steps[i].fd);
	free(l->steps);
	free(l);
}

int launcher_main(const struct launcher_config *config)
{
	struct launcher *l = xcalloc(1, sizeof(*l));
	int status = 0;

	l->config = config;
	l->contain = config->contain->ops;
	l->arena = arena_new(0);
	l->effects.arena = l->arena;
	l->respawn_at_us = clock_us(CLOCK_BOOTTIME);
	l->signals = l->notify = l->credential.fd = l->cpus.fd = -1;
	for (size_t i = 0; i < OUTPUT_READS; i++)
		l->reads[i].fd = -1;
	launcher_health_init(l);
	l->spool.dir = l->spool.tasks = l->spool.scripts = l->spool.lock = l->spool.lease = -1;
	if (start(l, &l->fatal) == 0) {
		if (config->on_ready)
			config->on_ready(config->start_arg);
		while (!launcher_may_exit(l) && !l->fatal.text[0])
			step(l);
	}
	if (l->fatal.text[0]) {
		log_error("%s", l->fatal.text);
		status = 1;
	}
	release(l);
	return status;
}
