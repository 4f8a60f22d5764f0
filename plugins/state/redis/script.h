/* The scripts that the server runs: each compares the epoch, and writes only if it is ours. */
#pragma once

#include "conn.h"

enum script {
	SCRIPT_INIT,
	SCRIPT_LEAD,
	SCRIPT_RENEW,
	SCRIPT_RESIGN,
	SCRIPT_APPEND,
	SCRIPT_CHUNKS,
	SCRIPT_SNAPSHOT,
	SCRIPT_TRIM,
	SCRIPT_SET,
	SCRIPT_EVENTS,
	SCRIPT_COUNT,
};

int script_load(struct link *l, struct armada_error *err);
/* Begins a command: the script and its keys, which are names under the prefix; NULL ends them. */
void script_begin(struct link *l, struct command *c, enum script script, char *keys,
		  const char *first, const char *second);
enum { KEYS_BYTES = 512 };
/*
 * Reads the answer of a script: 0, or -ESTALE: the epoch is not ours any more; -ECANCELED: it compared
 * something else, and changed nothing.
 */
int script_read(struct link *l, struct armada_error *err);
