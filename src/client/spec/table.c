/*
 * The table of the options of a job. It serves the command line of asubmit and arun, #ARMADA lines,
 * ASUBMIT_* variables, job files, libarmada and actl update.
 *
 * A row names the field of struct spec for its value, and the allowed values. An option whose value
 * is not one plain value has a function in one of these files: size.c, place.c, wait.c, order.c,
 * run.c, limits.c.
 */

#include "client/spec/label.h"
#include "client/spec/limits.h"
#include "client/spec/order.h"
#include "client/spec/place.h"
#include "client/spec/run.h"
#include "client/spec/sbatch.h"
#include "client/spec/size.h"
#include "client/spec/spec.h"
#include "client/spec/wait.h"
#include "util/mem.h"

#define FACTOR_IS_OF_QUEUES                                                                        \
	"a priority factor belongs to a queue: actl queue update NAME --factor=N (lower means "    \
	"a larger share); a job has a --priority (lower runs first) and a "                        \
	"--priority-class (higher is more urgent)"

#define SBATCH_ROW(name, alias, letter, arg, sentence)                                             \
	{name, alias, letter, arg, OPT_REFUSE(sentence), NULL},

/* clang-format off */
static const struct opt rows[] = {
	/* job, order and start, arrays and gangs */
	{"name", "job-name", 'J', "NAME", OPT_WORD(struct spec, job.name),
	 "Name of the job (default: the name of the script)"},
	{"queue", "partition -p", 'q', "QUEUE", OPT_WORD(struct spec, job.queue),
	 "Queue to submit to (default: your own queue)"},
	{"job-set", NULL, 0, "NAME", OPT_WORD(struct spec, job.job_set),
	 "Job set: a set of jobs that can be listed and cancelled together"},
	{"priority", NULL, 0, "N", OPT_CALL(spec_set_priority),
	 "Priority in its queue: lower runs first (default: 0)"},
	{"nice", NULL, 0, "[N]", OPT_CALL(spec_set_nice),
	 "Add N to the priority, so that the job runs later in its queue (default: 100)"},
	{"priority-class", NULL, 0, "CLASS", OPT_CALL(spec_set_priority_class),
	 "Priority class: higher is more urgent; it also determines whether the job may be preempted"},
	{"priority-factor", "factor", 0, "N", OPT_REFUSE(FACTOR_IS_OF_QUEUES), NULL},
	{"account", NULL, 'A', "NAME", OPT_READ(struct spec, job.account, spec_read_account, NULL),
	 "Account that the use of the job is counted for (default: the one that armada.conf gives you)"},
	{"qos", NULL, 0, "NAME", OPT_CALL(spec_refuse_qos), NULL},
	{"mail-type", NULL, 0, "LIST", OPT_READ(struct spec, job.mail_types, spec_read_mail_types, NULL),
	 "Send mail about the job: BEGIN, END, FAIL, REQUEUE, TIME_LIMIT, ARRAY_TASKS (one for each element), ALL or NONE"},
	{"mail-user", NULL, 0, "ADDRESS", OPT_READ(struct spec, job.mail_user, spec_read_mail_user, NULL),
	 "Address of these mails; the default is the submitting user"},
	{"label", "labels job-label", 0, "KEY=VALUE", OPT_CALL(spec_set_job_labels),
	 "Labels, which select jobs in listings: team=physics,run=7; may be repeated"},
	{"annotation", "annotations", 0, "KEY=TEXT", OPT_CALL(spec_set_annotation),
	 "A note that is stored with the job; may be repeated"},
	{"comment", NULL, 0, "TEXT", OPT_WORD(struct spec, job.comment),
	 "Comment that is stored with the job"},
	{"array", NULL, 'a', "LIST", OPT_CALL(spec_set_array),
	 "Run one element for each index: 1-1000%20, 0,5,7-9, 0-100:4"},
	{"gang-id", NULL, 0, "NAME", OPT_WORD(struct spec, job.gang_id),
	 "Start together with the other jobs of this gang, in the same queue and job set"},
	{"gang-cardinality", NULL, 0, "N", OPT_INT(struct spec, job.gang_cardinality, 1, SPEC_TASKS_MAX),
	 "Number of jobs in the gang, which waits until all of them have been submitted"},
	{"gang-min", NULL, 0, "N", OPT_INT(struct spec, job.gang_min, 1, SPEC_TASKS_MAX),
	 "Minimum number of jobs of the gang that must start together (default: all of them)"},
	{"dependency", NULL, 'd', "LIST", OPT_CALL(spec_set_dependency),
	 "Wait for other jobs: afterok:12:14,afterany:15, after:12+10, aftercorr:9, singleton"},
	{"kill-on-invalid-dep", NULL, 0, "yes|no", OPT_CHOICE(struct spec, job.keep_invalid_dependency, "yes|no"),
	 "Cancel the job if its dependency can never be satisfied (default: yes), or leave it pending"},
	{"begin", NULL, 'b', "TIME", OPT_READ(struct spec, job.begin_us, spec_read_begin, NULL),
	 "Do not start the job before this time: 16:30, now+2hours, tomorrow, 2027-01-31T08:00"},
	{"hold", NULL, 'H', NULL, OPT_FLAG(struct spec, job.hold),
	 "Do not start the job until it is released with actl release"},
	{"requeue", NULL, 0, "[N]", OPT_CALL(spec_set_requeue),
	 "Requeue the job when its node fails or when it is preempted (default); N: at most N times after failures"},
	{"no-requeue", NULL, 0, NULL, OPT_CALL(spec_set_no_requeue),
	 "Let the job fail instead of requeuing it"},
	{"scavenge", NULL, 0, "[yes|no]", OPT_CALL(spec_set_scavenge),
	 "Run in resources that nobody else uses, also in reserved ones, until another job needs them"},
	{"lease", NULL, 0, "TIME", OPT_CALL(spec_set_lease),
	 "How long the tasks continue while their node cannot reach the controller"},
	{"no-fence", NULL, 0, NULL, OPT_CALL(spec_set_no_fence),
	 "No lease: the tasks continue without the controller, and the job stays on its nodes"},
	/* tasks, resources and nodes */
	{"ntasks", NULL, 'n', "N", OPT_INT(struct spec, shape.tasks, 1, SPEC_TASKS_MAX),
	 "Number of tasks, which start together (default: 1)"},
	{"nodes", NULL, 'N', "N[-MAX]", OPT_CALL(spec_set_nodes),
	 "Number of distinct nodes, or MIN-MAX; without --ntasks each gets one task"},
	{"ntasks-per-node", NULL, 0, "N", OPT_INT(struct spec, shape.tasks_per_node, 1, SPEC_TASKS_MAX),
	 "Number of tasks on each node"},
	{"min-tasks", "min-available", 0, "N", OPT_INT(struct spec, shape.min_tasks, 1, SPEC_TASKS_MAX),
	 "Minimum number of tasks that must start together; the others start when there is room (--elastic)"},
	{"elastic", NULL, 0, "[yes|no]", OPT_CALL(spec_set_elastic),
	 "Start tasks beyond --min-tasks later, while the job runs (default: yes for a command, no for a script)"},
	{"elastic-signal", NULL, 0, "SIG", OPT_CALL(spec_set_elastic_signal),
	 "Send this signal to the tasks of an elastic job when tasks join or leave"},
	{"launch", NULL, 0, "WHICH", OPT_CALL(spec_set_launch),
	 "first (default for a script): the first task runs the program; all (default for a command): each does"},
	{"mpi", NULL, 0, "WHICH", OPT_CHOICE(struct spec, job.mpi, "auto|none"),
	 "auto (default): prepare the environment for mpirun, with --launch=first; none: do not"},
	{"on-task-failure", NULL, 0, "POLICY", OPT_CALL(spec_set_on_task_failure),
	 "What happens when a task fails: fail_job (default), restart_job or replace_task"},
	{"cpus", "cpus-per-task", 'c', "N", OPT_CPU(struct spec, shape.cpu_milli, 1, ": must be more than 0"),
	 "Cpus of each task; fractions are written as 0.5 or 500m"},
	{"cpus-per-gpu", NULL, 0, "N", OPT_CPU(struct spec, shape.cpu_milli_per_gpu, 1, ": must be more than 0"),
	 "Cpus for each gpu of a task"},
	{"mincpus", NULL, 0, "N", OPT_CPU(struct spec, shape.cpu_milli_per_node, 1, ": must be more than 0"),
	 "Minimum number of cpus of the tasks on each node, together"},
	{"memory", NULL, 0, "SIZE", OPT_WITH(spec_set_amount, &spec_amounts[SPEC_MEMORY]),
	 "Memory of each task: 4G, 500M, 500"},
	{"mem", NULL, 0, "SIZE", OPT_CALL(spec_set_mem),
	 "Memory of each node, divided among the tasks on it"},
	{"mem-per-cpu", "memory-per-cpu", 0, "SIZE", OPT_WITH(spec_set_amount, &spec_amounts[SPEC_MEM_PER_CPU]),
	 "Memory for each cpu of a task"},
	{"mem-per-gpu", NULL, 0, "SIZE", OPT_WITH(spec_set_amount, &spec_amounts[SPEC_MEM_PER_GPU]),
	 "Memory for each gpu of a task"},
	{"gpus", NULL, 'G', "N", OPT_WITH(spec_set_amount, &spec_amounts[SPEC_GPUS]),
	 "Gpus of the whole job (2, or a100:2 for a type), divided evenly among its tasks"},
	{"gpus-per-task", NULL, 0, "N", OPT_WITH(spec_set_amount, &spec_amounts[SPEC_GPUS_PER_TASK]),
	 "Gpus of each task"},
	{"gpus-per-node", NULL, 0, "N", OPT_WITH(spec_set_amount, &spec_amounts[SPEC_GPUS_PER_NODE]),
	 "Gpus of each node, divided evenly among the tasks on it"},
	{"resource", NULL, 0, "NAME=AMOUNT", OPT_CALL(spec_set_resource),
	 "Other resources of each task: fpga=1,scratch=500G; may be repeated"},
	{"gres", NULL, 0, "NAME:N", OPT_CALL(spec_set_gres),
	 "Gpus and other resources of each node, as Slurm writes them: gpu:2, gpu:a100:2, fpga:1"},
	{"licenses", "license", 'L', "LIST", OPT_CALL(spec_set_licenses),
	 "Licenses and other resources of the cluster, for the whole job: matlab:2,ansys"},
	{"tmp", NULL, 0, "SIZE", OPT_CALL(spec_set_tmp),
	 "The resource tmp of each node: 20G, 500M, 500"},
	{"ntasks-per-gpu", NULL, 0, "1", OPT_CALL(spec_set_tasks_per_gpu),
	 "One task for each gpu: with --gpus one for each of them, with --ntasks one gpu for each task"},
	{"time", NULL, 't', "TIME", OPT_CALL(spec_set_time),
	 "Time limit: minutes, 90s, 2h, HH:MM:SS, D-HH:MM:SS, UNLIMITED"},
	{"time-min", NULL, 0, "TIME", OPT_CALL(spec_set_time_min),
	 "Lower the time limit down to this, if the job starts sooner so"},
	{"deadline", NULL, 0, "TIME", OPT_READ(struct spec, job.deadline_us, spec_read_begin, NULL),
	 "Cancel the job while it waits if it cannot end before this time; same forms as --begin"},
	{"grace-period", NULL, 0, "TIME", OPT_CALL(spec_set_grace),
	 "Time between SIGTERM and SIGKILL when the job is ended"},
	{"signal", NULL, 0, "SIG[@SECONDS]", OPT_CALL(spec_set_signal),
	 "Send this signal SECONDS before the time limit (default: 60); B:SIG: to the script only"},
	{"exclusive", NULL, 0, "[HOW]", OPT_CALL(spec_set_exclusive),
	 "Allow no other job on the nodes of the job; user: only jobs of the same user"},
	{"constraint", NULL, 'C', "LABELS", OPT_CALL(spec_set_labels),
	 "Labels that the nodes must have: key=value&key2, gpu=a100|gpu=h100; !key excludes nodes with the label"},
	{"toleration", "tolerations", 0, "TAINTS", OPT_CALL(spec_set_tolerations),
	 "Taints that the job tolerates: key, key=value, or * for all taints; may be repeated"},
	{"nodelist", NULL, 'w', "NODES", OPT_CALL(spec_set_nodelist),
	 "Run only on these nodes: cn[01-04,07]"},
	{"exclude", NULL, 'x', "NODES", OPT_CALL(spec_set_exclude),
	 "Do not run on these nodes"},
	{"uniformity", "gang-uniformity", 0, "LABEL", OPT_WORD(struct spec, job.uniformity),
	 "All nodes of the job, or of its gang, must have the same value of this label"},
	/* binding, input, output and environment */
	{"bind", "cpu-bind", 0, "HOW", OPT_CALL(spec_set_bind),
	 "Bind each task to its cpus, or to their cores, sockets or numa nodes; none: to nothing "
	 "(default: as its node does)"},
	{"chdir", NULL, 'D', "DIR", OPT_WORD(struct spec, job.chdir),
	 "Working directory (default: the current directory)"},
	{"output", NULL, 'o', "FILE", OPT_WORD(struct spec, job.output),
	 "File for standard output; %j %A %a %t %N %x %u are replaced"},
	{"error", NULL, 'e', "FILE", OPT_WORD(struct spec, job.error),
	 "File for standard error (default: with standard output)"},
	{"input", NULL, 'i', "FILE", OPT_WORD(struct spec, job.input),
	 "File for standard input (default: /dev/null)"},
	{"open-mode", NULL, 0, "MODE", OPT_CALL(spec_set_open_mode),
	 "append to the output files, or truncate them (default)"},
	{"export", NULL, 0, "LIST", OPT_CALL(spec_set_export),
	 "Environment to pass on: ALL, NONE, or NAME,NAME=value,... (default: ALL)"},
	{"get-user-env", NULL, 0, "[TIME]", OPT_CALL(spec_set_login_env),
	 "Add the environment of a login of yours, where the submitting process has no other value"},
	{"umask", NULL, 0, "MASK", OPT_CALL(spec_set_umask),
	 "File mode mask of the tasks, in octal (default: yours)"},
	{"propagate", NULL, 0, "LIST", OPT_CALL(spec_set_propagate),
	 "Resource limits (ulimit) to pass on: ALL, NONE, or nofile,core,... (default: ALL,-memlock,-nproc)"},
	/* options of sbatch that ask for what is always done */
	{"ignore-pbs", NULL, 0, NULL, OPT_CALL(spec_accept), NULL},
	{"stepmgr", NULL, 0, NULL, OPT_CALL(spec_accept), NULL},
	{"wait-all-nodes", NULL, 0, "0|1", OPT_CALL(spec_accept_wait_all_nodes), NULL},
	SBATCH_TABLE(SBATCH_ROW)
};
/* clang-format on */

const struct opt_table spec_options = {"Job options", rows, ARRAY_SIZE(rows)};
