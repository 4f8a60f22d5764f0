/*
 * A task key without padding, as hash tables compare it.
 */
#pragma once

#include "proto/order.h"

struct slot {
	uint64_t job;
	uint32_t element, rank, attempt, zero;
};

static inline struct slot slot_of(const struct task_key *k)
{
	return (struct slot){
		.job = k->job, .element = k->element, .rank = k->rank, .attempt = k->attempt};
}
