/*
 * Options of sbatch that have no counterpart here.
 *
 * Each row becomes a row of spec_options that refuses the option, and says what to do instead. The
 * options are not in --help and not completed. OPTIONS OF SBATCH in asubmit(1) has the same
 * sentences; a test compares them.
 */
#pragma once

#define NO_NODE_LAYOUT                                                                             \
	"nodes are not chosen by their sockets, cores and threads; label the nodes and use "       \
	"--constraint, and --bind to bind the tasks"
#define NO_OTHER_USER                                                                              \
	"a job runs as the user that submits it; become that user first, as with sudo -u"
#define NO_CORE_SPEC                                                                               \
	"no cores of a node are set aside by a job; armd --cpus offers fewer cpus than the node has"
#define NO_BURST_BUFFER                                                                            \
	"there are no burst buffers; copy the files in the script, or in jobs with --dependency"

/* X(name, other names, letter, value or NULL, sentence) */
/* clang-format off */
#define SBATCH_TABLE(X) \
	X("acctg-freq", NULL, 0, "LIST", "usage is always accounted; leave it out") \
	X("batch", NULL, 0, "LABEL", \
	  "the script runs on the first node of the job; use --constraint for all of them") \
	X("burst-buffer", "bb", 0, "TEXT", NO_BURST_BUFFER) \
	X("burst-buffer-file", "bbf", 0, "FILE", NO_BURST_BUFFER) \
	X("cluster-constraint", NULL, 0, "LIST", \
	  "a command talks to one cluster; choose it with ARMADA_CONF=FILE") \
	X("clusters", "cluster", 'M', "LIST", \
	  "a command talks to one cluster; choose it with ARMADA_CONF=FILE") \
	X("container", NULL, 0, "PATH", \
	  "containers are started by the script itself, as with apptainer exec or podman run") \
	X("container-id", NULL, 0, "ID", \
	  "containers are started by the script itself, as with apptainer exec or podman run") \
	X("contiguous", NULL, 0, NULL, \
	  "nodes have no order; --uniformity=LABEL takes nodes that share the value of a label, such as " \
	  "rack") \
	X("core-spec", NULL, 'S', "N", NO_CORE_SPEC) \
	X("cores-per-socket", NULL, 0, "N", NO_NODE_LAYOUT) \
	X("cpu-freq", NULL, 0, "HOW", "the frequency of cpus belongs to the administrator of the node") \
	X("delay-boot", NULL, 0, "MINUTES", "no node is booted for a job; leave it out") \
	X("distribution", NULL, 'm', "HOW", \
	  "ranks are placed node by node; --nodes and --ntasks-per-node give the tasks of each node") \
	X("export-file", NULL, 0, "FILE", \
	  "use --export=NAME=value,... or env in a job file, or let the script read the file") \
	X("extra", NULL, 0, "TEXT", "use --comment for a text that is kept with the job") \
	X("extra-node-info", NULL, 'B', "LAYOUT", NO_NODE_LAYOUT) \
	X("gid", NULL, 0, "GROUP", \
	  "a job runs with the groups of its user; use newgrp or sg before asubmit") \
	X("gpu-bind", NULL, 0, "HOW", \
	  "each task sees only its own gpus; use --gpus-per-task, and --bind for its cpus") \
	X("gpu-freq", NULL, 0, "HOW", "the frequency of gpus belongs to the administrator of the node") \
	X("gpus-per-socket", NULL, 0, "N", \
	  "use --gpus-per-task or --gpus-per-node; --bind=sockets keeps cpus near gpus") \
	X("gres-flags", NULL, 0, "HOW", \
	  "cpus near the gpus of a task are chosen where possible; --bind binds the task to them") \
	X("hint", NULL, 0, "HOW", "use --cpus and --memory for what a task needs, and --bind to bind it") \
	X("mcs-label", NULL, 0, "LABEL", \
	  "there are no security labels; queues have permissions (actl permissions)") \
	X("mem-bind", NULL, 0, "HOW", "use --bind=numa, which keeps a task on the NUMA nodes of its cpus") \
	X("network", NULL, 0, "HOW", "networks are not allocated; label the nodes and use --constraint") \
	X("no-kill", NULL, 'k', "[off]", \
	  "use --min-tasks=N with --on-task-failure=restart_job, and the job continues while N tasks are " \
	  "left") \
	X("nodefile", NULL, 'F', "FILE", "use --nodelist=$(paste -sd, FILE), with one node on each line") \
	X("ntasks-per-core", NULL, 0, "N", "use --cpus=0.5 for two tasks on a cpu") \
	X("ntasks-per-socket", NULL, 0, "N", "use --ntasks-per-node, and --bind=sockets to bind the tasks") \
	X("overcommit", NULL, 'O', NULL, "use --cpus=0.1 for tasks that need less than a cpu") \
	X("oversubscribe", "share", 's', NULL, \
	  "jobs share nodes unless one has --exclusive; use --cpus=0.5 for half a cpu") \
	X("power", NULL, 0, "HOW", "power is not managed; leave it out") \
	X("prefer", NULL, 0, "LIST", "labels cannot be preferred; --constraint=LABEL requires one") \
	X("profile", NULL, 0, "LIST", \
	  "tasks are not profiled; aqueue shows cpu time and memory, and the script may run a profiler") \
	X("reboot", NULL, 0, NULL, \
	  "nodes are not rebooted for a job; an administrator drains and reboots them (anode drain)") \
	X("reservation", NULL, 0, "NAME", \
	  "there are no reservations; an administrator taints the nodes (anode taint), and " \
	  "--toleration=TAINT gives a job access to them") \
	X("resv-ports", NULL, 0, "[N]", "ports are not reserved; let the program choose a free port") \
	X("segment", NULL, 0, "N", \
	  "use --uniformity=LABEL, which takes nodes that share the value of a label") \
	X("sockets-per-node", NULL, 0, "N", NO_NODE_LAYOUT) \
	X("spread-job", NULL, 0, NULL, "use --nodes=N, which spreads the tasks evenly over N nodes") \
	X("switches", NULL, 0, "N", \
	  "use --uniformity=LABEL with a label that names the switch of each node; all nodes then share " \
	  "it") \
	X("thread-spec", NULL, 0, "N", NO_CORE_SPEC) \
	X("threads-per-core", NULL, 0, "N", NO_NODE_LAYOUT) \
	X("tres-bind", NULL, 0, "HOW", "each task sees only its own gpus; use --bind for its cpus") \
	X("tres-per-task", NULL, 0, "LIST", "use --cpus, --memory, --gpus-per-task and --resource") \
	X("uid", NULL, 0, "USER", NO_OTHER_USER) \
	X("usage", NULL, 'u', NULL, "use --help") \
	X("use-min-nodes", NULL, 0, NULL, "use --nodes=N with the smaller number") \
	X("verbose", NULL, 'v', NULL, "nothing more is known than is printed; aexplain ID explains a waiting job") \
	X("wckey", NULL, 0, "KEY", "use --job-set or --comment to mark jobs")
/* clang-format on */
