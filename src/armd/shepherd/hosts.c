/*
 * Files and variables that mpirun needs in a job of several tasks: the list of hosts, a launch agent
 * that replaces ssh, and the program that starts each rank. Input: the list of hosts in the
 * task's body. Output: two files in the spool and variables of the task.
 *
 * The files are in the directory of the scripts, which users can enter but not list. They belong to
 * the user.
 */
#include "armd/shepherd/hosts.h"

#include "armd/shepherd/environment.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a value may be the path of besides a list of hosts: a program that mpirun calls; nothing. */
enum { AGENT = HOST_FILES, RANK, NONE };

/* The variables of each launcher. */
static const struct {
	const char *name;
	int file;         /* its value is the path; NONE: */
	const char *text; /* this */
} variables[] = {
	{"ARMADA_HOST_FILE", HOST_FILE_TASKS, NULL},
	/* MPICH and Intel MPI */
	{"HYDRA_LAUNCHER", NONE, "ssh"},
	{"HYDRA_LAUNCHER_EXEC", AGENT, NULL},
	{"HYDRA_HOST_FILE", HOST_FILE_TASKS, NULL},
	/* the daemon of the first node too is started by the agent */
	{"HYDRA_LAUNCHER_AUTOFORK", NONE, "0"},
	{"I_MPI_HYDRA_BOOTSTRAP", NONE, "ssh"},
	{"I_MPI_HYDRA_BOOTSTRAP_EXEC", AGENT, NULL},
	{"I_MPI_HYDRA_HOST_FILE", HOST_FILE_TASKS, NULL},
	{"I_MPI_HYDRA_BOOTSTRAP_AUTOFORK", NONE, "0"},
	/* Open MPI up to 4: its daemons must not leave their step */
	{"OMPI_MCA_plm_rsh_agent", AGENT, NULL},
	{"OMPI_MCA_orte_default_hostfile", HOST_FILE_SLOTS, NULL},
	{"OMPI_MCA_orte_keep_fqdn_hostnames", NONE, "1"},
	{"OMPI_MCA_orte_leave_session_attached", NONE, "1"},
	/* Open MPI from 5 */
	{"PRTE_MCA_plm_ssh_agent", AGENT, NULL},
	{"PRTE_MCA_prte_default_hostfile", HOST_FILE_SLOTS, NULL},
	{"PRTE_MCA_prte_keep_fqdn_hostnames", NONE, "1"},
	{"PRTE_MCA_prte_leave_session_attached", NONE, "1"},
};

struct host {
	const char *name, *address;
};

/* "name address" in each line. The list is in the arena. */
static size_t read_hosts(const ProtobufCBinaryData *b, struct arena *arena, struct host **ret_list)
{
	char *text = arena_printf(arena, "%.*s", (int)b->len, (const char *)b->data);
	struct host *list = arena_zalloc(arena, b->len + 1, sizeof(*list));
	char *save = NULL;
	size_t count = 0;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *blank = strchr(line, ' ');

		if (blank)
			*blank++ = '\0';
		list[count++] = (struct host){line, blank ? blank : ""};
	}
	*ret_list = list;
	return count;
}

static bool is_vacant(const struct host *h)
{
	return strcmp(h->name, "-") == 0;
}

/* A line for each rank; that of a rank without a node is a comment. */
static void list_tasks(const struct host *list, size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++)
		if (is_vacant(&list[i]))
			buf_addf(out, "# rank %zu has no node now\n", i);
		else
			buf_addf(out, "%s\n", list[i].name);
}

static int by_name(const void *a, const void *b)
{
	const struct host *const *x = a, *const *y = b;
	int order = strcmp((*x)->name, (*y)->name);

	return order ? order : (*x > *y) - (*x < *y);
}

static int by_place(const void *a, const void *b)
{
	const struct host *const *x = a, *const *y = b;

	return (*x > *y) - (*x < *y);
}

/* Each node once, in the order of its first task, with its number of tasks. */
static void list_slots(const struct host *list, size_t count, struct buf *out)
{
	CLEANUP_FREE const struct host **sorted = xcalloc(count + 1, sizeof(*sorted));
	CLEANUP_FREE unsigned *slots = xcalloc(count + 1, sizeof(*slots));
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		sorted[i] = &list[i];
	qsort(sorted, count, sizeof(*sorted), by_name);
	for (size_t i = 0; i < count; i++) {
		if (is_vacant(sorted[i]))
			continue;
		if (n == 0 || strcmp(sorted[n - 1]->name, sorted[i]->name) != 0)
			sorted[n++] = sorted[i];
		slots[sorted[n - 1] - list]++;
	}
	qsort(sorted, n, sizeof(*sorted), by_place);
	for (size_t i = 0; i < n; i++)
		buf_addf(out, "%s slots=%u\n", sorted[i]->name, slots[sorted[i] - list]);
}

