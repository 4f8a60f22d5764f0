/*
 * The server's end of PMI-1 for one rank, without descriptors.
 *
 *	NEW --init--> READY --barrier_in--> FENCING --fenced--> READY --finalize--> FINAL --init--> READY
 *
 * Input: bytes of the client, and the data of a fence. Output: bytes for the client, and effects. An abort
 * of the client, and everything that a state does not allow, leads to OVER, with one effect END; there all
 * input is ignored. Every line and every amount has a bound.
 */
#pragma once

#include <armada/mpi.h>
#include <stdbool.h>

/* The version of the protocol; a line with its end; replies that the client has not read. */
enum { PMI1_VERSION = 1, PMI1_SUBVERSION = 1, PMI1_LINE_MAX = 2048, PMI1_OUT_MAX = 64 << 10 };

enum pmi1_state { PMI1_OVER, PMI1_NEW, PMI1_READY, PMI1_FENCING, PMI1_FINAL, PMI1_STATES };

/* The commands of clients: X(NAME, word) */
#define PMI1_COMMANDS(X)                                                                           \
	X(INIT, "init")                                                                            \
	X(MAXES, "get_maxes")                                                                      \
	X(APPNUM, "get_appnum")                                                                    \
	X(KVSNAME, "get_my_kvsname")                                                               \
	X(UNIVERSE, "get_universe_size")                                                           \
	X(PUT, "put")                                                                              \
	X(GET, "get")                                                                              \
	X(BARRIER, "barrier_in")                                                                   \
	X(PUBLISH, "publish_name")                                                                 \
	X(UNPUBLISH, "unpublish_name")                                                             \
	X(LOOKUP, "lookup_name")                                                                   \
	X(SPAWN, "spawn")                                                                          \
	X(FINALIZE, "finalize")                                                                    \
	X(ABORT, "abort")

enum pmi1_command {
#define X(NAME, word) PMI1_##NAME,
	PMI1_COMMANDS(X)
#undef X
		PMI1_COMMAND_COUNT
};

enum pmi1_effect {
	PMI1_NONE,  /* more input is needed, or the client must read first */
	PMI1_FENCE, /* the data of this rank is in pmi1_fence_data() */
	PMI1_END,   /* the step must end: pmi1_reason(), pmi1_code() */
};

struct pmi1;

struct pmi1 *pmi1_new(const struct armada_mpi_rank *rank);
void pmi1_free(struct pmi1 *p);

enum pmi1_state pmi1_state(const struct pmi1 *p);
/* The state after a command; PMI1_OVER if the state does not allow it. */
enum pmi1_state pmi1_after(enum pmi1_state state, enum pmi1_command command);

/* Bytes of the client. pmi1_step() must be called until it returns PMI1_NONE before there are more. */
void pmi1_feed(struct pmi1 *p, const char *data, size_t len);
/* True if bytes may be fed now. */
bool pmi1_wants(const struct pmi1 *p);
/* Handles complete lines until one has an effect. */
enum pmi1_effect pmi1_step(struct pmi1 *p);
/* Ends a fence with the data of all ranks. */
enum pmi1_effect pmi1_fenced(struct pmi1 *p, const char *data, size_t len);

/* Bytes for the client; pmi1_sent drops them. */
const char *pmi1_out(const struct pmi1 *p, size_t *ret_len);
void pmi1_sent(struct pmi1 *p, size_t n);

/* Each key and value that was put since the last fence, each with its NUL; valid until the next call. */
const char *pmi1_fence_data(const struct pmi1 *p, size_t *ret_len);
int pmi1_code(const struct pmi1 *p);
const char *pmi1_reason(const struct pmi1 *p);
