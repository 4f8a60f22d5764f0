/*
 * Countable devices besides gpus: resources of the node that have numbers, and perhaps files.
 *
 * Each has numbers from 0. A place (agent/place.h) has them beside the gpus: those of the first resource are
 * the last bits of the place's gpus, those of the next one come before them. So a place that was written by
 * an earlier armd means the same as long as the resources keep their order.
 */
#pragma once

#include "armd/machine/machine.h"

/* Fills in the counted resources of m from declarations such as "fpga=2" or "fpga=/dev/fpga[0-1]". */
int machine_find_counted(struct machine *m, const char *const *resources, size_t count,
			 struct err *err);
void machine_free_counted(struct machine *m);
void machine_free_counted_files(struct machine_counted *c);
/* The bit of the n-th device of the index-th counted resource among the gpus of a place. */
size_t machine_counted_bit(size_t index, size_t n);
/* The devices of the index-th counted resource in a place, as "0,3"; files: as their paths. */
void machine_counted_list(const struct machine *m, size_t index, const struct place *p, bool files,
			  struct buf *out);
/* True if the devices that a task may open are known, so that others can be refused. */
bool machine_knows_devices(const struct machine *m);
