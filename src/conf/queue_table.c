/* The rows of QUEUE_TABLE as an array of struct queue_field. */
#include "conf/queue_field.h"

#include "conf/selectors.h"
#include "conf/tables.h"
#include "proto/msg.h"

#include <string.h>

#define MEMBER(m)            offsetof(Armada__QueueSpec, m)
#define ONE(value, said)     .at = MEMBER(value), .flag = MEMBER(said)
#define LIST(list)           .at = MEMBER(list), .count = MEMBER(n_##list), .flag = MEMBER(set_##list)
#define LIMIT_OF(list, of)   LIST(list), .kind = of
#define OPTION(...)          __VA_ARGS__
#define COLUMN(n, h, s, ...) n, h, QUEUE_##s, __VA_ARGS__
#define FIELD(n, s, kept, right, called, bounds, text, in, in_text, cli, shown)                    \
	[QUEUE_OF_##n] = {.name = #n,                                                              \
			  .shape = QUEUE_SHAPE_##s,                                                \
			  .owners_may = right,                                                     \
			  .words = called,                                                         \
			  .option = {cli},                                                         \
			  .column = {shown},                                                       \
			  kept},

enum { ADMINISTRATORS = false, OWNERS = true };

const struct queue_field queue_fields[QUEUE_FIELDS] = {QUEUE_TABLE(FIELD, FIELD)};

const struct queue_field *queue_field_find(const char *name)
{
	for (size_t i = 0; i < QUEUE_FIELDS; i++)
		if (strcmp(queue_fields[i].name, name) == 0)
			return &queue_fields[i];
	return NULL;
}

const struct conf_row *queue_field_conf(const struct queue_field *f)
{
	return &conf_queue_rows[1 + (f - queue_fields)];
}
