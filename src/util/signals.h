/*
 * Names and numbers of signals, and the value of the option --signal.
 *
 * A signal is a name with or without SIG in any case, RTMIN+n, RTMAX-n, or a number of Linux. The numbers are
 * the same on every machine that Armada runs on. One table serves every command and every daemon.
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
	int signal;       /* 0: no signal, only script_only */
	int64_t before_s; /* 0: not given */
	bool script_only;
};

int signal_parse(const char *text, int *ret_signal, struct err *err);
int signal_parse_wish(const char *text, struct signal_wish *ret_wish, struct err *err);

/* "USR1", "RTMIN+3"; a number that is no signal is printed as a number. */
void signal_format(int sig, char ret_name[SIGNAL_NAME]);
