/* The work that preemptions ended, by queue (preempted_work.h). */
#include "core/txn/preempted_work.h"

#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

void preempted_work_add(struct preempted_work *w, const char *queue, double cluster_s)
{
	size_t at = 0;

	if (cluster_s <= 0)
		return;
	while (at < w->count && strcmp(w->list[at].queue, queue) != 0)
		at++;
	if (at == PREEMPTED_QUEUES) {
		w->others_s += cluster_s;
		return;
	}
	if (at == w->count)
		w->list[w->count++].queue = xstrdup(queue);
	w->list[at].cluster_s += cluster_s;
}

void preempted_work_done(struct preempted_work *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->list[i].queue);
}
