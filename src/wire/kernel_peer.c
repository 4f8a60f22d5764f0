/*
 * Asks the kernel who is at the other end of a Unix socket (kernel_peer.h). Input: a connected socket.
 * Output: the uid and gid of the peer, or that they are not known. Caveat: a user who is not part of our user
 * namespace has the overflow uid there, as everybody else outside of it. That number stands for nobody, not
 * even for a user who really has it.
 */
#include "wire/kernel_peer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { OVERFLOW_DEFAULT = 65534, NUMBER_SIZE = 32 };

static uint32_t read_number(const char *path)
{
	char text[NUMBER_SIZE] = "", *end;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned long value;

	if (fd < 0)
		return OVERFLOW_DEFAULT;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	value = strtoul(text, &end, 10);
	return end == text || value > UINT32_MAX ? OVERFLOW_DEFAULT : (uint32_t)value;
}

void kernel_unknown_read(struct kernel_unknown *ret)
{
	ret->uid = read_number("/proc/sys/kernel/overflowuid");
	ret->gid = read_number("/proc/sys/kernel/overflowgid");
}

struct kernel_peer kernel_peer_of(int fd, const struct kernel_unknown *unknown)
{
	struct ucred cred = {0};
	socklen_t len = sizeof(cred);
	int family = 0;
	socklen_t family_len = sizeof(family);

	/* other families accept the question, and answer with numbers that nobody has */
	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &family_len) || family != AF_UNIX ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) || len != sizeof(cred))
		return (struct kernel_peer){0};
	if (cred.uid == (uid_t)-1 || cred.gid == (gid_t)-1 || cred.uid == unknown->uid ||
	    cred.gid == unknown->gid)
		return (struct kernel_peer){0};
	return (struct kernel_peer){.known = true, .uid = cred.uid, .gid = cred.gid};
}
