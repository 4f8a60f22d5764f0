/*
 * What the kernel says of the process at the other end of a Unix socket.
 *
 * For the end that accepted the connection this is the process that connected, with its effective uid and gid
 * of that moment; for the end that connected, the process that listens. A process can change neither
 * afterwards, and nothing that the peer sends has an effect on them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What the kernel reports in place of a uid or gid that this user namespace does not have. */
struct kernel_unknown {
	uint32_t uid, gid;
};

struct kernel_peer {
	bool known; /* false: the kernel cannot say who it is */
	uint32_t uid, gid;
};

void kernel_unknown_read(struct kernel_unknown *ret);
/* Not known: fd is not a Unix socket, or the peer has no uid or gid in this user namespace. */
struct kernel_peer kernel_peer_of(int fd, const struct kernel_unknown *unknown);
