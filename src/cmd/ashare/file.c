/*
 * Writes a file completely or not at all.
 */
#include "cmd/ashare/file.h"

#include "cmd/ashare/ashare.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno != EINTR)
			return -errno;
		data += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* A device or pipe cannot be replaced. */
static int write_to(const char *path, const void *data, size_t len)
{
	int fd CLEANUP_CLOSE = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -errno : write_all(fd, data, len);
}

static mode_t mode_wanted(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* Writes a temporary file in the same directory, and renames it. */
static int replace(const char *path, mode_t mode, const void *data, size_t len)
{
	CLEANUP_BUF struct buf name = {0};
	char *temporary;
	int fd, rc;

	buf_addf(&name, "%s.XXXXXX", path);
	temporary = (char *)name.data;
	fd = mkstemp(temporary);
	if (fd < 0)
		return -errno;
	rc = write_all(fd, data, len);
	if (rc == 0 && fchmod(fd, mode))
		rc = -errno;
	if (close(fd) && rc == 0)
		rc = -errno;
	if (rc == 0 && rename(temporary, path))
		rc = -errno;
	if (rc < 0)
		unlink(temporary);
	return rc;
}

int file_replace(const char *path, const void *data, size_t len, struct err *err)
{
	char real[PATH_MAX];
	struct stat st;
	int rc;

	if (strcmp(path, "-") == 0)
		rc = write_all(STDOUT_FILENO, data, len);
	else if (stat(path, &st))
		rc = errno == ENOENT ? replace(path, mode_wanted(), data, len) : -errno;
	else if (S_ISDIR(st.st_mode))
		rc = -EISDIR;
	else if (!S_ISREG(st.st_mode))
		rc = write_to(path, data, len);
	else if (access(path, W_OK) ||
		 !realpath(path, real)) /* replaces the file, not a link to it */
		rc = -errno;
	else
		rc = replace(real, st.st_mode & 0777, data, len);
	if (rc < 0)
		err_sys(err, rc, "%s", path);
	return rc < 0 ? -EIO : 0; /* -ENOENT would be reported as a missing queue */
}
