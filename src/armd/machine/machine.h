/*
 * The machine for the placement of tasks: its cpus, their topology, and its gpus.
 *
 * It is read once, at startup, through hwloc and /sys. If more cpus are declared than exist (a node
 * for tests), cpus are numbers, and a task that is bound to such a cpu is bound to one that exists.
 * The struct owns everything in it.
 */
#pragma once

#include "agent/place.h"
#include "util/err.h"
#include <armada/contain.h>

enum { MACHINE_MODEL = 96 };

struct machine_gpu {
	char path[64];             /* "/dev/nvidia0"; empty: declared only, device unknown */
	char bus[24];              /* "0000:3b:00.0"; empty: unknown */
	char model[MACHINE_MODEL]; /* "NVIDIA A100-SXM4-40GB"; empty: unknown */
	struct armada_device device;
};

/* Of one resource; more resources, or more devices of one, have no numbers. */
enum { COUNTED_MAX = 13, COUNTED_EACH = 64 };

/* A countable resource besides gpus (counted.h). */
struct machine_counted {
	char name[32];
	size_t count;
	char **files; /* of its devices, in the order of their numbers; NULL: none */
	size_t file_count;
	struct armada_device *devices;
};

struct machine {
	struct place_topology topology;
	struct place_cpu *cpus;
	struct place_gpu *places;
	struct machine_gpu *gpus;
	size_t gpu_count;
	bool devices_known; /* the device of every gpu is known */
	bool confined;      /* a task can open only its own gpus */
	/* Devices that a task with gpus may use besides them: /dev/nvidiactl, /dev/kfd ... */
	struct armada_device *common;
	size_t common_count;
	struct machine_counted *counted;
	size_t counted_count;
	size_t found_cpus;               /* cpus of the machine that tasks may use */
	bool lacks_cpus;                 /* more are declared: cpus of the topology are made up */
	uint16_t real[PLACE_CPUS];       /* the kernel's number of each cpu of the topology */
	int64_t cpu_milli, memory_bytes; /* declared, else found */
};

/* Borrowed. 0 (gpus: -1): use what is found. */
struct machine_declared {
	int64_t cpu_milli, memory_bytes, gpus;
	const char *const *gpu_devices; /* paths, in the order of their numbers */
	size_t gpu_device_count;
	const char *root; /* the prefix of /proc and /sys; NULL: "" */
};

/* Call machine_free also after a failure. */
int machine_read(const struct machine_declared *d, struct machine *ret_machine, struct err *err);
void machine_free(struct machine *m);

/* The type of its gpus, as in "a100"; empty: not known, or there are several. */
void machine_gpu_type(const struct machine *m, char ret_type[MACHINE_MODEL]);

/* The kernel's numbers of these cpus. */
void machine_os_cpus(const struct machine *m, const uint64_t cpus[PLACE_CPUS / 64],
		     uint64_t ret_real[PLACE_CPUS / 64]);
