/*
 * The process of a notify plugin (notify_helper.h), both sides of its socket.
 *
 * A message is a length of four bytes and as many bytes. To the process: the JSON object, address, subject
 * and text of an end, each with a NUL. From it: an empty message (open, or accepted), or an error.
 */
#include "armctld/notify_helper.h"

#include "plugin/plugin.h"
#include "util/buf.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/program.h"
#include "util/units.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER_MAX = 1024, MESSAGE_MAX = 4 << 20, PARTS = 4, HELPER_ARGS = 5 };

/* Limits of the process and of its programs. The user has so many processes in all. */
enum { FILES_MAX = 1024, PROCESSES_MAX = 4096 };

/* Everything, or a negative code: -ETIME at the time limit. until_us 0: none. */
static int transfer(int fd, void *data, size_t len, bool out, int64_t until_us)
{
	for (size_t done = 0; done < len;) {
		struct pollfd p = {.fd = fd, .events = out ? POLLOUT : POLLIN};
		int64_t left_us = until_us ? until_us - clock_us(CLOCK_MONOTONIC) : -1000;
		ssize_t n;

		if (until_us && left_us <= 0)
			return -ETIME;
		if (poll(&p, 1, (int)(left_us / 1000) + (until_us != 0)) == 0)
			continue;
		n = out ? send(fd, (char *)data + done, len - done, MSG_NOSIGNAL)
			: recv(fd, (char *)data + done, len - done, 0);
		if (n == 0 || (n < 0 && errno != EINTR))
			return -EPIPE;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int send_message(int fd, const void *data, uint32_t len, int64_t until_us)
{
	int rc = transfer(fd, &len, sizeof(len), true, until_us);

	return rc < 0 ? rc : transfer(fd, (void *)(uintptr_t)data, len, true, until_us);
}

/* ---- the side of armctld ---- */

/* Lower a limit to `most`; a lower one stays. */
static bool lower(int resource, rlim_t most)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) < 0)
		return false;
	if (limit.rlim_max > most)
		limit.rlim_max = most;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	return setrlimit(resource, &limit) == 0;
}

/* What neither a plugin nor its programs need. Limits of the controller are higher than theirs. */
static bool give_up(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && lower(RLIMIT_NOFILE, FILES_MAX) &&
	       lower(RLIMIT_NPROC, PROCESSES_MAX) && lower(RLIMIT_CORE, 0);
}

static _Noreturn void child(int fd, const struct notify_helper_args *a)
{
	const char *argv[] = {NOTIFY_HELPER_NAME, a->plugin_dir, a->plugin, a->name,
			      a->target,          NULL};
	const char *envp[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL};

	program_reset_signals();
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || setsid() < 0 || dup2(fd, 0) < 0 ||
	    dup2(fd, 1) < 0 || close_range(3, ~0U, 0) < 0 || !give_up())
		_exit(126);
	execve("/proc/self/exe", (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)envp);
	_exit(127);
}

/* The answer: 0, the plugin's error, or the end of the process. */
static int read_answer(struct notify_helper *h, int64_t until_us, int timeout_ms, struct err *err)
{
	char text[ANSWER_MAX + 1];
	uint32_t len = 0;
	int rc = transfer(h->fd, &len, sizeof(len), false, until_us);

	if (rc == 0)
		rc = len > ANSWER_MAX ? -EPIPE : transfer(h->fd, text, len, false, until_us);
	if (rc == -ETIME)
		err_set(err, rc, "it did not return within %s, and was killed",
			duration_words(timeout_ms * INT64_C(1000)).text);
	else if (rc < 0)
		err_set(err, rc, "its process ended");
	if (rc < 0) {
		notify_helper_stop(h);
		return rc;
	}
	text[len] = '\0';
	return len ? err_set(err, -EIO, "%s", text) : 0;
}

