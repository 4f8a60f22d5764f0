/*
 * An end of the pipe: a non-blocking descriptor and what waits to be written. Messages are kept in
 * order; nothing is lost while the other end is slow, so the caller looks at pipe_waiting when it
 * must bound itself.
 */
#pragma once

#include "armd/pipe/pipe.h"

struct pipe;

/* takes fd, and makes it non-blocking and close-on-exec. launcher: this end is the launcher's. */
struct pipe *pipe_new(int fd, bool launcher);
void pipe_free(struct pipe *p);
int pipe_fd(const struct pipe *p);
/*
 * Send, or keep until pipe_flush. 0; -EMFILE when a body cannot be kept (the message is dropped), or
 * another negative errno when the other end is gone.
 */
int pipe_send(struct pipe *p, const struct pipe_msg *m);
/* Write what waits, when the descriptor is writable. As pipe_send. */
int pipe_flush(struct pipe *p);
size_t pipe_waiting(const struct pipe *p); /* messages */
/*
 * The next message: 1, 0 when there is none now, -EPIPE when the other end is gone, -EBADMSG when
 * it sent something that is no message (the descriptors that came with it are closed).
 */
int pipe_receive(struct pipe *p, struct pipe_msg *ret_msg);

/* The two ends of a new pipe: [0] the launcher's, [1] the network process's. */
int pipe_pair(int ret_fds[2], struct err *err);
