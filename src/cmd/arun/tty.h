/*
 * The terminal of arun: it is in raw mode while a program on another machine uses it, and is
 * restored at the end.
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

/* Sets raw mode; does nothing if fd is no terminal, or if another process group has it. */
void tty_raw(struct tty *t, int fd);
void tty_restore(struct tty *t);
/* The body of a SIZE frame: the size of the terminal, or 24 x 80. */
void tty_size(int fd, uint8_t ret_body[8]);
/* Whether a read would not stop this process: the terminal is ours, or fd is no terminal. */
bool tty_is_ours(int fd);
