/*
 * Reads a part of an output file of a user, as this user.
 *
 * The file and its path belong to the user, so only a process that already is the user opens them.
 */
#pragma once

#include "proto/msg.h"
#include "proto/order.h"
#include "util/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct output_file {
	struct order order;  /* verified */
	const uint8_t *body; /* a packed OutputOrder, which the order covers */
	size_t len;
	const char *node_name;
	bool groups_of_controller;
	pid_t launcher;
	int fd; /* a memfd, which gets a packed OutputRead without its number */
};

/*
 * In a child of the launcher: become the user, read, write the result and exit with 0. May block for as long
 * as a file system does; the launcher limits the time.
 */
_Noreturn void output_file_child(const struct output_file *f);
/*
 * Reads at most `limit` bytes of the file, from `offset` or at its end, in this process. Only a
 * regular file is read, and only as far as the size that it has. ret: its data is in the arena of the
 * caller.
 */
struct arena;
int output_file_read(const Armada__OutputOrder *o, struct arena *arena, Armada__OutputRead *ret,
		     struct err *err);
