# rows.sh: a copy of the tree in which the tables of queues and nodes have one row more. t/0401-fields.t checks
# what the row brings; runtests builds such a copy in its clang pass.
#
# The fields of the messages are added beside the row: field numbers are permanent, and no table may assign
# them.

# has_rows TREE: the rows are there already.
has_rows()
{
	grep -q set_note "$1/src/conf/queue_table.h"
}

# copy_with_rows SOURCE TREE NAME...: copies these folders and files of SOURCE into TREE, without what was built,
# and adds the rows. Files that are as they were keep their times, so that make does not build them again.
copy_with_rows()
{
	local source=$1 tree=$2 message file

	shift 2
	mkdir -p "$tree" &&
		tar -C "$source" -c --mode=u+w --exclude='*.[ao]' --exclude='*.so' --exclude='*.pb-c.*' --exclude=.deps \
			--exclude=.dirstamp "$@" | tar -C "$tree" -x || return
	sed -i 's|^\tX(labels, LABELS, |\tX(note, TEXT, ONE(note, set_note), OWNERS, "note", \\\
\t  CONF(STRING, check_printable, .def = ""), "What people should know of the queue.", \\\
\t  TEMPLATE, "What people should know of such a queue.", \\\
\t  OPTION("note", NULL, "TEXT", "What people should know of it; none: nothing", NULL), \\\
\t  COLUMN("note", "NOTE", WIDE, "What people should know of it")) \\\
&|' "$tree/src/conf/queue_table.h"
	sed -i '/^message QueueSpec {/a\  string note = 536870910;\n  bool set_note = 536870911;' "$tree/src/proto/client.proto"
	sed -i 's|^\tFIELD(const char \*address;, |\tFIELD(const char *rack;, DECLARED(rack), \\\
\t  IN_FILE(CHECKED(conf_node, STRING, rack, rack, "", check_printable, .help = "The rack that it stands in.")), \\\
\t  OPTION("rack", 0, "NAME", OPT_TEXT(struct armd_options, node.rack), "The rack of this node"), \\\
\t  COLUMN("rack", "RACK", 0, LEFT, CELL_TEXT(NODE, rack), NULL, "Rack")) \\\
&|' "$tree/src/conf/node_table.h"
	for message in agent:RegisterNode event:NodeSet client:NodeRow; do
		sed -i "/^message ${message#*:} {/a\  string rack = 536870911;" "$tree/src/proto/${message%:*}.proto"
	done
	for file in conf/queue_table.h conf/node_table.h proto/{agent,event,client}.proto; do
		touch -r "$source/src/$file" "$tree/src/$file"
	done
}
