#include "armd/shepherd/cancel.h"

#include "armd/shepherd/control.h"
#include "util/mem.h"

#include <errno.h>

int shepherd_cancelled(struct shepherd *s, const char *when)
{
	struct control_order o;
	int fd, rc = 0;

	while (control_receive(s->task->control_fd, &o, &fd)) {
		close_fd(&fd);
		if (o.kind != CONTROL_KILL)
			continue;
		s->cause = o.cause;
		rc = err_set(&s->why, -ECANCELED, "it was ended %s", when);
	}
	return rc;
}
