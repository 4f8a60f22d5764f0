#include "proto/counter_table.h"

static const struct counter_info rows[] = {
#define X(ROW, name, type, unit, label, help)                                                      \
	[COUNTER_##ROW] = {name, COUNTER_##type, unit, label, help},
	COUNTER_TABLE(X)
#undef X
};

const struct counter_info *counter_info(enum counter row)
{
	return &rows[row];
}
