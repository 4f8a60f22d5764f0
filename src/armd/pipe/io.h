/*
 * One end of the pipe: a non-blocking descriptor and a queue of messages to write. Messages stay in
 * order. No message is dropped while the other end is slow, so a caller that must limit the queue
 * checks pipe_waiting.
 */
#pragma once

#include "armd/pipe/pipe.h"

struct pipe;

/* takes fd, and makes it non-blocking and close-on-exec. launcher: this end is the launcher's. */
struct pipe *pipe_new(int fd, bool launcher);
void pipe_free(struct pipe *p);
int pipe_fd(const struct pipe *p);
/*
 * Send, or queue until pipe_flush. 0; -EMFILE when the body cannot be duplicated (the message is
 * dropped); another negative errno when the other end is closed.
 */
int pipe_send(struct pipe *p, const struct pipe_msg *m);
/* Write queued messages, when the descriptor is writable. Returns as pipe_send. */
int pipe_flush(struct pipe *p);
size_t pipe_waiting(const struct pipe *p); /* messages */
/*
 * The next message: 1; 0 when none has arrived; -EPIPE when the other end is closed; -EBADMSG when
 * the datagram is invalid (its descriptors are closed).
 */
int pipe_receive(struct pipe *p, struct pipe_msg *ret_msg);

/* The two ends of a new pipe: [0] the launcher's, [1] the network process's. */
int pipe_pair(int ret_fds[2], struct err *err);
