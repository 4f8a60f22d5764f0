/* The message to systemd is one datagram, to a path or to an abstract name. */
#include "tap/tap.h"
#include "util/notify.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A socket bound to the name ("@..." for an abstract one), as systemd has it. */
static int listener(const char *name)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	memcpy(at.sun_path, name, strlen(name));
	if (name[0] == '@')
		at.sun_path[0] = 0;
	if (fd < 0 || bind(fd, (struct sockaddr *)&at,
			   offsetof(struct sockaddr_un, sun_path) + strlen(name)) < 0)
		bail("no socket %s", name);
	return fd;
}

static void heard(int fd, const char *want, const char *how)
{
	char text[64] = "";
	ssize_t n = recv(fd, text, sizeof(text) - 1, 0);

	is_int(n, (long long)strlen(want), "one datagram arrives %s", how);
	is_str(text, want, "it has the text %s", how);
}

int main(void)
{
	char dir[] = "/tmp/armada-notify-XXXXXX", path[64], name[64];
	int by_path, by_name;

	if (!mkdtemp(dir))
		bail("no directory");
	snprintf(path, sizeof(path), "%s/s", dir);
	snprintf(name, sizeof(name), "@armada-notify-%d", (int)getpid());
	by_path = listener(path);
	by_name = listener(name);

	unsetenv("NOTIFY_SOCKET");
	notify_systemd("READY=1");
	setenv("NOTIFY_SOCKET", path, 1);
	notify_systemd("READY=1");
	heard(by_path, "READY=1", "by path");
	setenv("NOTIFY_SOCKET", name, 1);
	notify_systemd("STOPPING=1");
	heard(by_name, "STOPPING=1", "by name");
	setenv("NOTIFY_SOCKET", "relative/path", 1);
	notify_systemd("READY=1");
	ok(recv(by_path, path, 1, 0) < 0, "no datagram is sent to a relative path");

	close(by_path);
	close(by_name);
	snprintf(path, sizeof(path), "%s/s", dir);
	unlink(path);
	rmdir(dir);
	return done();
}