int notify_helper_start(struct notify_helper *h, const struct notify_helper_args *args,
			int timeout_ms, struct err *err)
{
	int64_t until_us = clock_us(CLOCK_MONOTONIC) + timeout_ms * INT64_C(1000);
	int fds[2], rc;

	*h = (struct notify_helper){.fd = -1};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return err_sys(err, -errno, "socketpair");
	h->pid = fork();
	if (h->pid == 0)
		child(fds[1], args);
	rc = -errno;
	close(fds[1]);
	h->fd = fds[0];
	if (h->pid < 0) {
		h->pid = 0;
		notify_helper_stop(h);
		return err_sys(err, rc, "fork");
	}
	rc = read_answer(h, until_us, timeout_ms, err);
	if (rc < 0)
		notify_helper_stop(h);
	return rc;
}

static void add_part(struct buf *out, const char *text, size_t len)
{
	buf_add(out, text ? text : "", len);
	buf_addc(out, '\0');
}

int notify_helper_deliver(struct notify_helper *h, const struct armada_notify_end *end,
			  int timeout_ms, struct err *err)
{
	int64_t until_us = clock_us(CLOCK_MONOTONIC) + timeout_ms * INT64_C(1000);
	const char *texts[] = {end->to, end->subject, end->text};
	CLEANUP_BUF struct buf message = {0};

	add_part(&message, end->json, end->json_len);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		add_part(&message, texts[i], texts[i] ? strlen(texts[i]) : 0);
	send_message(h->fd, message.data, (uint32_t)message.len, until_us);
	return read_answer(h, until_us, timeout_ms, err);
}

void notify_helper_stop(struct notify_helper *h)
{
	if (h->fd >= 0)
		close(h->fd);
	if (h->pid > 0) {
		kill(-h->pid, SIGKILL);
		kill(h->pid, SIGKILL); /* it may not have a session yet */
		while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	*h = (struct notify_helper){.fd = -1};
}

/* ---- the process ---- */

static void answer(const char *error)
{
	if (send_message(0, error, (uint32_t)strnlen(error, ANSWER_MAX), 0) < 0)
		_exit(0);
}

static void deliver(const struct armada_notify_ops *ops, void *handle, char *data, size_t len)
{
	struct armada_error error = {""};
	char *parts[PARTS], *p = data;
	struct armada_notify_end end;

	for (size_t i = 0; i < PARTS; i++) {
		parts[i] = p;
		p += strnlen(p, (size_t)(data + len - p)) + 1;
		if (p > data + len)
			_exit(1);
	}
	end = (struct armada_notify_end){.json = parts[0],
					 .json_len = strlen(parts[0]),
					 .to = *parts[1] ? parts[1] : NULL,
					 .subject = *parts[1] ? parts[2] : NULL,
					 .text = *parts[1] ? parts[3] : NULL};
	if (ops->deliver(handle, &end, &error) < 0)
		answer(error.text[0] ? error.text : "the plugin failed without a reason");
	else
		answer("");
}

int notify_helper_main(int argc, char **argv)
{
	const struct armada_notify_ops *ops;
	struct armada_error error = {""};
	struct plugin plugin;
	void *handle = NULL;
	struct err err;
	uint32_t len;

	log_open(NOTIFY_HELPER_NAME, STDERR_FILENO, LOG_INFO);
	if (argc != HELPER_ARGS)
		return 2;
	if (plugin_load(&plugin, argv[1], ARMADA_PLUGIN_NOTIFY, argv[2], &err) < 0) {
		answer(err.text);
		return 1;
	}
	ops = plugin.ops;
	if (ops->open(&handle, argv[3], argv[4], &plugin_host, &error) < 0) {
		answer(error.text[0] ? error.text : "the plugin cannot open its target");
		return 1;
	}
	answer("");
	while (transfer(0, &len, sizeof(len), false, 0) == 0 && len <= MESSAGE_MAX) {
		CLEANUP_FREE char *data = xmalloc(len + 1);

		if (transfer(0, data, len, false, 0) < 0)
			break;
		data[len] = '\0';
		deliver(ops, handle, data, len);
	}
	ops->close(handle);
	return 0;
}
