/*
 * The command line of armd.
 */
#pragma once

#include "conf/types.h"
#include "util/buf.h"

#include <stddef.h>
#include <stdint.h>

/* Members that are not given are NULL, 0 or (node.gpus) -1. Strings are borrowed from argv. */
struct armd_options {
	const char *config;
	const char **controllers;
	size_t controller_count;
	/* the options of the node; labels, taints and resources are owned */
	struct conf_node node;
	const char *spool;
	const char *libexec;
	int log_level, log_format; /* util/log.h; 0: as armada.conf says */
	enum { ARMD_RUN, ARMD_SHUTDOWN, ARMD_SHOW, ARMD_HELP, ARMD_VERSION } mode;
	bool changed; /* ARMD_SHOW: only the values that armada.conf sets */
};

int armd_options_parse(int argc, char **argv, struct armd_options *ret_options, struct err *err);
void armd_options_done(struct armd_options *o);
/* --help */
void armd_options_help(struct buf *out);
