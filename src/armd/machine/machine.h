/*
 * The machine as tasks are placed on it: its cpus, what is near what, and its gpus.
 *
 * Read once, at the start, through hwloc and /sys, or made up where more is declared than there is
 * (a node for tests): then its cpus are numbers, and being bound to one is being bound to one of
 * those that there are. Everything in it is its own.
 */
#pragma once

#include "agent/place.h"
#include "util/err.h"
#include <armada/contain.h>

struct machine_gpu {
	char path[64]; /* "/dev/nvidia0"; empty: declared, and nothing is known of it */
	char bus[24];  /* "0000:3b:00.0"; empty: not known */
	struct armada_device device;
};

struct machine {
	struct place_topology topology;
	struct place_cpu *cpus;
	struct place_gpu *places;
	struct machine_gpu *gpus;
	size_t gpu_count;
	bool devices_known; /* of every gpu, which device it is */
	bool confined;      /* a task can open no others than its own */
	/* What a task with gpus may use besides them: /dev/nvidiactl, /dev/kfd ... */
	struct armada_device *common;
	size_t common_count;
	uint16_t real[PLACE_CPUS];       /* the kernel's number of each cpu of the topology */
	int64_t cpu_milli, memory_bytes; /* declared, else found */
};

/* Borrowed. 0 (gpus: -1): take what is found. */
struct machine_declared {
	int64_t cpu_milli, memory_bytes, gpus;
	const char *const *gpu_devices; /* paths, in the order of their numbers */
	size_t gpu_device_count;
	const char *root; /* where /dev, /proc and /sys are looked for; NULL: "" */
};

/* machine_free also after a failure. */
int machine_read(const struct machine_declared *d, struct machine *ret_machine, struct err *err);
void machine_free(struct machine *m);

/* The kernel's numbers of these cpus. */
void machine_os_cpus(const struct machine *m, const uint64_t cpus[PLACE_CPUS / 64],
		     uint64_t ret_real[PLACE_CPUS / 64]);
