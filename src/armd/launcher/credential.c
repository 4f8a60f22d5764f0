#include "armd/launcher/credential.h"

#include "util/clock.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The result that the child writes, in one piece. */
struct finding {
	int code; /* 0, or a negative errno and text */
	uint32_t uid;
	uint32_t len;
	uint8_t payload[CREDENTIAL_PAYLOAD];
	char text[512];
};

static const char magic[16] = {'a', 'r', 'm', 'a', 'd', 'a', '-', 'o',
			       'r', 'd', 'e', 'r', '-', 'k', 'e', 'y'};

static _Noreturn void decode(const struct armada_auth_ops *auth, void *handle, const char *text,
			     int fd)
{
	struct finding f = {0};
	struct armada_error err = {{0}};
	uint32_t gid;
	size_t len = 0;
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	f.code = auth->decode(handle, text, f.payload, sizeof(f.payload), &len, &f.uid, &gid, &err);
	f.len = (uint32_t)len;
	snprintf(f.text, sizeof(f.text), "%s", err.text);
	n = write(fd, &f, sizeof(f));
	_exit(n == (ssize_t)sizeof(f) ? 0 : 1);
}

int credential_begin(struct credential *c, const struct armada_auth_ops *auth, void *auth_handle,
		     const char *text, struct err *err)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_sys(err, -errno, "pipe");
	pid = fork();
	if (pid == 0)
		decode(auth, auth_handle, text, fds[1]);
	close(fds[1]);
	if (pid < 0) {
		int rc = -errno;

		close(fds[0]);
		return err_sys(err, rc, "fork");
	}
	*c = (struct credential){.fd = fds[0],
				 .pid = pid,
				 .until_us = clock_us(CLOCK_BOOTTIME) + CREDENTIAL_TIMEOUT_US};
	return 0;
}

static int check_finding(const struct finding *f, uint32_t controller_uid,
			 struct credential_key *ret_key, struct err *err)
{
	if (f->code < 0)
		return err_set(err, f->code, "%.*s", (int)sizeof(f->text) - 1, f->text);
	if (f->uid != controller_uid)
		return err_set(err, -EPERM, "it was made by uid %u, but the controller is uid %u",
			       f->uid, controller_uid);
	if (f->len != CREDENTIAL_PAYLOAD || memcmp(f->payload, magic, sizeof(magic)) != 0)
		return err_set(err, -EBADMSG, "it contains no order key");
	memcpy(ret_key->cluster_id, f->payload + 16, 16);
	memcpy(ret_key->public_key, f->payload + 32, 32);
	return 0;
}

int credential_end(struct credential *c, uint32_t controller_uid, struct credential_key *ret_key,
		   struct err *err)
{
	struct finding f;
	ssize_t n = read(c->fd, &f, sizeof(f));
	int rc;

	if (n == (ssize_t)sizeof(f))
		rc = check_finding(&f, controller_uid, ret_key, err);
	else if (n < 0)
		rc = err_set(err, -ETIMEDOUT, "not decoded within 10 s: check munged");
	else
		rc = err_set(err, -EIO, "the process that decodes it was killed");
	if (n < 0)
		kill(c->pid, SIGKILL); /* a child, not reaped before the loop handles SIGCHLD */
	close_fd(&c->fd);
	return rc < 0 ? err_prefix(err, rc, "the credential with the order key") : 0;
}
