/*
 * The options of a job, once for the command line of asubmit and arun, #ARMADA lines, ASUBMIT_*
 * variables, job files, libarmada and actl update.
 *
 * A row says where in struct spec its value is kept and what it may be. What is no plain value has a
 * function in one of the files beside this one: size.c, place.c, wait.c, order.c, run.c, limits.c.
 */

#include "client/spec/limits.h"
#include "client/spec/order.h"
#include "client/spec/place.h"
#include "client/spec/run.h"
#include "client/spec/size.h"
#include "client/spec/spec.h"
#include "client/spec/wait.h"
#include "util/mem.h"

#define FACTOR_IS_OF_QUEUES                                                                        \
	"a priority factor is a queue's: actl queue update NAME --factor=N (lower means "          \
	"a larger share); a job has a --priority (lower runs first) and a "                        \
	"--priority-class (higher is more urgent)"

/* clang-format off */
static const struct opt rows[] = {
	/* which job it is */
	{"name", "job-name", 'J', "NAME", OPT_WORD(struct spec, job.name),
	 "Name of the job (default: the script's name)"},
	{"queue", "partition -p", 'q', "QUEUE", OPT_WORD(struct spec, job.queue),
	 "Queue to submit to (default: your own)"},
	{"job-set", NULL, 0, "NAME", OPT_WORD(struct spec, job.job_set),
	 "Job set: a group that is listed and cancelled as one"},
	{"priority", NULL, 0, "N", OPT_CALL(spec_set_priority),
	 "Priority in its queue: lower runs first (default: 0)"},
	{"nice", NULL, 0, "[N]", OPT_CALL(spec_set_nice),
	 "Added to the priority: later in its queue by so much (default: 100)"},
	{"priority-class", NULL, 0, "CLASS", OPT_CALL(spec_set_priority_class),
	 "Priority class: higher is more urgent; says too whether it may be preempted"},
	{"priority-factor", "factor", 0, "N", OPT_REFUSE(FACTOR_IS_OF_QUEUES), NULL},
	{"qos", "account", 0, "NAME", OPT_CALL(spec_refuse_qos), NULL},
	{"comment", NULL, 0, "TEXT", OPT_WORD(struct spec, job.comment),
	 "Text kept with the job"},
	{"array", NULL, 'a', "LIST", OPT_CALL(spec_set_array),
	 "Run one element for each index: 1-1000%20, 0,5,7-9, 0-100:4"},
	{"gang-id", NULL, 0, "NAME", OPT_WORD(struct spec, job.gang_id),
	 "Start together with the other jobs of this gang, in one queue and job set"},
	{"gang-cardinality", NULL, 0, "N", OPT_INT(struct spec, job.gang_cardinality, 1, SPEC_TASKS_MAX),
	 "Jobs that the gang has: it waits until all have been submitted"},
	{"gang-min", NULL, 0, "N", OPT_INT(struct spec, job.gang_min, 1, SPEC_TASKS_MAX),
	 "So many jobs of the gang will do (default: all of them)"},
	{"dependency", NULL, 'd', "LIST", OPT_CALL(spec_set_dependency),
	 "Wait for other jobs: afterok:12:14,afterany:15, after:12+10, aftercorr:9, singleton"},
	{"kill-on-invalid-dep", NULL, 0, "yes|no", OPT_CHOICE(struct spec, job.keep_invalid_dependency, "yes|no"),
	 "Cancel it when its dependency can never hold (default: yes), or let it wait"},
	{"begin", NULL, 'b', "TIME", OPT_READ(struct spec, job.begin_us, spec_read_begin, NULL),
	 "Do not start it before: 16:30, now+2hours, tomorrow, 2027-01-31T08:00"},
	{"hold", NULL, 'H', NULL, OPT_FLAG(struct spec, job.hold),
	 "Do not start it until 'actl release'"},
	{"requeue", NULL, 0, "[N]", OPT_CALL(spec_set_requeue),
	 "Run it again when its node fails or it is preempted (default), N times at most after failures"},
	{"no-requeue", NULL, 0, NULL, OPT_CALL(spec_set_no_requeue),
	 "Fail it instead of running it again"},
	{"lease", NULL, 0, "TIME", OPT_CALL(spec_set_lease),
	 "How long its tasks run on when their node hears nothing from the controller"},
	{"no-fence", NULL, 0, NULL, OPT_CALL(spec_set_no_fence),
	 "They run on for ever then; and it is not run elsewhere because its node is silent"},
	/* what it needs */
	{"ntasks", NULL, 'n', "N", OPT_INT(struct spec, shape.tasks, 1, SPEC_TASKS_MAX),
	 "Tasks, started together (default: 1)"},
	{"nodes", NULL, 'N', "N", OPT_INT(struct spec, shape.nodes, 1, SPEC_TASKS_MAX),
	 "Distinct nodes; alone: one task on each"},
	{"ntasks-per-node", NULL, 0, "N", OPT_INT(struct spec, shape.tasks_per_node, 1, SPEC_TASKS_MAX),
	 "Tasks on each node"},
	{"min-tasks", "min-available", 0, "N", OPT_INT(struct spec, shape.min_tasks, 1, SPEC_TASKS_MAX),
	 "Start with as few as N of the tasks; those without room then are not run"},
	{"launch", NULL, 0, "WHICH", OPT_CALL(spec_set_launch),
	 "all: every task runs the program (default); first: the first does, the others stand by"},
	{"mpi", NULL, 0, "WHICH", OPT_CHOICE(struct spec, job.mpi, "auto|none"),
	 "auto tells mpirun of the job's nodes (with --launch=first), none does not"},
	{"on-task-failure", NULL, 0, "POLICY", OPT_CALL(spec_set_on_task_failure),
	 "When a task fails: fail_job (default), restart_job or replace_task"},
	{"cpus", "cpus-per-task", 'c', "N", OPT_CPU(struct spec, shape.cpu_milli, 1, ": must be more than 0"),
	 "Cpus of each task; parts of one as 0.5 or 500m"},
	{"memory", "mem", 0, "SIZE", OPT_WITH(spec_set_either, &spec_memory),
	 "Memory of each task, or of each node where tasks per node are stated: 4G, 500M, 500"},
	{"mem-per-cpu", "memory-per-cpu", 0, "SIZE", OPT_WITH(spec_set_either, &spec_memory_per_cpu),
	 "Memory for each cpu of a task"},
	{"gpus", NULL, 'G', "N", OPT_WITH(spec_set_either, &spec_gpus),
	 "Gpus of the whole job, shared evenly among its tasks"},
	{"gpus-per-task", NULL, 0, "N", OPT_WITH(spec_set_either, &spec_gpus_per_task),
	 "Gpus of each task"},
	{"time", NULL, 't', "TIME", OPT_CALL(spec_set_time),
	 "Time limit: minutes, 90s, 2h, HH:MM:SS, D-HH:MM:SS, UNLIMITED"},
	{"grace-period", NULL, 0, "TIME", OPT_CALL(spec_set_grace),
	 "From SIGTERM to SIGKILL when the job is ended"},
	{"signal", NULL, 0, "SIG[@SECONDS]", OPT_CALL(spec_set_signal),
	 "Signal to send so long before the time limit (default: 60); B:SIG: to the script alone"},
	{"exclusive", NULL, 0, NULL, OPT_FLAG(struct spec, job.exclusive),
	 "No other job on its nodes"},
	{"constraint", NULL, 'C', "LABELS", OPT_CALL(spec_set_labels),
	 "Labels its nodes must have: key=value&key2, !key for not"},
	{"toleration", "tolerations", 0, "TAINTS", OPT_CALL(spec_set_tolerations),
	 "Taints of nodes that do not matter: key, key=value, * for all; may be repeated"},
	{"nodelist", NULL, 'w', "NODES", OPT_CALL(spec_set_nodelist),
	 "Run on these nodes only: cn[01-04,07]"},
	{"exclude", NULL, 'x', "NODES", OPT_CALL(spec_set_exclude),
	 "Do not run on these nodes"},
	{"uniformity", "gang-uniformity", 0, "LABEL", OPT_WORD(struct spec, job.uniformity),
	 "All nodes of the job, or of its gang, have one value of this label"},
	/* how its tasks run */
	{"bind", "cpu-bind", 0, "HOW", OPT_CALL(spec_set_bind),
	 "Bind each task to its own cores, or their sockets or numa nodes (default: none)"},
	{"chdir", NULL, 'D', "DIR", OPT_WORD(struct spec, job.chdir),
	 "Working directory (default: where you are)"},
	{"output", NULL, 'o', "FILE", OPT_WORD(struct spec, job.output),
	 "Standard output; %j %A %a %t %N %x %u are replaced"},
	{"error", NULL, 'e', "FILE", OPT_WORD(struct spec, job.error),
	 "Standard error (default: with the output)"},
	{"input", NULL, 'i', "FILE", OPT_WORD(struct spec, job.input),
	 "Standard input (default: /dev/null)"},
	{"open-mode", NULL, 0, "MODE", OPT_CALL(spec_set_open_mode),
	 "append or truncate output files (default: truncate)"},
	{"export", NULL, 0, "LIST", OPT_CALL(spec_set_export),
	 "Environment to take along: ALL, NONE, or NAME,NAME=value,... (default: ALL)"},
	{"umask", NULL, 0, "MASK", OPT_CALL(spec_set_umask),
	 "File mode mask of the tasks, octal (default: yours)"},
	{"propagate", NULL, 0, "LIST", OPT_CALL(spec_set_propagate),
	 "Limits (ulimit) to take along: ALL, NONE, or nofile,core,... (default: ALL,-memlock,-nproc)"},
};
/* clang-format on */

const struct opt_table spec_options = {"Job options", rows, ARRAY_SIZE(rows)};
