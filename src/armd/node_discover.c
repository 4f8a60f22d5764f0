/*
 * Runs the discover program (node_discover.h). Input: its output, a resource in each line: "fpga=2",
 * "fpga=/dev/fpga[0-1]" or "scratch=2T"; empty lines and lines that begin with # are ignored. Output:
 * n->discovered, or an error with the line. The program runs in a session of its own, which is killed
 * at its time limit and at the end.
 */
#include "armd/node_discover.h"

#include "armd/hooks/hook.h"
#include "conf/quantity.h"
#include "util/buf.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/program.h"
#include "util/units.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OUTPUT_MAX = 16384, RESOURCES_MAX = 64 };

static void forget(struct node *n)
{
	for (size_t i = 0; i < n->discovered_count; i++)
		free(n->discovered[i]);
	free(n->discovered);
	n->discovered = NULL;
	n->discovered_count = 0;
}

void node_discover_done(struct node *n)
{
	forget(n);
	free(n->resources);
	free(n->line_resources);
}

void node_join_resources(struct node *n)
{
	const struct conf_node *x = n->expected;
	size_t most = n->line_resource_count + n->discovered_count + (x ? x->resource_count : 0);
	size_t at = 0;

	free(n->resources);
	n->resources = xcalloc(most + 1, sizeof(*n->resources));
	for (size_t i = 0; x && i < x->resource_count; i++)
		n->resources[at++] = x->resources[i];
	for (size_t i = 0; i < n->discovered_count; i++)
		n->resources[at++] = n->discovered[i];
	for (size_t i = 0; i < n->line_resource_count; i++)
		n->resources[at++] = n->line_resources[i];
	n->network.declared.node.resources = n->resources;
	n->network.declared.node.resource_count = at;
}

/* Reads until the end of the output or the time limit. */
static int read_all(int in, int64_t timeout_us, struct buf *out, struct err *err)
{
	int64_t end_us = clock_us(CLOCK_MONOTONIC) + timeout_us;

	for (;;) {
		struct pollfd p = {.fd = in, .events = POLLIN};
		int64_t left_us = end_us - clock_us(CLOCK_MONOTONIC);
		char part[1024];
		ssize_t got;

		if (left_us <= 0)
			return err_set(err, -ETIMEDOUT, "it ran longer than %s and was killed",
				       duration_words(timeout_us).text);
		if (poll(&p, 1, (int)(left_us / 1000 + 1)) <= 0)
			continue;
		got = read(in, part, sizeof(part));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return 0;
		buf_add(out, part, (size_t)got);
		if (out->len > OUTPUT_MAX)
			return err_set(err, -EFBIG, "it printed more than %d bytes", OUTPUT_MAX);
	}
}

static int run(const struct hook *h, struct buf *out, struct err *err)
{
	const char *argv[HOOK_ARGV_MAX + 1] = {0};
	int fds[2], status = 0, rc;
	pid_t pid;

	for (size_t i = 0; i < h->argc && i < HOOK_ARGV_MAX; i++)
		argv[i] = h->argv[i];
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(err, -errno, "pipe");
	pid = fork();
	if (pid == 0)
		program_exec_output(argv, fds[1]);
	close(fds[1]);
	rc = pid < 0 ? err_sys(err, -errno, "fork") : read_all(fds[0], h->timeout_us, out, err);
	close(fds[0]);
	if (pid < 0)
		return rc;
	if (rc < 0) {
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	kill(-pid, SIGKILL);
	if (rc == 0 && WIFSIGNALED(status))
		return err_set(err, -EIO, "it was killed by signal %d", WTERMSIG(status));
	if (rc == 0 && WEXITSTATUS(status))
		return err_set(err, -EIO, "exit status %d", WEXITSTATUS(status));
	return rc;
}

/* A list of the lines; on an error nothing is kept. */
static int take(struct node *n, char *text, struct err *err)
{
	char **list = xcalloc(RESOURCES_MAX, sizeof(*list)), *rest = NULL;
	size_t count = 0;
	int rc = 0;

	for (char *line = strtok_r(text, "\n", &rest); line && rc == 0;
	     line = strtok_r(NULL, "\n", &rest)) {
		struct offer o;

		line += strspn(line, " \t\r");
		line[strcspn(line, " \t\r")] = '\0';
		if (!*line || *line == '#')
			continue;
		if (count == RESOURCES_MAX)
			rc = err_set(err, -E2BIG, "it printed more than %d resources",
				     RESOURCES_MAX);
		else
			rc = offer_parse(line, &o, err);
		if (rc == 0)
			list[count++] = xstrdup(line);
	}
	if (rc == 0)
		forget(n);
	else
		while (count)
			free(list[--count]);
	if (rc < 0) {
		free(list);
		return rc;
	}
	n->discovered = list;
	n->discovered_count = count;
	return 0;
}

int node_discover(struct node *n, struct err *err)
{
	const struct conf *c = n->conf;
	const struct hook h = {"discover", c->hooks.discover, c->hooks.discover_count,
			       c->hooks.discover_timeout_us};
	CLEANUP_BUF struct buf out = {0};
	int rc;

	if (!h.argc)
		return 0;
	rc = hook_check(&h, err);
	if (rc == 0)
		rc = run(&h, &out, err);
	buf_addc(&out, '\0');
	if (rc == 0)
		rc = take(n, (char *)out.data, err);
	if (rc < 0)
		return err_prefix(err, rc, "%s: hooks.discover", c->file);
	node_join_resources(n);
	return 0;
}
