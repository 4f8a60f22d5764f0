/* The files of --input, --output and --error. */
#include "cmd/arun/files.h"

#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int open_output(const char *name, int *ret_fd, struct err *err)
{
	const char *path = strcmp(name, "none") == 0 ? "/dev/null" : name;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);

	if (fd < 0)
		return err_sys(err, -errno, "%s", path);
	*ret_fd = fd;
	return 0;
}

static int open_input(const char *path, struct err *err)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
		return err_sys(err, -errno, "--input: '%s' must be all, none, a rank or a file",
			       path);
	return 0;
}

static int choose_input(const char *what, struct arun_files *f, struct err *err)
{
	int64_t rank;

	if (!what || strcmp(what, "all") == 0)
		return 0;
	if (strcmp(what, "none") == 0) {
		f->input = INPUT_NONE;
		return 0;
	}
	if (parse_int(what, 0, UINT32_MAX, &rank, NULL) < 0)
		return open_input(what, err);
	f->input = INPUT_ONE;
	f->input_rank = (uint32_t)rank;
	return 0;
}

int arun_check_input(const struct arun_files *f, uint32_t tasks, struct err *err)
{
	if (f->input != INPUT_ONE || f->input_rank < tasks)
		return 0;
	return err_set(err, -EINVAL,
		       "--input: there is no rank %u: ranks are 0 to %u (write ./%u for a file)",
		       f->input_rank, tasks - 1, f->input_rank);
}

int arun_open_files(const struct arun *a, struct arun_files *ret_files, struct err *err)
{
	struct arun_files f = {INPUT_ALL, 0, STDOUT_FILENO, STDERR_FILENO};
	int rc = choose_input(a->input, &f, err);

	if (rc == 0 && a->output) {
		rc = open_output(a->output, &f.out_fd, err);
		f.err_fd = f.out_fd;
	}
	if (rc == 0 && a->error)
		rc = open_output(a->error, &f.err_fd, err);
	if (rc == 0)
		*ret_files = f;
	return rc;
}

struct run_plan arun_plan(const struct arun *a, const struct arun_files *f,
			  const struct listeners *l, const uint8_t *key)
{
	return (struct run_plan){
		.name = a->self->name,
		.listeners = l,
		.key = key,
		.input = f->input,
		.input_rank = f->input_rank,
		.out_fd = f->out_fd,
		.err_fd = f->err_fd,
		.label = a->label,
		.pty = a->pty,
		.quiet = a->quiet,
		.verbose = a->verbose,
		.kill_on_bad_exit = a->kill_on_bad_exit,
		.mpi = a->mpi_plugin != NULL,
		.interrupts = isatty(STDIN_FILENO),
	};
}