int shepherd_write_host_file(struct shepherd *s, enum host_file file, const struct buf *text)
{
	char name[HOST_FILE_NAME], fresh[HOST_FILE_NAME];
	CLEANUP_CLOSE int fd = -1;

	host_file_name(&s->task->order.key, HOST_FILE_NEW, fresh);
	host_file_name(&s->task->order.key, file, name);
	unlinkat(s->task->spool->scripts, fresh, 0);
	fd = openat(s->task->spool->scripts, fresh,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400);
	if (fd < 0 || write(fd, text->data, text->len) != (ssize_t)text->len)
		return errno ? -errno : -ENOSPC;
	if (shepherd_privileged() && fchown(fd, s->body->uid, s->body->gid) < 0)
		return -errno;
	/* who reads it meanwhile has the old one or the new one as a whole */
	return renameat(s->task->spool->scripts, fresh, s->task->spool->scripts, name) < 0 ? -errno
											   : 0;
}

/* A program beside the stub. */
static const char *program_path(struct shepherd *s, const char *name)
{
	const char *stub = s->task->stub, *slash = strrchr(stub, '/');

	return arena_printf(s->arena, "%.*s/%s", slash ? (int)(slash - stub) : 1,
			    slash ? stub : ".", name);
}

static void set_variables(struct shepherd *s)
{
	const char *values[] = {
		[AGENT] = program_path(s, "arun-agent"), [RANK] = program_path(s, "arun-rank")};
	char name[HOST_FILE_NAME];

	for (enum host_file f = 0; f < HOST_FILE_RANKS; f++) {
		host_file_name(&s->task->order.key, f, name);
		values[f] = arena_printf(s->arena, "%s/scripts/%s", s->task->spool->path, name);
	}
	/* without a launcher in the first task, the list is all that a program of an elastic job needs */
	for (size_t i = 0; i < (s->body->hosts_plain ? 1 : ARRAY_SIZE(variables)); i++)
		shepherd_environment_set(s, variables[i].name,
					 variables[i].text ? variables[i].text
							   : values[variables[i].file]);
	if (s->body->hosts_plain)
		return;
	/* the program that Open MPI runs before each rank */
	shepherd_environment_default(s, "OMPI_MCA_orte_fork_agent", values[RANK]);
	shepherd_environment_default(s, "PRTE_MCA_prte_fork_agent", values[RANK]);
}

/*
 * Open MPI would bind a rank to cores that it chooses among those of the node's tasks. With several tasks
 * on a node each rank has the cpus of its task; values of the user have priority.
 */
static void set_binding_variables(struct shepherd *s, const struct host *list, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (strcmp(list[i].name, list[i - 1].name) != 0)
			continue;
		shepherd_environment_default(s, "OMPI_MCA_hwloc_base_binding_policy", "none");
		shepherd_environment_default(s, "PRTE_MCA_hwloc_default_binding_policy", "none");
		return;
	}
}

/* True if nodes with different names have one address: they are slices of one machine. */
static bool share_machine(const struct host *list, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (list[0].address[0] && strcmp(list[i].name, list[0].name) != 0 &&
		    strcmp(list[i].address, list[0].address) == 0)
			return true;
	return false;
}

/*
 * Open MPI distinguishes machines by their own names. Several of its daemons on one machine
 * conflict in shared memory: in the segments of the ranks and of the topology. These defaults avoid
 * shared memory; values of the user have priority.
 */
static void set_shared_variables(struct shepherd *s, const struct host *list)
{
	shepherd_environment_default(s, "OMPI_MCA_btl", "^vader,sm");
	shepherd_environment_default(s, "OMPI_MCA_rtc_hwloc_vmhole", "none");
	if (strncmp(list[0].address, "127.", 4) == 0)
		shepherd_environment_default(s, "OMPI_MCA_btl_tcp_if_include", "127.0.0.0/8");
}

static int write_files(struct shepherd *s, const struct host *list, size_t count)
{
	struct buf texts[HOST_FILE_RANKS] = {{0}};
	int rc = 0;

	list_tasks(list, count, &texts[HOST_FILE_TASKS]);
	list_slots(list, count, &texts[HOST_FILE_SLOTS]);
	for (enum host_file f = 0; rc == 0 && f < HOST_FILE_RANKS; f++)
		rc = shepherd_write_host_file(s, f, &texts[f]);
	for (enum host_file f = 0; f < HOST_FILE_RANKS; f++)
		buf_done(&texts[f]);
	return rc;
}

int shepherd_hosts(struct shepherd *s)
{
	struct host *list;
	size_t count;
	int rc;

	if (s->body->hosts.len == 0)
		return 0;
	count = read_hosts(&s->body->hosts, s->arena, &list);
	rc = write_files(s, list, count);
	if (rc < 0)
		return err_sys(&s->why, rc, "cannot write the list of hosts to the spool");
	set_variables(s);
	if (s->body->hosts_plain)
		return 0;
	set_binding_variables(s, list, count);
	if (share_machine(list, count))
		set_shared_variables(s, list);
	return 0;
}

bool shepherd_hosts_changed(struct shepherd *s, const ProtobufCBinaryData *hosts, int *ret_rc)
{
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	struct host *list;
	size_t count;

	if (hosts->len == 0 || (hosts->len == s->body->hosts.len &&
				memcmp(hosts->data, s->body->hosts.data, hosts->len) == 0))
		return false;
	free(s->new_hosts); /* at first the list is in the arena of the body */
	s->new_hosts = xmemdup(hosts->data, hosts->len);
	s->body->hosts = (ProtobufCBinaryData){hosts->len, s->new_hosts};
	count = read_hosts(hosts, arena, &list);
	*ret_rc = write_files(s, list, count);
	return true;
}
