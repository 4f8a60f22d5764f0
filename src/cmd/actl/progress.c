#include "cmd/actl/progress.h"

#include "cmd/common/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { SAY_EVERY_MS = 200 };

void progress_begin(struct progress *p, const char *what)
{
	*p = (struct progress){.what = what, .said_ms = steady_ms()};
}

void progress_step(struct progress *p, uint64_t done)
{
	int64_t now_ms = steady_ms();

	if (now_ms - p->said_ms < SAY_EVERY_MS || !isatty(STDERR_FILENO))
		return;
	p->said_ms = now_ms;
	p->shown = true;
	fprintf(stderr, "\r%" PRIu64 " %s ...\033[K", done, p->what);
}

void progress_clear(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
