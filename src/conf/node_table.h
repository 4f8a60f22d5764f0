/*
 * The one table of the fields of a node.
 *
 * A row defines everything about a field: its member of struct conf_node, its key of `nodes` in armada.conf,
 * its option of armd, and its column of anode, which is also its key in JSON and a line of `actl show node`.
 * All of them show the fields in the order of the rows.
 *
 * FIELD(member of struct conf_node: what armada.conf and the command line of armd declare,
 *       DECLARED(name): a text that armd registers from that member, or DETECTED(name): a value that it
 *         detects; RegisterNode, NodeSet and NodeRow have a field of this name,
 *       IN_FILE(row of conf/tables.c),
 *       OPTION(name, letter, value, OPT_..., sentence),
 *       COLUMN(name, heading, letter of a %-format, LEFT or RIGHT, or WIDE: LEFT and cut first,
 *         CELL..., colour, sentence))
 *
 * NODE_NONE stands for a group that the field does not have. Each user of the table defines the groups that
 * it reads: conf/tables.c those of armada.conf, armd/options.c the options, cmd/listing/node_columns.c the
 * columns.
 *
 * A new text is a row and a field of the three messages, then `make manual`, which gives armd(8) and
 * anode(1) a paragraph with the sentence of the row where they have none. A field of another type also needs
 * code: armd/node.c chooses its value, armd/machine/inventory.c registers it, core/lifecycle/node_labels.c
 * takes it.
 */
#pragma once

#define NODE_NONE

/* clang-format off */
#define NODE_COLUMN(FIELD, column) FIELD(NODE_NONE, NODE_NONE, NODE_NONE, NODE_NONE, column)

