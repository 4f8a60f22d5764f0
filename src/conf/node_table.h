/*
 * The fields of a node: the one table of them.
 *
 * A row says everything of a field that is said of no other: its member of struct conf_node, its key of
 * `nodes` in armada.conf, its option of armd, and its column of anode, which is its key in JSON and a line
 * of `actl show node` too. The order of the rows is the order in which all of them show the fields.
 *
 * FIELD(member of struct conf_node: what armada.conf and the command line of armd declare,
 *       DECLARED(name): a text that armd registers from that member, or DETECTED(name): a value that it
 *         finds itself; RegisterNode, NodeSet and NodeRow have a field of this name,
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
	NODE_COLUMN(FIELD, COLUMN("name", "NODE", 'N', LEFT, CELL_TEXT(NODE, name), NULL, "Name")) \
	NODE_COLUMN(FIELD, COLUMN("state", "STATE", 'T', LEFT, CELL(state_text, NULL), state_colour, "State")) \
	NODE_COLUMN(FIELD, COLUMN("tasks", "TASKS", 0, RIGHT, CELL_INT(NODE, tasks), NULL, "Tasks that run there")) \
	FIELD(int64_t cpu_milli;, NODE_NONE, \
	  IN_FILE(ROW(conf_node, CPU, cpus, cpu_milli, "0", .max = 1e9, .reload = true, \
	    .help = "Cpus the node must have; 0 takes what it finds.")), \
	  OPTION("cpus", 'C', "CPUS", OPT_CPU(struct armd_options, said.cpu_milli, 1, "a node has some cpu"), \
	    "Offer CPUS cpus (default: as configured, else as found)"), \
	  COLUMN("cpus", "CPUS", 'C', RIGHT, CELL_WITH(of_all, NULL, "cpu"), NULL, "Cpus: allocated/all")) \
	FIELD(int64_t memory_bytes;, NODE_NONE, \
	  IN_FILE(ROW(conf_node, SIZE, memory, memory_bytes, "0", .max = TIB(1024), .reload = true, \
	    .help = "Memory it must have; 0 takes what it finds.")), \
	  OPTION("memory", 'm', "SIZE", \
	    OPT_SIZE(struct armd_options, said.memory_bytes, 1, "a node has some memory"), \
	    "Offer SIZE of memory (default: as configured, else as found)"), \
	  COLUMN("memory", "MEMORY", 'm', RIGHT, CELL_WITH(of_all, NULL, "memory"), NULL, "Memory: allocated/all")) \
	FIELD(int64_t gpus;, NODE_NONE, \
	  IN_FILE(ROW(conf_node, INT, gpus, gpus, "0", .max = 1024, .reload = true, \
	    .help = "Gpus it must have; 0 takes what it finds.")), \
	  OPTION("gpus", 'G', "N", OPT_INT(struct armd_options, said.gpus, 0, 1024), \
	    "Offer N gpus (default: as configured, else as found)"), \
	  COLUMN("gpus", "GPUS", 'G', RIGHT, CELL_WITH(of_all, NULL, "gpu"), NULL, "Gpus: allocated/all")) \
	NODE_COLUMN(FIELD, COLUMN("cpu_total", "CPU_TOTAL", 0, RIGHT, CELL_NUMBER(total, "cpu", NULL), NULL, "Millicores")) \
	NODE_COLUMN(FIELD, COLUMN("cpu_free", "CPU_FREE", 0, RIGHT, CELL_NUMBER(unused, "cpu", NULL), NULL, "Millicores not allocated")) \
	NODE_COLUMN(FIELD, COLUMN("memory_total", "MEM_TOTAL", 0, RIGHT, CELL_NUMBER(total, "memory", NULL), NULL, "Bytes of memory")) \
	NODE_COLUMN(FIELD, COLUMN("memory_free", "MEM_FREE", 0, RIGHT, CELL_NUMBER(unused, "memory", NULL), NULL, "Bytes not allocated")) \
	NODE_COLUMN(FIELD, COLUMN("total", "TOTAL", 0, WIDE, CELL(total_text, total_json), NULL, "Every resource")) \
	NODE_COLUMN(FIELD, COLUMN("allocated", "ALLOCATED", 0, WIDE, CELL(allocated_text, allocated_json), NULL, "Every resource that is allocated")) \
	FIELD(const char **labels; size_t label_count;, NODE_NONE, \
	  IN_FILE(LIST(conf_node, STRINGS, labels, labels, label_count, check_label, .reload = true, \
	    .help = "Labels as \"key=value\", which jobs can ask for.")), \
	  OPTION("label", 'l', "KEY=VALUE", \
	    OPT_LIST(struct armd_options, said.labels, said.label_count, LABELS_MAX, check_label), \
	    "A label that jobs can ask for; may be repeated"), \
	  COLUMN("labels", "LABELS", 'f', WIDE, CELL(labels_text, labels_json), NULL, "Labels")) \
	FIELD(const char **taints; size_t taint_count;, NODE_NONE, \
	  IN_FILE(LIST(conf_node, STRINGS, taints, taints, taint_count, check_taint, .reload = true, \
	    .help = "Taints as \"key=value:NoSchedule\": only jobs that tolerate them (asubmit --toleration) are " \
	      "started there. With the effect PreferNoSchedule a taint is shown and holds nobody back.")), \
	  OPTION("taint", 't', "KEY=VALUE:EFFECT", \
	    OPT_LIST(struct armd_options, said.taints, said.taint_count, LABELS_MAX, check_taint), \
	    "Start only jobs that tolerate this (effect NoSchedule); may be repeated"), \
	  COLUMN("taints", "TAINTS", 0, WIDE, CELL(taints_text, NULL), NULL, "Taints")) \
	FIELD(const char **gpu_devices; size_t gpu_device_count;, NODE_NONE, \
	  IN_FILE(LIST(conf_node, STRINGS, gpu_devices, gpu_devices, gpu_device_count, check_path, .reload = true, \
	    .help = "Paths of its gpus' devices, in the order of their numbers, where those are not found by " \
	      "themselves.")), \
	  NODE_NONE, NODE_NONE) \
	FIELD(NODE_NONE, NODE_NONE, NODE_NONE, \
	  OPTION("resource", 'r', "NAME=N", OPT_CALL(set_resource), "Offer N of another resource; may be repeated"), \
	  NODE_NONE) \
	FIELD(NODE_NONE, NODE_NONE, NODE_NONE, \
	  OPTION("spool", 's', "DIR", OPT_CHECKED(struct armd_options, spool, check_path), \
	    "Keep what must survive in DIR, of this node alone (default: NAME under spool_dir)"), \
	  NODE_NONE) \
	NODE_COLUMN(FIELD, COLUMN("reason", "REASON", 'E', WIDE, CELL_TEXT(NODE, reason), NULL, "Why it is not up")) \
	NODE_COLUMN(FIELD, COLUMN("reason_by", "BY", 'u', LEFT, CELL_TEXT(NODE, reason_by), NULL, "Who said so")) \
	NODE_COLUMN(FIELD, COLUMN("reason_time", "SINCE", 'H', LEFT, CELL_QUANTITY(NODE, reason_us, format_time), NULL, "When; microseconds since 1970 in JSON")) \
	NODE_COLUMN(FIELD, COLUMN("last_seen", "LAST_SEEN", 0, LEFT, CELL_QUANTITY(NODE, last_seen_us, format_time), NULL, "When it was heard of last")) \
	FIELD(NODE_NONE, DETECTED(boot_us), NODE_NONE, NODE_NONE, \
	  COLUMN("boot_time", "BOOTED", 0, LEFT, CELL_QUANTITY(NODE, boot_us, format_time), NULL, "When it was booted")) \
	NODE_COLUMN(FIELD, COLUMN("lease_left", "LEASE", 0, RIGHT, CELL_QUANTITY(NODE, lease_left_s, format_seconds), NULL, "How long its tasks may go on without the controller; seconds in JSON")) \
	NODE_COLUMN(FIELD, COLUMN("extension", "EXTENDED", 0, RIGHT, CELL_QUANTITY(NODE, extension_left_s, format_seconds), NULL, "How much longer leases hold by actl lease extend; seconds in JSON")) \
	NODE_COLUMN(FIELD, COLUMN("extension_reason", "WHY_EXTENDED", 0, WIDE, CELL_TEXT(NODE, extension_reason), NULL, "What was said of that")) \
	NODE_COLUMN(FIELD, COLUMN("rebooting", "REBOOT", 0, LEFT, CELL_TRUTH(NODE, rebooting), NULL, "Whether it is to be rebooted")) \
	NODE_COLUMN(FIELD, COLUMN("set_labels", "SET_LABELS", 0, WIDE, CELL(set_labels_text, NULL), NULL, "Labels that anode has set")) \
	NODE_COLUMN(FIELD, COLUMN("connected", "CONNECTED", 0, LEFT, CELL_TRUTH(NODE, connected), NULL, "Whether its armd is connected")) \
	FIELD(NODE_NONE, DETECTED(release), NODE_NONE, NODE_NONE, \
	  COLUMN("release", "RELEASE", 'v', LEFT, CELL_TEXT(NODE, release), NULL, "Release of its armd")) \
	FIELD(const char *address;, DECLARED(address), NODE_NONE, \
	  OPTION("address", 'a', "HOST", OPT_CHECKED(struct armd_options, said.address, check_address), \
	    "Where tasks of this node are reached (default: our end of the connection to the controller)"), \
	  COLUMN("address", "ADDRESS", 'o', LEFT, CELL_TEXT(NODE, address), NULL, "Where its tasks are reached"))
/* clang-format on */
