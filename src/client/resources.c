#include "client/resources.h"

#include "client/connection.h"
#include "conf/resource_table.h"

#include <string.h>

static enum resource_unit unit_of(const Armada__ResourceRow *r)
{
	return strcmp(r->unit, "bytes") == 0 ? RESOURCE_SIZE
	       : strcmp(r->unit, "cpu") == 0 ? RESOURCE_MILLI
					     : RESOURCE_COUNT;
}

static void take(const Armada__ResourcesReply *m)
{
	struct resource_row rows[RESOURCE_MAX];
	struct err ignored;
	size_t n = 0;

	for (size_t i = 0; i < m->n_rows && n < RESOURCE_MAX; i++) {
		const Armada__ResourceRow *r = m->rows[i];
		int own = resource_index(r->name);

		if (own < 0 || resource_is_added((size_t)own))
			rows[n++] = (struct resource_row){r->name, unit_of(r), r->floating};
	}
	resource_table_set(rows, n, &ignored);
}

static void learn(void)
{
	Armada__ResourcesRequest q = ARMADA__RESOURCES_REQUEST__INIT;
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	const Armada__ResourcesReply *m;
	struct connection *c = NULL;
	struct err ignored;

	if (connection_new(&c, NULL, &ignored) == 0 &&
	    connection_ask(c, MSG_RESOURCES, &q, MSG_RESOURCES_REPLY, arena, 0, &m, &ignored) == 0)
		take(m);
	connection_free(c);
}

void client_learns_resources(void)
{
	resource_table_on_unknown(learn);
}
