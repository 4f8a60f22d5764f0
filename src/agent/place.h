/*
 * Which cpus and gpus of its node a task gets.
 *
 * A pure function of the topology and of the places of live tasks. It keeps no state, so no counter
 * can become wrong. The same input gives the same result.
 *
 * Invariants:
 *  - No gpu is given to two tasks.
 *  - A task that requests whole cpus owns them: no other task that requests whole cpus has one of
 *    them. Tasks that request a fraction of a cpu share the cpus that no task owns. A task shares
 *    with an owner only where rounding leaves too few cpus.
 *  - If live tasks have no more cpus and gpus than the node (the controller ensures this), every
 *    task gets what it requests.
 *  - The cpus of a task are as near each other as free cpus allow: in one core, one cache, one NUMA
 *    node, one socket, in this order. Of several such domains the fullest one is used.
 *  - Cpus are near the gpus of the task, if the location of the gpus is known.
 */
#pragma once

#include "util/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PLACE_CPUS = 2048, /* numbers are below this; cpus beyond are not used */
	PLACE_GPUS = 1024,
	PLACE_NOWHERE = -1,
};

enum place_level { PLACE_CORE, PLACE_CACHE, PLACE_NUMA, PLACE_SOCKET, PLACE_LEVELS };

/* A hardware thread. Domains are numbers below PLACE_CPUS, the same for all cpus of a domain. */
struct place_cpu {
	uint16_t number; /* as the kernel counts */
	uint16_t domain[PLACE_LEVELS];
};

/* Gpus are numbered from 0 in the order of the table. */
struct place_gpu {
	int16_t numa, socket; /* domains of the cpus it is attached to, or PLACE_NOWHERE */
};

/* Borrowed. cpus are in the order of their numbers. */
struct place_topology {
	const struct place_cpu *cpus;
	const struct place_gpu *gpus;
	size_t cpu_count, gpu_count;
};

/* The cpus and gpus of a task. Bits are their numbers. */
struct place {
	uint64_t cpus[PLACE_CPUS / 64], gpus[PLACE_GPUS / 64];
	uint32_t each_milli; /* share of each of its cpus; 1000: it owns them */
};

struct place_request {
	int64_t cpu_milli, gpus;
};

/*
 * A place for another task. live: the places of the live tasks. -ENOSPC, with ret_place untouched:
 * fewer gpus are free than requested. Numbers in live that the machine does not have are ignored.
 */
int place_find(const struct place_topology *t, const struct place *const *live, size_t live_count,
	       const struct place_request *want, struct place *ret_place);

/* All cpus of the domains of the task's cpus. */
void place_widen(const struct place_topology *t, const struct place *p, enum place_level level,
		 uint64_t ret_cpus[PLACE_CPUS / 64]);
/* The NUMA nodes of these cpus, as bits. */
void place_memory(const struct place_topology *t, const uint64_t cpus[PLACE_CPUS / 64],
		  uint64_t ret_nodes[PLACE_CPUS / 64]);

static inline bool place_has(const uint64_t *bits, size_t n)
{
	return bits[n / 64] >> (n % 64) & 1;
}

static inline void place_add(uint64_t *bits, size_t n)
{
	bits[n / 64] |= UINT64_C(1) << (n % 64);
}

/* The numbers below count that are set, as the kernel lists them: "0-3,8". */
void place_list(const uint64_t *bits, size_t count, struct buf *out);
/* All of them, with commas: "0,1,2". */
void place_commas(const uint64_t *bits, size_t count, struct buf *out);
