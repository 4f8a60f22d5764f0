#include "util/notify.h"
#include "util/log.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void notify_systemd(const char *text)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	const char *path = getenv("NOTIFY_SOCKET");
	socklen_t size;
	int fd;

	if (!path || !(path[0] == '/' || path[0] == '@') || strlen(path) >= sizeof(to.sun_path))
		return;
	memcpy(to.sun_path, path, strlen(path));
	if (path[0] == '@')
		to.sun_path[0] = 0; /* the abstract name space */
	size = offsetof(struct sockaddr_un, sun_path) + strlen(path);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&to, size) < 0)
		log_warn("cannot notify systemd through %s: %s", path, strerror(errno));
	close(fd);
}
