/*
 * The kernel names the peer of a socket: on a Unix socket it names the user who made it, and nobody
 * if the kernel cannot name that user.
 */
#include "tap/tap.h"
#include "wire/kernel_peer.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

/* A connection over loopback. */
static int connected(int *ret_listener)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(in);

	if (bind(listener, (struct sockaddr *)&in, len) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&in, &len) ||
	    connect(fd, (struct sockaddr *)&in, len))
		bail("no connection over loopback");
	*ret_listener = listener;
	return fd;
}

int main(void)
{
	struct kernel_unknown unknown, mine = {geteuid(), UINT32_MAX},
				       group = {UINT32_MAX, getegid()};
	struct kernel_peer peer;
	int fds[2], listener, fd;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		bail("socketpair");
	kernel_unknown_read(&unknown);
	ok(unknown.uid > 0 && unknown.gid > 0,
	   "the kernel has numbers for unknown users and groups");
	unknown = (struct kernel_unknown){UINT32_MAX, UINT32_MAX};
	peer = kernel_peer_of(fds[0], &unknown);
	ok(peer.known, "the peer of a Unix socket is known");
	is_int(peer.uid, geteuid(), "it has our uid");
	is_int(peer.gid, getegid(), "and our gid");
	ok(!kernel_peer_of(fds[0], &mine).known, "the uid of unknown users stands for nobody");
	ok(!kernel_peer_of(fds[0], &group).known, "so does their gid");
	fd = connected(&listener);
	ok(!kernel_peer_of(fd, &unknown).known, "the peer of a TCP connection is not known");
	ok(!kernel_peer_of(-1, &unknown).known, "that of no socket neither");
	close(fd);
	close(listener);
	close(fds[0]);
	close(fds[1]);
	return done();
}
