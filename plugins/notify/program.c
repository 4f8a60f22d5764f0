/*
 * notify/program: runs a program for each end, with the JSON object of the end and a line feed on its
 * standard input. The target is the absolute path of the program. Exit status 0 accepts the end.
 */
#include "run.h"

#include <armada/notify.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int open_target(void **ret_handle, const char *name, const char *target,
		       const struct armada_host *host, struct armada_error *err)
{
	int rc = run_check(target, err);

	(void)name, (void)host;
	if (rc < 0)
		return rc;
	*ret_handle = strdup(target);
	return *ret_handle ? 0 : -ENOMEM;
}

static int deliver(void *handle, const struct armada_notify_end *end, struct armada_error *err)
{
	const char *argv[] = {handle, NULL};
	char *line = malloc(end->json_len + 1);
	int rc;

	if (!line)
		return -ENOMEM;
	memcpy(line, end->json, end->json_len);
	line[end->json_len] = '\n';
	rc = run_program(argv, line, end->json_len + 1, err);
	free(line);
	return rc;
}

static const struct armada_notify_ops ops = {
	.open = open_target, .close = free, .deliver = deliver};

ARMADA_PLUGIN_PLAIN(ARMADA_PLUGIN_NOTIFY, "program", "runs a program for each end", ops);
