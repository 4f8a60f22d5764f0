/*
 * Where the tasks' io stubs find arun: listening sockets on the addresses by which this machine
 * reaches the controllers, for the nodes reach those too; on loopback where the cluster is one
 * machine.
 */
#pragma once

#include "conf/conf.h"

enum { LISTENERS = 8, LISTENER_TEXT = 160 };

struct listeners {
	int fds[LISTENERS]; /* non-blocking */
	char addresses[LISTENERS][LISTENER_TEXT];
	size_t count;
};

/* At least one, or a negative errno. */
int listeners_open(struct listeners *l, const struct conf *conf, struct err *err);
void listeners_close(struct listeners *l);
