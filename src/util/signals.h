/*
 * Signals as people write them, and what the option --signal says.
 *
 * Names with or without SIG in any case, RTMIN+n and RTMAX-n, or numbers: Linux's, the same on every
 * machine that Armada runs on. One table serves every command and every daemon.
 */
#pragma once

#include "util/err.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	SIGNALS_LAST = 64,
	SIGNAL_NAME = 16, /* the longest, with its NUL */
	SIGNAL_BEFORE_MAX_S = 65535,
};

/* "[B:]SIG[@SECONDS]", or "B:" alone. */
struct signal_wish {
	int signal;       /* 0: none is wanted, only what script_only says */
	int64_t before_s; /* 0: not said */
	bool script_only;
};

int signal_parse(const char *text, int *ret_signal, struct err *err);
int signal_parse_wish(const char *text, struct signal_wish *ret_wish, struct err *err);

/* "USR1", "RTMIN+3"; a number that is none: itself. */
void signal_format(int sig, char ret_name[SIGNAL_NAME]);
