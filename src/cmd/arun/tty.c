#include "cmd/arun/tty.h"

#include <sys/ioctl.h>
#include <unistd.h>

bool tty_is_ours(int fd)
{
	return !isatty(fd) || tcgetpgrp(fd) == getpgrp();
}

void tty_raw(struct tty *t, int fd)
{
	struct termios raw;

	*t = (struct tty){.fd = fd};
	if (!isatty(fd) || !tty_is_ours(fd) || tcgetattr(fd, &t->before) < 0)
		return;
	raw = t->before;
	cfmakeraw(&raw);
	t->raw = tcsetattr(fd, TCSADRAIN, &raw) == 0;
}

void tty_restore(struct tty *t)
{
	if (t->raw)
		tcsetattr(t->fd, TCSADRAIN, &t->before);
	t->raw = false;
}

void tty_size(int fd, uint8_t ret_body[8])
{
	struct winsize w = {.ws_row = 24, .ws_col = 80};
	unsigned short part[4];

	if (ioctl(fd, TIOCGWINSZ, &w) < 0 || w.ws_row == 0 || w.ws_col == 0)
		w = (struct winsize){.ws_row = 24, .ws_col = 80};
	part[0] = w.ws_row;
	part[1] = w.ws_col;
	part[2] = w.ws_xpixel;
	part[3] = w.ws_ypixel;
	for (int i = 0; i < 4; i++) {
		ret_body[2 * i] = (uint8_t)part[i];
		ret_body[2 * i + 1] = (uint8_t)(part[i] >> 8);
	}
}
