/*
 * The environment of a job, and the table of variables that tasks get.
 *
 * environ_capture() selects variables by the list of --export. Variables that Armada sets for tasks
 * are left out, and inside a job also those that the job got for mpirun.
 */
#include "client/environ.h"

#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static const struct task_variable variables[] = {
	{"ARMADA_JOB_ID", "id of the job"},
	{"ARMADA_JOB_NAME", "name of the job"},
	{"ARMADA_ARRAY_JOB_ID", "id of the job, in arrays only"},
	{"ARMADA_ARRAY_TASK_ID", "index of this element"},
	{"ARMADA_ARRAY_TASK_MIN", "lowest index of the array"},
	{"ARMADA_ARRAY_TASK_MAX", "highest index"},
	{"ARMADA_ARRAY_TASK_COUNT", "number of elements"},
	{"ARMADA_TASK_RANK", "rank of this task, from 0"},
	{"ARMADA_TASK_COUNT", "number of tasks of this element"},
	{"ARMADA_LOCAL_RANK", "rank among the tasks on this node, from 0"},
	{"ARMADA_NODE_LIST", "nodes of this element, as a node list"},
	{"ARMADA_NODE_NAME", "name of the node of this task"},
	{"ARMADA_NODE_COUNT", "number of nodes"},
	{"ARMADA_NODE_ADDRESSES", "address of each task's node, by rank, separated by commas"},
	{"ARMADA_NODE_RANKS", "node name of each task, by rank, separated by commas"},
	{"ARMADA_NODE_ID", "index of this node among the nodes, from 0"},
	{"ARMADA_LAUNCH", "which tasks run the program: all or first"},
	{"ARMADA_HOST_FILE", "file for mpirun, with a line for the node of each task"},
	{"ARMADA_RANK_FILE",
	 "file for arun-rank, with the variables of the job's tasks on this node"},
	{"ARMADA_STEP_RANK", "rank among the tasks that arun started together"},
	{"ARMADA_STEP_SIZE", "number of these tasks"},
	{"ARMADA_STEP_ID", "in a step: its number in the job, from 0"},
	{"ARMADA_STEP_LOCAL_RANK", "rank among these tasks on this node"},
	{"ARMADA_STEP_LOCAL_SIZE", "number of these tasks on this node"},
	{"ARMADA_QUEUE", "queue"},
	{"ARMADA_ACCOUNT", "account, if the job has one"},
	{"ARMADA_LABELS",
	 "labels of the job: team=physics,run=7; also ARMADA_LABEL_TEAM=physics and so on"},
	{"ARMADA_PRIORITY_CLASS", "priority class"},
	{"ARMADA_JOB_SET", "job set; empty if the job has none"},
	{"ARMADA_ATTEMPT", "number of the attempt, from 1"},
	{"ARMADA_CPUS", "cpus of this task"},
	{"ARMADA_MEMORY", "memory of this task in bytes"},
	{"ARMADA_GPUS", "gpus of this task"},
	{"ARMADA_SUBMIT_DIR", "directory that the job was submitted from"},
	{"ARMADA_SUBMIT_HOST", "host that the job was submitted from"},
	{"ARMADA_CLUSTER", "name of the cluster"},
	{"ARMADA_USER", "user of the job"},
	{"ARMADA_TIME_LIMIT", "time limit in seconds"},
};

/* Prefixes of variables that are never passed on, also of variables of other releases. */
static const char *const families[] = {"ARMADA_JOB", "ARMADA_ARRAY", "ARMADA_TASK", "ARMADA_NODE",
				       "ARMADA_STEP"};

/* Variables that give mpirun the nodes of a job; set only in a job with ARMADA_HOST_FILE. */
static const char *const of_mpi[] = {"HYDRA_",
				     "I_MPI_HYDRA_",
				     "OMPI_MCA_btl",
				     "OMPI_MCA_hwloc_base_binding_policy",
				     "OMPI_MCA_orte_default_hostfile",
				     "OMPI_MCA_orte_fork_agent",
				     "OMPI_MCA_orte_keep_fqdn_hostnames",
				     "OMPI_MCA_orte_leave_session_attached",
				     "OMPI_MCA_plm_rsh_agent",
				     "PRTE_MCA_hwloc_default_binding_policy",
				     "PRTE_MCA_plm_ssh_agent",
				     "PRTE_MCA_prte_"};

const struct task_variable *environ_task_variables(size_t *ret_count)
{
	*ret_count = ARRAY_SIZE(variables);
	return variables;
}

