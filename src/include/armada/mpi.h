/*
 * Mpi plugins: one protocol between an MPI library and the launcher of its ranks.
 *
 * A plugin runs in the io stub of each rank of a step, as the user of the job, and never in armd. It
 * answers the requests of one program. What a rank tells the others travels through the host: fence()
 * hands over its data, and fenced() returns the data of all ranks, in the order of the ranks. The host
 * does not look into the data.
 *
 * All functions are called by one thread, and none may block. A plugin with a thread of its own reports
 * through the descriptor of poll_fd().
 */
#ifndef ARMADA_MPI_H
#define ARMADA_MPI_H

#include <armada/plugin.h>
#include <stddef.h>

/* How much one rank may hand over in a fence, and all of them together. */
enum { ARMADA_MPI_FENCE_MAX = 1 << 20, ARMADA_MPI_FENCED_MAX = 64 << 20 };

/* The next nodes * ranks ranks: `ranks` on each of `nodes` nodes, from the node with number `node` on. */
struct armada_mpi_block {
	uint32_t node, nodes, ranks;
};

/* Borrowed until open() returns. */
struct armada_mpi_rank {
	uint32_t rank, size;
	const char *step; /* names the step; letters, digits and dashes, unique */
	const struct armada_mpi_block *blocks;
	size_t block_count; /* 0: the nodes of the ranks are unknown */
};

struct armada_mpi_host {
	void *ctx;
	/* A fence of this rank; len: at most ARMADA_MPI_FENCE_MAX. fenced() answers it. */
	void (*fence)(void *ctx, const void *data, size_t len);
	/* Ends the whole step with this exit code. why: one line. */
	void (*abort)(void *ctx, int code, const char *why);
};

struct armada_mpi_ops {
	/* host is borrowed until close(). */
	int (*open)(void **ret_handle, const struct armada_mpi_rank *rank,
		    const struct armada_mpi_host *host, struct armada_error *err);
	void (*close)(void *handle);
	/* The variables of the program, NAME=value; NULL-terminated, valid until close(). */
	const char *const *(*environment)(void *handle);
	/* The descriptor that the program inherits under its number; -1: none. */
	int (*program_fd)(void *handle);
	/* The program was started, or could not be: the plugin closes program_fd(). */
	void (*started)(void *handle);
	/* The descriptor to wait for, with events of poll(2); -1: none at present. */
	int (*poll_fd)(void *handle, short *ret_events);
	/* The descriptor is ready. */
	void (*ready)(void *handle);
	/* The data of all ranks, for the pending fence. */
	void (*fenced)(void *handle, const void *data, size_t len);
	/*
	 * The program has ended; what it sent before is handled first. Returns 1 if it had begun to use MPI
	 * and did not end that use, else 0.
	 */
	int (*ended)(void *handle);
};

#endif
