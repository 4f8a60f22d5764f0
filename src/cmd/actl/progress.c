#include "cmd/actl/progress.h"

#include "cmd/common/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { PRINT_EVERY_MS = 200 };

void progress_begin(struct progress *p, const char *what)
{
	*p = (struct progress){.what = what, .printed_ms = steady_ms()};
}

void progress_step(struct progress *p, uint64_t done)
{
	int64_t now_ms = steady_ms();

	if (now_ms - p->printed_ms < PRINT_EVERY_MS || !isatty(STDERR_FILENO))
		return;
	p->printed_ms = now_ms;
	p->shown = true;
	fprintf(stderr, "\r%" PRIu64 " %s ...\033[K", done, p->what);
}

void progress_clear(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
