#include "cmd/ashare/properties.h"

#include "client/connection.h"
#include "util/mem.h"
#include "util/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROW(row) ((const Armada__Property *)(row))

static double value_of(const void *row)
{
	return ROW(row)->value;
}

static void value_text(const void *row, struct buf *out)
{
	const Armada__Property *p = ROW(row);
	char text[48];

	if (strcmp(p->unit, "fraction") == 0) {
		column_percent(p->value, out);
		return;
	}
	if (strcmp(p->unit, "cpu") == 0)
		format_cpu((int64_t)p->value, text, sizeof(text));
	else if (strcmp(p->unit, "bytes") == 0)
		format_size((int64_t)p->value, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "%.10g", p->value);
	buf_addstr(out, text);
}

static json_t *value_json(const void *row)
{
	return column_real_json(value_of(row));
}

/* clang-format off */
static const struct column columns[] = {
	{"property", "PROPERTY", 0, false, false, CELL_TEXT(Armada__Property, name), NULL, "Name of the number"},
	{"value", "VALUE", 0, true, false, CELL(value_text, value_json), NULL, "The number; a fraction, millicores or bytes in JSON"},
	{"unit", "UNIT", 0, false, false, CELL_TEXT(Armada__Property, unit), NULL, "fraction, cpu or bytes; empty for a count"},
	{"text", "MEANING", 0, false, true, CELL_TEXT(Armada__Property, text), NULL, "The things that are counted, and the worst case"},
};
/* clang-format on */

const struct listing properties_listing = LISTING("properties", "property,value,text", columns);

json_t *properties_json(const Armada__PropertiesReply *reply)
{
	json_t *root = listing_json_new();

	json_object_set_new(root, "time", json_integer(reply->time_us));
	json_object_set_new(root, "round", json_integer((json_int_t)reply->round));
	json_object_set_new(root, "start_time", json_integer(reply->start_us));
	json_object_set_new(root, "properties",
			    listing_json(&properties_listing, (const void *const *)reply->rows,
					 reply->n_rows));
	return root;
}

static void print_head(const Armada__PropertiesReply *reply)
{
	char when[48];

	format_time(reply->start_us, when, sizeof(when));
	printf("Round %" PRIu64 ", %s.\n\n", reply->round, when);
}

int ashare_properties(const struct ashare *r, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	Armada__PropertiesRequest q = ARMADA__PROPERTIES_REQUEST__INIT;
	const Armada__PropertiesReply *reply;
	struct connection *c = NULL;
	const void *const *rows;
	int rc = connection_new(&c, NULL, err);

	if (rc == 0)
		rc = connection_ask(c, MSG_PROPERTIES, &q, MSG_PROPERTIES_REPLY, arena, 0, &reply,
				    err);
	connection_free(c);
	if (rc < 0)
		return rc;
	rows = (const void *const *)reply->rows;
	if (r->listing.json) {
		listing_json_print(properties_json(reply), stdout);
		return 0;
	}
	if (!r->listing.format && !r->listing.noheader)
		print_head(reply);
	return listing_print(&properties_listing, &r->listing, rows, reply->n_rows, stdout, err);
}