#define NODE_TABLE(FIELD) \
	NODE_COLUMN(FIELD, COLUMN("name", "NODE", 'N', LEFT, CELL_TEXT(NODE, name), NULL, "Name of the node")) \
	NODE_COLUMN(FIELD, COLUMN("state", "STATE", 'T', LEFT, CELL(state_text, NULL), state_colour, "State")) \
	NODE_COLUMN(FIELD, COLUMN("tasks", "TASKS", 0, RIGHT, CELL_INT(NODE, tasks), NULL, "Number of tasks that run there")) \
	FIELD(int64_t cpu_milli;, NODE_NONE, \
	  IN_FILE(ROW(conf_node, CPU, cpus, cpu_milli, "0", .max = 1e9, .reload = true, \
	    .help = "Cpus that the node must have; 0: the cpus that armd detects.")), \
	  OPTION("cpus", 'C', "CPUS", OPT_CPU(struct armd_options, node.cpu_milli, 1, "a node needs more than 0 cpus"), \
	    "Offer CPUS cpus (default: as configured, else as detected)"), \
	  COLUMN("cpus", "CPUS", 'C', RIGHT, CELL_CUSTOM(of_all, NULL, "cpu"), NULL, "Cpus: allocated/total")) \
	FIELD(int64_t memory_bytes;, NODE_NONE, \
	  IN_FILE(ROW(conf_node, SIZE, memory, memory_bytes, "0", .max = TIB(1024), .reload = true, \
	    .help = "Memory that the node must have; 0: the memory that armd detects.")), \
	  OPTION("memory", 'm', "SIZE", \
	    OPT_SIZE(struct armd_options, node.memory_bytes, 1, "a node needs more than 0 bytes of memory"), \
	    "Offer SIZE of memory (default: as configured, else as detected)"), \
	  COLUMN("memory", "MEMORY", 'm', RIGHT, CELL_CUSTOM(of_all, NULL, "memory"), NULL, "Memory: allocated/total")) \
	FIELD(int64_t gpus;, NODE_NONE, \
	  IN_FILE(ROW(conf_node, INT, gpus, gpus, "0", .max = 1024, .reload = true, \
	    .help = "Gpus that the node must have; 0: the gpus that armd detects.")), \
	  OPTION("gpus", 'G', "N", OPT_INT(struct armd_options, node.gpus, 0, 1024), \
	    "Offer N gpus (default: as configured, else as detected)"), \
	  COLUMN("gpus", "GPUS", 'G', RIGHT, CELL_CUSTOM(of_all, NULL, "gpu"), NULL, "Gpus: allocated/total")) \
	NODE_COLUMN(FIELD, COLUMN("cpu_total", "CPU_TOTAL", 0, RIGHT, CELL_NUMBER(total, "cpu", NULL), NULL, "Total cpus in millicores")) \
	NODE_COLUMN(FIELD, COLUMN("cpu_free", "CPU_FREE", 0, RIGHT, CELL_NUMBER(unused, "cpu", NULL), NULL, "Millicores that are not allocated")) \
	NODE_COLUMN(FIELD, COLUMN("memory_total", "MEM_TOTAL", 0, RIGHT, CELL_NUMBER(total, "memory", NULL), NULL, "Total memory in bytes")) \
	NODE_COLUMN(FIELD, COLUMN("memory_free", "MEM_FREE", 0, RIGHT, CELL_NUMBER(unused, "memory", NULL), NULL, "Bytes that are not allocated")) \
	NODE_COLUMN(FIELD, COLUMN("total", "TOTAL", 0, WIDE, CELL(total_text, total_json), NULL, "Total of every resource")) \
	NODE_COLUMN(FIELD, COLUMN("allocated", "ALLOCATED", 0, WIDE, CELL(allocated_text, allocated_json), NULL, "Allocated amount of every resource")) \
	FIELD(const char **labels; size_t label_count;, NODE_NONE, \
	  IN_FILE(LIST(conf_node, STRINGS, labels, labels, label_count, check_label, .reload = true, \
	    .help = "Labels as \"key=value\", which jobs can require (asubmit --constraint).")), \
	  OPTION("label", 'l', "KEY=VALUE", \
	    OPT_LIST(struct armd_options, node.labels, node.label_count, LABELS_MAX, check_label), \
	    "A label that jobs can require; may be repeated"), \
	  COLUMN("labels", "LABELS", 'f', WIDE, CELL(labels_text, labels_json), NULL, "Labels")) \
	FIELD(const char **taints; size_t taint_count;, NODE_NONE, \
	  IN_FILE(LIST(conf_node, STRINGS, taints, taints, taint_count, check_taint, .reload = true, \
	    .help = "Taints as \"key=value:NoSchedule\": only jobs that tolerate them (asubmit --toleration) are " \
	      "started on the node. A taint with the effect PreferNoSchedule is displayed, but does not keep jobs " \
	      "away.")), \
	  OPTION("taint", 't', "KEY=VALUE:EFFECT", \
	    OPT_LIST(struct armd_options, node.taints, node.taint_count, LABELS_MAX, check_taint), \
	    "Start only jobs that tolerate this taint (effect NoSchedule); may be repeated"), \
	  COLUMN("taints", "TAINTS", 0, WIDE, CELL(taints_text, NULL), NULL, "Taints")) \
	FIELD(const char **gpu_devices; size_t gpu_device_count;, NODE_NONE, \
	  IN_FILE(LIST(conf_node, STRINGS, gpu_devices, gpu_devices, gpu_device_count, check_path, .reload = true, \
	    .help = "Paths of its gpus' device files, in the order of the gpus' numbers, if armd does not detect " \
	      "them.")), \
	  NODE_NONE, NODE_NONE) \
	FIELD(const char **resources; size_t resource_count;, NODE_NONE, \
	  IN_FILE(LIST(conf_node, STRINGS, resources, resources, resource_count, check_node_resource, .reload = true, \
	    .help = "Amounts of other resources, as \"fpga=2\" or \"scratch=2T\", of which the node must not report less. " \
	      "The files of countable devices may stand for their number: \"fpga=/dev/fpga[0-1]\"; a task can " \
	      "then open only its own. " \
	      "armd offers them; armctld adds those that the node does not report, and follows a reload. The " \
	      "names are those of resources.")), \
	  OPTION("resource", 'r', "NAME=AMOUNT", \
	    OPT_LIST(struct armd_options, node.resources, node.resource_count, LABELS_MAX, check_offer), \
	    "Offer an amount of another resource, as fpga=2 or scratch=2T, or its devices, as fpga=/dev/fpga[0-1]; may be repeated"), \
	  NODE_NONE) \
	FIELD(NODE_NONE, NODE_NONE, NODE_NONE, \
	  OPTION("spool", 's', "DIR", OPT_CHECKED(struct armd_options, spool, check_path), \
	    "Keep the state of this node in DIR (default: NAME under spool_dir)"), \
	  NODE_NONE) \
	NODE_COLUMN(FIELD, COLUMN("reason", "REASON", 'E', WIDE, CELL_TEXT(NODE, reason), NULL, "Why the node is not up")) \
	NODE_COLUMN(FIELD, COLUMN("reason_by", "BY", 'u', LEFT, CELL_TEXT(NODE, reason_by), NULL, "User, daemon or check that set the reason")) \
	NODE_COLUMN(FIELD, COLUMN("reason_time", "SINCE", 'H', LEFT, CELL_QUANTITY(NODE, reason_us, format_time), NULL, "When the reason was set; microseconds since 1970 in JSON")) \
	NODE_COLUMN(FIELD, COLUMN("last_seen", "LAST_SEEN", 0, LEFT, CELL_QUANTITY(NODE, last_seen_us, format_time), NULL, "When the controller last heard from the node")) \
	NODE_COLUMN(FIELD, COLUMN("silent", "SILENT", 0, RIGHT, CELL(silent_text, silent_json), NULL, \
	  "How long a node that is not connected has not been heard of; seconds in JSON, or null")) \
	FIELD(NODE_NONE, DETECTED(boot_us), NODE_NONE, NODE_NONE, \
	  COLUMN("boot_time", "BOOTED", 0, LEFT, CELL_QUANTITY(NODE, boot_us, format_time), NULL, "When the node was booted")) \
	NODE_COLUMN(FIELD, COLUMN("lease_left", "LEASE", 0, RIGHT, CELL_QUANTITY(NODE, lease_left_s, format_seconds), NULL, "Time that its tasks may continue without the controller; seconds in JSON")) \
	NODE_COLUMN(FIELD, COLUMN("extension", "EXTENDED", 0, RIGHT, CELL_QUANTITY(NODE, extension_left_s, format_seconds), NULL, "Remaining time of the extension of leases (actl lease extend); seconds in JSON")) \
	NODE_COLUMN(FIELD, COLUMN("extension_reason", "WHY_EXTENDED", 0, WIDE, CELL_TEXT(NODE, extension_reason), NULL, "Reason for the extension")) \
	NODE_COLUMN(FIELD, COLUMN("rebooting", "REBOOT", 0, LEFT, CELL_BOOL(NODE, rebooting), NULL, "Whether the node will be rebooted")) \
	NODE_COLUMN(FIELD, COLUMN("set_labels", "SET_LABELS", 0, WIDE, CELL(set_labels_text, NULL), NULL, "Labels that were set by anode label")) \
	NODE_COLUMN(FIELD, COLUMN("connected", "CONNECTED", 0, LEFT, CELL_BOOL(NODE, connected), NULL, "Whether the armd of the node is connected to the controller")) \
	FIELD(NODE_NONE, DETECTED(release), NODE_NONE, NODE_NONE, \
	  COLUMN("release", "RELEASE", 'v', LEFT, CELL_TEXT(NODE, release), NULL, "Release of its armd")) \
	FIELD(NODE_NONE, DETECTED(containment), NODE_NONE, NODE_NONE, \
	  COLUMN("containment", "CONTAINMENT", 0, LEFT, CELL_TEXT(NODE, containment), NULL, \
	    "The plugin that limits and kills its tasks: cgroup2, cgroup1, rlimit")) \
	FIELD(NODE_NONE, DETECTED(not_limited), NODE_NONE, NODE_NONE, \
	  COLUMN("not_limited", "NOT_LIMITED", 0, LEFT, CELL_TEXT(NODE, not_limited), NULL, \
	    "What that plugin does not limit there although the site wants it, such as \"memory,cpu,devices\". " \
	    "A listing without --format has this column where a listed node has a value; see armd(8)")) \
	FIELD(const char *cpu_containment;, DETECTED(cpu_containment), \
	  IN_FILE(CHECKED(conf_node, STRING, cpu_containment, cpu_containment, "", check_cpu_containment, \
	    .help = "bind, quota or weight: overrides cpu_containment of the cluster for this node. armd reads " \
	      "it from the file on its node.")), \
	  NODE_NONE, \
	  COLUMN("cpu_containment", "CPU_CONTAINMENT", 0, WIDE, CELL_TEXT(NODE, cpu_containment), NULL, \
	    "How its tasks get the cpus that they ask for: bind, quota, weight or none, and in parentheses why this " \
	    "is not what cpu_containment says; see armd(8)")) \
	NODE_COLUMN(FIELD, COLUMN("cpus_weaker", "CPUS_WEAKER", 0, WIDE, CELL(cpus_weaker_text, NULL), NULL, \
	    "The same, where this is not what cpu_containment says; else empty. A listing without --format has this " \
	    "column where a listed node has a value")) \
	FIELD(const char *address;, DECLARED(address), NODE_NONE, \
	  OPTION("address", 'a', "HOST", OPT_CHECKED(struct armd_options, node.address, check_address), \
	    "Address of tasks of this node (default: the local address of the connection to the controller)"), \
	  COLUMN("address", "ADDRESS", 'o', LEFT, CELL_TEXT(NODE, address), NULL, "Address at which its tasks are reached"))
/* clang-format on */
