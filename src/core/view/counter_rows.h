/* Rows of actl show counters (proto/counter_table.h), for COUNTERS and for what the shell adds to it. */
#pragma once

#include "proto/client.pb-c.h"
#include "proto/counter_table.h"
#include "util/arena.h"
#include "util/histogram.h"

/* The name of the row of all queues that have no row of their own. */
#define COUNTER_OTHER "(other)"

struct counter_rows {
	struct arena *arena;
	Armada__CountersReply *reply; /* may have rows */
	size_t cap;                   /* the room of its list: at first the number of its rows */
};

/* Adds a row; value: of its label, or "". The texts are not copied. */
void counter_row(struct counter_rows *r, enum counter row, const char *value, double amount);
void counter_row_histogram(struct counter_rows *r, enum counter row, const struct histogram *h);
