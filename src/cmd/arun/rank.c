/*
 * arun-rank: starts a process of mpirun as one of its job's tasks on the node.
 *
 *	arun-rank [--file=FILE] PROGRAM...	a rank
 *	arun-rank --daemon PROGRAM...		the daemon of mpirun on this node
 *	arun-rank --hydra PROGRAM...		the daemon of MPICH and Intel MPI
 *
 * mpirun has one daemon on a node, in the first of the job's tasks there, and starts all its ranks
 * below it, with one environment. arun-rank gives each rank the variables and the cpus of a task: of
 * the first, second ... by the rank's number on the node, and again from the first when there are
 * more ranks than tasks. A daemon gets the cpus of all these tasks.
 *
 * Open MPI runs arun-rank before each rank (orte_fork_agent). Hydra has nothing like it, so its daemon
 * is run with arun-hydra.so (hydra.c), which does it.
 *
 * Input: the file that armd/shepherd/node_tasks.c writes, and the rank's number from the library. A
 * program always runs: unchanged if one of them is missing or cannot be read. The program uses
 * nothing else of Armada: a node starts one for each rank.
 */
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CPUS = 2048, MASK_BYTES = CPUS / 8 };

struct cpus {
	union {
		cpu_set_t set;
		unsigned char bytes[MASK_BYTES];
	};
};

/* The first of these variables that is set is the number of the rank on this node. */
static const char *const local_ranks[] = {"MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK"};

/* "0-3,8". False: not such a list. */
static bool read_cpus(const char *text, struct cpus *ret)
{
	memset(ret, 0, sizeof(*ret));
	while (*text) {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last = first;

		if (end == text)
			return false;
		if (*end == '-') {
			text = end + 1;
			last = strtoul(text, &end, 10);
			if (end == text)
				return false;
		}
		if (first > last || last >= CPUS)
			return false;
		for (unsigned long cpu = first; cpu <= last; cpu++)
			CPU_SET_S(cpu, MASK_BYTES, &ret->set);
		text = *end == ',' ? end + 1 : end;
		if (*end && *end != ',')
			return false;
	}
	return CPU_COUNT_S(MASK_BYTES, &ret->set) > 0;
}

/* mpirun may have bound the rank within the cpus of its task; that stays. */
static void bind_rank(const struct cpus *cpus)
{
	struct cpus now, both;

	memset(&now, 0, sizeof(now));
	if (sched_getaffinity(0, MASK_BYTES, &now.set) == 0) {
		CPU_AND_S(MASK_BYTES, &both.set, &now.set, &cpus->set);
		if (CPU_EQUAL_S(MASK_BYTES, &both.set, &now.set))
			return;
	}
	sched_setaffinity(0, MASK_BYTES, &cpus->set);
}

/* A line of the task's part of the file. */
static void take_line(char *line)
{
	struct cpus cpus;
	char *value;

	if (strncmp(line, "set ", 4) == 0 && (value = strchr(line, '='))) {
		*value++ = '\0';
		setenv(line + 4, value, 1);
	} else if (strncmp(line, "unset ", 6) == 0) {
		unsetenv(line + 6);
	} else if (strncmp(line, "cpus ", 5) == 0 && read_cpus(line + 5, &cpus)) {
		bind_rank(&cpus);
	}
}

static bool next_line(FILE *file, char **line, size_t *cap)
{
	ssize_t n = getline(line, cap, file);

	if (n > 0 && (*line)[n - 1] == '\n')
		(*line)[n - 1] = '\0';
	return n > 0;
}

static bool begins_task(const char *line)
{
	return strncmp(line, "task ", 5) == 0;
}

static unsigned long count_tasks(FILE *file)
{
	unsigned long count = 0;
	char *line = NULL;
	size_t cap = 0;

	while (next_line(file, &line, &cap))
		count += begins_task(line);
	free(line);
	rewind(file);
	return count;
}

static void take_task(FILE *file, unsigned long number)
{
	unsigned long begun = 0;
	char *line = NULL;
	size_t cap = 0;

	while (begun <= number + 1 && next_line(file, &line, &cap)) {
		if (begins_task(line))
			begun++;
		else if (begun == number + 1)
			take_line(line);
	}
	free(line);
}

static bool local_rank(unsigned long *ret)
{
	for (size_t i = 0; i < sizeof(local_ranks) / sizeof(local_ranks[0]); i++) {
		const char *text = getenv(local_ranks[i]);
		char *end;

		if (!text)
			continue;
		*ret = strtoul(text, &end, 10);
		return *text >= '0' && *text <= '9' && !*end;
	}
	return false;
}

static void be_rank(const char *path)
{
	unsigned long rank, count;
	FILE *file;

	if (!path || !local_rank(&rank))
		return;
	file = fopen(path, "re");
	if (!file)
		return;
	count = count_tasks(file);
	if (count > 0)
		take_task(file, rank % count);
	fclose(file);
}

/* The first line of the file has the cpus of all tasks, if they are bound. */
static void be_daemon(const char *path)
{
	FILE *file = path ? fopen(path, "re") : NULL;
	struct cpus cpus;
	char *line = NULL;
	size_t cap = 0;

	if (file && next_line(file, &line, &cap) && strncmp(line, "cpus ", 5) == 0 &&
	    read_cpus(line + 5, &cpus))
		sched_setaffinity(0, MASK_BYTES, &cpus.set);
	free(line);
	if (file)
		fclose(file);
}

/* arun-hydra.so is beside this program. The daemon keeps what the user preloads. */
static void preload(void)
{
	const char *before = getenv("LD_PRELOAD");
	char self[4096], list[16384], *slash;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return;
	self[n] = '\0';
	slash = strrchr(self, '/');
	*slash = '\0';
	n = snprintf(list, sizeof(list), "%s/arun-hydra.so%s%s", self, before && *before ? ":" : "",
		     before ? before : "");
	if (n < (ssize_t)sizeof(list))
		setenv("LD_PRELOAD", list, 1);
}

int main(int argc, char **argv)
{
	const char *path = getenv("ARMADA_RANK_FILE");
	bool hydra = argc > 1 && strcmp(argv[1], "--hydra") == 0;
	bool is_daemon = hydra || (argc > 1 && strcmp(argv[1], "--daemon") == 0);
	int at = 1;

	if (argc > 1 && strncmp(argv[1], "--file=", 7) == 0)
		path = argv[at++] + 7;
	else if (is_daemon)
		at++;
	if (at >= argc) {
		fprintf(stderr, "usage: arun-rank [--file=FILE | --daemon | --hydra] PROGRAM...\n");
		return 2;
	}
	if (is_daemon)
		be_daemon(path);
	else
		be_rank(path);
	if (hydra)
		preload();
	execvp(argv[at], argv + at);
	fprintf(stderr, "arun-rank: cannot run %s: %s\n", argv[at], strerror(errno));
	return 127;
}
