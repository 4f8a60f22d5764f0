/*
 * The mpi plugin of a stub: it answers the MPI library in the program, and the stub carries its data to
 * arun and back.
 *
 * A plugin that cannot be loaded or opened is an error when the program is to start.
 */
#pragma once

#include "stub/child.h"
#include "stub/payload.h"
#include "stub/stream.h"

struct stub_mpi;

/* Loads the plugin of the payload. Payload and stream are borrowed. */
struct stub_mpi *stub_mpi_new(const struct payload *p, const char *plugin_dir, struct stream *s);
void stub_mpi_free(struct stub_mpi *m);

/* Opens the plugin, and adds its variables and descriptor to the plan; valid until stub_mpi_free. */
int stub_mpi_open(struct stub_mpi *m, struct child_plan *plan, struct err *err);
/* The program was started, or could not be. */
void stub_mpi_started(struct stub_mpi *m);
/* The descriptor to wait for; -1: none. */
int stub_mpi_poll_fd(struct stub_mpi *m, short *ret_events);
void stub_mpi_ready(struct stub_mpi *m);
/* Takes a frame NODES, MERGED or FENCED; negative if arun may not send it. */
int stub_mpi_receive(struct stub_mpi *m, const struct stream_frame *f);
/* The program has ended with this exit code. Tells arun if it left the other ranks alone. */
void stub_mpi_ended(struct stub_mpi *m, int exit_code);
