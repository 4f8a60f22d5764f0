/*
 * Runs prolog and epilog of a job once on a node (job.h). Input: the task attempt, its gpus and the
 * variables for the programs. Output: 0 when the prolog has succeeded; an error otherwise.
 *
 * The file jobs/NAME has a state and two byte locks. BYTE_WORK is held while a process reads or
 * changes the file or runs a program. BYTE_LIVES is shared by all shepherds of the job on this
 * node; a process that gets it exclusively knows that no other shepherd is alive. Caveat: the last
 * shepherd removes the file while others may wait for BYTE_WORK, so open_locked() retries when the
 * link count is 0.
 */
#include "armd/hooks/job.h"

#include "util/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTE_WORK = 0, BYTE_LIVES = 1, ENV_MAX = 16384 };

/* The progress of the prolog. Numbers never change: a shepherd may be of the previous release. */
enum state { STATE_NEW = 0, STATE_BEGUN = 1, STATE_READY = 2 };

/*
 * The start of the file; the variables of the programs follow. Only this machine reads it, so
 * integers have its byte order.
 */
struct job_head {
	uint64_t state, env_len;
	char boot_id[64];
	uint64_t gpus[PLACE_GPUS / 64];
};

static int lock(int fd, short type, int byte, bool wait)
{
	struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
	int rc;

	do
		rc = fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &l);
	while (rc < 0 && errno == EINTR);
	return rc < 0 ? -errno : 0;
}

