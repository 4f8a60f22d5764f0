/*
 * Our terminal while a program on another machine has the use of it: raw, and as it was again
 * whatever happens.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <termios.h>

struct tty {
	int fd;
	bool raw;
	struct termios before;
};

/* Nothing happens where fd is no terminal, or somebody else has it. */
void tty_raw(struct tty *t, int fd);
void tty_restore(struct tty *t);
/* The body of a SIZE frame: what the terminal is, or 24 x 80. */
void tty_size(int fd, uint8_t ret_body[8]);
/* May we read from it now, or would that stop us? True for what is no terminal. */
bool tty_is_ours(int fd);
