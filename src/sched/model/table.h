/*
 * Tables of records: {list, count, cap, unused}. Free places are chained through a member of the
 * record.
 */
#pragma once

#include "sched/model/map.h"
#include "util/mem.h"

/* A free place; its contents are undefined. */
#define TABLE_PLACE(table, next)                                                                   \
	({                                                                                         \
		uint32_t place_ = (table)->unused;                                                 \
                                                                                                   \
		if (place_ != NIL) {                                                               \
			(table)->unused = (table)->list[place_].next;                              \
		} else {                                                                           \
			GROW((table)->list, (table)->cap, (table)->count + 1);                     \
			place_ = (uint32_t)(table)->count++;                                       \
		}                                                                                  \
		place_;                                                                            \
	})
