/*
 * notify/mail: sends mails through a program that takes the arguments of mail(1): -s SUBJECT ADDRESS, and
 * the text on standard input. The target is the absolute path of the program. An address never begins with
 * a dash: asubmit and the controller refuse such an address.
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
	const char *argv[] = {handle, "-s", end->subject, end->to, NULL};

	if (!end->to || end->to[0] == '-' || !end->to[0]) {
		snprintf(err->text, sizeof(err->text), "the end has no address");
		return -EINVAL;
	}
	return run_program(argv, end->text, strlen(end->text), err);
}

static const struct armada_notify_ops ops = {
	.open = open_target, .close = free, .deliver = deliver};

ARMADA_PLUGIN_PLAIN(ARMADA_PLUGIN_NOTIFY, "mail", "sends mails through a program", ops);
