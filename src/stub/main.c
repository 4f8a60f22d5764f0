/*
 * arun-io: the program of a task that arun started. The shepherd runs it as the user, in the task;
 * users never start it themselves. Input: the payload in descriptor 3, and the directory of plugins as
 * its argument. Output: it ends as the program
 * of the payload ended.
 */
#include "stub/dial.h"
#include "stub/relay.h"
#include "util/visible.h"

#include <errno.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Exit codes for the job's record when the stub did not reach the program. */
enum { EXIT_NO_PAYLOAD = 125, EXIT_NO_ARUN = 124 };

static int read_all(int fd, struct buf *out, struct err *err)
{
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	do {
		n = read(fd, buf_reserve(out, 65536), 65536);
		if (n > 0)
			out->len += (size_t)n;
	} while ((n > 0 && out->len <= PAYLOAD_MAX) || (n < 0 && errno == EINTR));
	if (n < 0)
		return err_sys(err, -errno, "descriptor %d", fd);
	if (out->len > PAYLOAD_MAX)
		return err_set(err, -E2BIG, "descriptor %d holds too much", fd);
	return 0;
}

/* End the stub as the program ended, because the node records the end of the stub. */
static int end_as(const struct relay_end *end)
{
	struct sigaction def = {.sa_handler = SIG_DFL};
	struct rlimit no_core = {0};
	sigset_t none;

	if (!end->signal)
		return end->exit_code;
	setrlimit(RLIMIT_CORE, &no_core);
	sigaction(end->signal, &def, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	raise(end->signal);
	return 128 + end->signal;
}

static int complain(const struct err *err, int exit_code)
{
	visible_complain("arun-io", err->text);
	return exit_code;
}

/* argv: the program, and the directory of plugins. */
int main(int argc, char **argv)
{
	const char *plugin_dir = argc > 1 ? argv[1] : ARMADA_PLUGINDIR;
	struct stub_mpi *mpi = NULL;
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	struct buf bytes CLEANUP_BUF = {0};
	struct stream *stream = NULL;
	struct relay_end end;
	struct payload p;
	struct err err = {{0}};
	int fd, rc;

	/* the user may trace the program, but must not read the secret in this process */
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	relay_hold_signal();
	if (sodium_init() < 0)
		return EXIT_NO_PAYLOAD;
	rc = read_all(PAYLOAD_FD, &bytes, &err);
	close(PAYLOAD_FD);
	if (rc == 0)
		rc = payload_read(bytes.data, bytes.len, environ, arena, &p, &err);
	if (rc < 0)
		return complain(&err, EXIT_NO_PAYLOAD);
	fd = dial_arun(&p, &stream, &err);
	sodium_memzero(p.message->key.data, p.message->key.len);
	sodium_memzero(bytes.data, bytes.len);
	if (fd < 0)
		return complain(&err, EXIT_NO_ARUN);
	if (p.message->mpi[0])
		mpi = stub_mpi_new(&p, plugin_dir, stream);
	relay_run(&p, fd, stream, mpi, &end);
	stub_mpi_free(mpi);
	stream_free(stream);
	close(fd);
	return end_as(&end);
}