static int open_directory(const struct spool *s, struct err *err)
{
	int fd;

	if (mkdirat(s->tasks, "../jobs", 0700) < 0 && errno != EEXIST)
		return err_sys(err, -errno, "cannot make %s/jobs", s->path);
	fd = openat(s->tasks, "../jobs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? err_sys(err, -errno, "cannot open %s/jobs", s->path) : fd;
}

/* Open the file and take BYTE_WORK. Retry if another process removed the file meanwhile. */
static int open_locked(int dir, const char *name, struct err *err)
{
	struct stat st;

	for (;;) {
		int fd = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

		if (fd < 0 || lock(fd, F_WRLCK, BYTE_WORK, true) < 0 || fstat(fd, &st) < 0) {
			int rc = -errno;

			close_fd(&fd);
			return err_sys(err, rc, "cannot open jobs/%s in the spool", name);
		}
		if (st.st_nlink > 0)
			return fd;
		close(fd);
	}
}

static void read_head(int fd, struct job_head *ret_head)
{
	if (pread(fd, ret_head, sizeof(*ret_head), 0) != (ssize_t)sizeof(*ret_head))
		*ret_head = (struct job_head){.state = STATE_NEW};
}

static int write_head(int fd, const struct job_head *head)
{
	return pwrite(fd, head, sizeof(*head), 0) == (ssize_t)sizeof(*head) ? 0 : -EIO;
}

/*
 * Run a program with the variables of the job, ARMADA_HOOK, and the gpus of all tasks of the job.
 */
static int run(const struct hook *h, const char *env, size_t env_len, const struct job_head *head,
	       struct err *err)
{
	CLEANUP_BUF struct buf gpus = {0};
	struct hook_env *e;
	int rc;

	if (!h->argc)
		return 0;
	e = hook_env_from(env, env_len);
	hook_env_set(e, "ARMADA_HOOK", "%s", h->what);
	place_commas(head->gpus, PLACE_GPUS, &gpus);
	if (gpus.len)
		hook_env_set(e, "ARMADA_GPU_LIST", "%s", (char *)gpus.data);
	rc = hook_run(h, e, NULL, NULL, err);
	hook_env_free(e);
	return rc;
}

static int begin(struct job_part *p, struct job_head *head, struct err *err)
{
	size_t len;
	const char *env = hook_env_text(p->env, &len);
	int rc;

	head->state = STATE_BEGUN;
	head->env_len = len < ENV_MAX ? len : 0;
	snprintf(head->boot_id, sizeof(head->boot_id), "%s", p->spool->boot_id);
	if (pwrite(p->fd, env, head->env_len, sizeof(*head)) != (ssize_t)head->env_len ||
	    write_head(p->fd, head) < 0)
		return err_set(err, -EIO, "cannot write jobs/%s to the spool", p->name);
	rc = run(&p->hooks->prolog, env, len, head, err);
	if (rc == 0) {
		head->state = STATE_READY;
		write_head(p->fd, head);
	}
	return rc;
}

/* Run the epilog for shepherds of the job that were killed earlier. */
static int clean_up(struct job_part *p, struct job_head *head, struct err *err)
{
	size_t len;
	const char *env = hook_env_text(p->env, &len);
	int rc = run(&p->hooks->epilog, env, len, head, err);

	*head = (struct job_head){.state = STATE_NEW};
	return rc;
}

static int enter(struct job_part *p, const uint64_t gpus[PLACE_GPUS / 64], struct err *err)
{
	bool alone = lock(p->fd, F_WRLCK, BYTE_LIVES, false) == 0;
	struct job_head head;
	int rc = 0;

	read_head(p->fd, &head);
	if (strcmp(head.boot_id, p->spool->boot_id) != 0)
		head = (struct job_head){.state = STATE_NEW};
	if (alone && head.state != STATE_NEW)
		rc = clean_up(p, &head, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < PLACE_GPUS / 64; i++)
		head.gpus[i] |= gpus[i];
	if (lock(p->fd, F_RDLCK, BYTE_LIVES, false) < 0)
		return err_sys(err, -errno, "cannot lock jobs/%s in the spool", p->name);
	if (head.state == STATE_NEW)
		rc = begin(p, &head, err);
	else if (head.state == STATE_BEGUN)
		rc = err_set(err, -EIO, "prolog: it failed for another task of this job");
	else
		write_head(p->fd, &head);
	return rc;
}

int job_enter(const struct spool *s, const struct hooks *h, const struct task_key *key,
	      const uint64_t gpus[PLACE_GPUS / 64], struct hook_env *env, struct job_part *ret_part,
	      struct err *err)
{
	CLEANUP_CLOSE int dir = open_directory(s, err);
	int rc;

	*ret_part = (struct job_part){.fd = -1, .spool = s, .hooks = h, .env = env};
	snprintf(ret_part->name, sizeof(ret_part->name), "%llu_%u.%u", (unsigned long long)key->job,
		 key->element, key->attempt);
	if (dir < 0)
		return dir;
	ret_part->fd = open_locked(dir, ret_part->name, err);
	if (ret_part->fd < 0)
		return ret_part->fd;
	rc = enter(ret_part, gpus, err);
	lock(ret_part->fd, F_UNLCK, BYTE_WORK, false);
	return rc;
}

/* BYTE_WORK is held. */
static int leave(struct job_part *p, struct err *err)
{
	CLEANUP_CLOSE int dir = -1;
	struct job_head head;
	const char *env;
	size_t len;
	int rc;

	if (lock(p->fd, F_WRLCK, BYTE_LIVES, false) < 0)
		return 0; /* not the last */
	dir = open_directory(p->spool, err);
	read_head(p->fd, &head);
	env = hook_env_text(p->env, &len);
	rc = head.state == STATE_NEW ? 0 : run(&p->hooks->epilog, env, len, &head, err);
	/* A later task of the job creates a new file and runs the prolog again. */
	if (dir >= 0)
		unlinkat(dir, p->name, 0);
	return rc;
}

int job_leave(struct job_part *p, struct err *err)
{
	int rc = 0;

	if (p->fd >= 0) {
		lock(p->fd, F_WRLCK, BYTE_WORK, true);
		rc = leave(p, err);
		close_fd(&p->fd);
	}
	hook_env_free(p->env);
	p->env = NULL;
	return rc;
}

/* True if no process holds a lock of the file. */
static bool is_abandoned(int fd)
{
	return lock(fd, F_WRLCK, BYTE_WORK, false) == 0 &&
	       lock(fd, F_WRLCK, BYTE_LIVES, false) == 0;
}

static int sweep_one(const struct spool *s, const struct hooks *h, int dir, const char *name,
		     struct err *err)
{
	CLEANUP_CLOSE int fd = openat(dir, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	char env[ENV_MAX];
	struct job_head head;
	int rc = 0;

	if (fd < 0 || !is_abandoned(fd))
		return 0;
	read_head(fd, &head);
	if (head.state != STATE_NEW && strcmp(head.boot_id, s->boot_id) == 0 &&
	    head.env_len < ENV_MAX &&
	    pread(fd, env, head.env_len, sizeof(head)) == (ssize_t)head.env_len)
		rc = run(&h->epilog, env, head.env_len, &head, err);
	if (rc < 0)
		return err_prefix(err, rc, "job %.*s, whose tasks were lost",
				  (int)strcspn(name, "_"), name);
	unlinkat(dir, name, 0);
	return 0;
}

int job_sweep(const struct spool *s, const struct hooks *h, struct err *err)
{
	int fd = openat(s->tasks, "../jobs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	CLEANUP_DIR DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *de;
	int rc = 0;

	while (dir && (de = readdir(dir))) {
		struct err one;

		if (de->d_name[0] == '.' || sweep_one(s, h, fd, de->d_name, &one) == 0)
			continue;
		rc = err_set(err, -EIO, "%s", one.text);
	}
	return rc;
}