static bool begins_with_any(const char *text, const char *const *prefixes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

static bool is_task_variable(const char *text, size_t len)
{
	if (begins_with_any(text, families, ARRAY_SIZE(families)))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		if (strlen(variables[i].name) == len && !memcmp(variables[i].name, text, len))
			return true;
	}
	return false;
}

/* Finds "NAME=value" of a name of len bytes; NULL: none. */
static const char *find(char *const *env, const char *name, size_t len)
{
	while (*env && (strncmp(*env, name, len) != 0 || (*env)[len] != '='))
		env++;
	return *env;
}

/* Whether the list has "NAME=value" for a NAME of len bytes; it overrides the value of env. */
static bool overridden(const char *exported, const char *name, size_t len)
{
	for (const char *at = exported; *at;) {
		size_t n = strcspn(at, ",");

		if (n > len && at[len] == '=' && !memcmp(at, name, len))
			return true;
		at += n + (at[n] == ',');
	}
	return false;
}

static void add_all(char *const *env, const char *exported, struct buf *out)
{
	bool in_list = find(env, "ARMADA_HOST_FILE", strlen("ARMADA_HOST_FILE"));

	for (; *env; env++) {
		size_t len = strcspn(*env, "=");

		if (!len || !(*env)[len] || is_task_variable(*env, len) ||
		    (in_list && begins_with_any(*env, of_mpi, ARRAY_SIZE(of_mpi))) ||
		    overridden(exported, *env, len))
			continue;
		buf_add(out, *env, strlen(*env) + 1);
	}
}

static void add_one(char *const *env, const char *name, size_t len, struct buf *out)
{
	const char *found = find(env, name, len);

	if (found)
		buf_add(out, found, strlen(found) + 1);
}

static int too_large(const struct buf *captured, int64_t max_bytes, struct err *err)
{
	const char *at = (const char *)captured->data, *end = at + captured->len, *worst = at;
	char size[32];

	for (; at < end; at += strlen(at) + 1) {
		if (strlen(at) > strlen(worst))
			worst = at;
	}
	format_size(max_bytes, size, sizeof(size));
	return err_set(err, -E2BIG,
		       "the environment is larger than the %s that a job may have; the largest "
		       "variable is %.*s; select variables with --export",
		       size, (int)strcspn(worst, "="), worst);
}

/* Variables that are passed on with every list; without PATH and HOME hardly a script works. */
static const char *const identity[] = {"HOME", "LOGNAME", "PATH", "SHELL", "USER"};

static void add_identity(char *const *env, const char *exported, struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(identity); i++)
		if (!overridden(exported, identity[i], strlen(identity[i])))
			add_one(env, identity[i], strlen(identity[i]), out);
}

static bool is_identity(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(identity); i++)
		if (strlen(identity[i]) == len && !memcmp(identity[i], name, len))
			return true;
	return false;
}

static bool has_word(const char *list, const char *word, size_t len)
{
	for (const char *at = list; *at;) {
		size_t n = strcspn(at, ",");

		if (n == len && !memcmp(at, word, len))
			return true;
		at += n + (at[n] == ',');
	}
	return false;
}

int environ_capture(char *const *env, const char *exported, int64_t max_bytes, struct buf *out,
		    struct err *err)
{
	const char *list = exported ? exported : "ALL";

	if (has_word(list, "ALL", 3))
		add_all(env, list, out);
	else
		add_identity(env, list, out);
	for (const char *at = list; *at;) {
		size_t n = strcspn(at, ",");
		size_t name = strcspn(at, "=,");

		if (name < n) {
			buf_add(out, at, n);
			buf_addc(out, '\0');
		} else if (!has_word(list, "ALL", 3) && !is_identity(at, n)) {
			add_one(env, at, n, out);
		}
		at += n + (at[n] == ',');
	}
	if ((int64_t)out->len > max_bytes)
		return too_large(out, max_bytes, err);
	return 0;
}

static bool is_captured(const struct buf *out, size_t upto, const char *name, size_t len)
{
	for (size_t at = 0; at < upto; at += strlen((const char *)out->data + at) + 1) {
		const char *have = (const char *)out->data + at;

		if (strncmp(have, name, len) == 0 && have[len] == '=')
			return true;
	}
	return false;
}

int environ_complete(char *const *env, int64_t max_bytes, struct buf *out, struct err *err)
{
	size_t upto = out->len;

	for (; *env; env++) {
		size_t len = strcspn(*env, "=");

		if (len && (*env)[len] && !is_task_variable(*env, len) &&
		    !is_captured(out, upto, *env, len))
			buf_add(out, *env, strlen(*env) + 1);
	}
	return (int64_t)out->len > max_bytes ? too_large(out, max_bytes, err) : 0;
}
