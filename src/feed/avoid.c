/* The nodes that a job avoids, reported to the scheduler. */
#include "feed/avoid.h"

#include "feed/elastic.h"
#include "feed/task_replacement.h"
#include "util/mem.h"

#include <string.h>

void avoids_again(struct sched_feed *m, struct known_job *k)
{
	restarts_avoid(m, k);
	elastic_look_again(m, k);
	/* Members of a gang of jobs avoid no nodes (doc/limits.md). */
	if (!k->gang_cardinality)
		sched_job_avoid(m->sched, k->id, (const char *const *)k->avoids, k->avoid_count);
}

static void add(struct known_job *k, const char *node)
{
	for (size_t i = 0; i < k->avoid_count; i++)
		if (strcmp(k->avoids[i], node) == 0)
			return;
	k->avoids = xreallocarray(k->avoids, k->avoid_count + 1, sizeof(*k->avoids));
	k->avoids[k->avoid_count++] = xstrdup(node);
}

void avoids_free(struct known_job *k)
{
	for (size_t i = 0; i < k->avoid_count; i++)
		free(k->avoids[i]);
	free(k->avoids);
	k->avoids = NULL;
	k->avoid_count = 0;
}

void avoids_more(struct sched_feed *m, struct known_job *k, char *const *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add(k, nodes[i]);
	if (count)
		avoids_again(m, k);
}

void avoids_are(struct sched_feed *m, struct known_job *k, Armada__Avoided *const *nodes,
		size_t count)
{
	if (!count && !k->avoid_count)
		return;
	avoids_free(k);
	for (size_t i = 0; i < count; i++)
		add(k, nodes[i]->node);
	avoids_again(m, k);
}
