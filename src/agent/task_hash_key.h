/*
 * A task key without padding, because hash tables compare it as bytes.
 */
#pragma once

#include "proto/order.h"

struct task_hash_key {
	uint64_t job;
	uint32_t element, rank, attempt, zero;
};

static inline struct task_hash_key task_hash_key(const struct task_key *k)
{
	return (struct task_hash_key){
		.job = k->job, .element = k->element, .rank = k->rank, .attempt = k->attempt};
}
