#include "armd/machine/cpus.h"

#include "util/mem.h"
#include "util/plural.h"
#include "util/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const words[] = {
	[CPUS_BIND] = "bind",
	[CPUS_QUOTA] = "quota",
	[CPUS_WEIGHT] = "weight",
};

enum cpus_use cpus_use_of(const char *word)
{
	for (size_t i = 0; word && i < ARRAY_SIZE(words); i++)
		if (strcmp(words[i], word) == 0)
			return (enum cpus_use)i;
	return CPUS_BIND;
}

/* Why tasks are not bound, "": they could be. */
static void describe_cause(const struct machine *m, bool alone, char ret_text[CPUS_TEXT])
{
	if (m->lacks_cpus)
		snprintf(ret_text, CPUS_TEXT, "%zu cpu%s of the machine, %.10g declared",
			 m->found_cpus, plural(m->found_cpus, "", "s"),
			 (double)m->cpu_milli / 1000);
	else
		snprintf(ret_text, CPUS_TEXT, "%s",
			 alone ? "" : "shares its cpus with another armd");
}

void cpus_describe(enum cpus_use use, const struct machine *m, bool alone, const char *no_cpu_time,
		   char ret_text[CPUS_TEXT])
{
	char cause[CPUS_TEXT] = "";

	if (use == CPUS_BIND)
		describe_cause(m, alone, cause);
	if (use == CPUS_BIND && !cause[0])
		snprintf(ret_text, CPUS_TEXT, "bind");
	else if (no_cpu_time)
		snprintf(ret_text, CPUS_TEXT, "none (%.60s%s%.32s does not limit cpu time)", cause,
			 cause[0] ? "; " : "", no_cpu_time);
	else if (cause[0])
		snprintf(ret_text, CPUS_TEXT, "weight (%.60s)", cause);
	else
		snprintf(ret_text, CPUS_TEXT, "%s", words[use]);
}

/* In /tmp the file may be another user's, who could hold the lock or replace the file. */
static int check_owner(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(err, -errno, "cannot stat %s", path);
	if (!S_ISREG(st.st_mode) || (st.st_uid != geteuid() && st.st_uid != 0))
		return err_set(err, -EPERM, "%s is not a file of this user or of root", path);
	return 0;
}

int cpus_lock(const char *path, struct err *err)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	CLEANUP_CLOSE int fd = -1;
	char own[64];
	int ret;

	if (!*path) {
		snprintf(own, sizeof(own), "/tmp/armada-cpus-%u.lock", (unsigned)geteuid());
		path = geteuid() == 0 ? "/run/armada-cpus.lock" : own;
	}
	/* Nobody else can open the file, and so nobody else can lock it. */
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0)
		return err_sys(err, -errno, "cannot open %s", path);
	ret = check_owner(fd, path, err);
	if (ret < 0)
		return ret;
	if (fcntl(fd, F_SETLK, &lock) < 0)
		return err_sys(err, -errno, "cannot lock %s", path);
	ret = fd;
	fd = -1;
	return ret;
}

bool cpus_alone(int fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}
