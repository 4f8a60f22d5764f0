/*
 * The listening sockets to which the io stubs connect. They are on the addresses from which this
 * machine connects to the controllers; on loopback if the cluster is one machine.
 */
#pragma once

#include "conf/conf.h"

enum { LISTENERS = 8, LISTENER_TEXT = 160 };

struct listeners {
	int fds[LISTENERS]; /* non-blocking */
	char addresses[LISTENERS][LISTENER_TEXT];
	size_t count;
};

/* Opens at least one socket, or returns a negative errno. */
int listeners_open(struct listeners *l, const struct conf *conf, struct err *err);
void listeners_close(struct listeners *l);
