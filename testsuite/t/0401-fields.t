#!/bin/bash
# A field of a queue or of a node is one row: the test adds a row to QUEUE_TABLE and one to NODE_TABLE in a
# copy of the tree. The fields are then in armada.conf, on the command line, in JSON, in the listing, in
# completion and in the manual pages.
#
# A tree that has the rows already (runtests) is built already. Otherwise the test builds armctld, armd, actl, anode
# and the program that writes the manual pages.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
. "$ARMADA_SRCDIR/testsuite/lib/rows.sh"
needs munged

build()
{
	env -u MAKEFLAGS -u MAKELEVEL make -s --no-print-directory -C "$tree/build" -o Makefile -o config.status \
		-o config.h -j2 CFLAGS=-O0 srcdir="$tree" top_srcdir="$tree" VPATH="$tree" "$@"
}

build_tree()
{
	local file

	needs make protoc-c
	copy_with_rows "$ARMADA_SRCDIR" "$tree" src man contrib testsuite/tap testsuite/unit/conf build-aux ||
		bail 'the tree cannot be copied'
	# The makefile and the configuration of this build, with nothing compiled yet.
	mkdir "$tree/build"
	for file in config.h stamp-h1 Makefile config.status; do
		cp -p "$ARMADA_BUILDDIR/$file" "$tree/build" || bail "no $file"
	done
	sed -n 's/^include \(.*\) # am--include-marker$/\1/p' "$tree/build/Makefile" |
		sed 's|\$(DEPDIR)|.deps|' | while read -r file; do
		mkdir -p "$tree/build/$(dirname "$file")" && echo '# dummy' >"$tree/build/$file"
	done
	run build $(build --eval='show: ; @echo $(BUILT_SOURCES)' show)
	run build armctld armd actl anode testsuite/unit/conf/manual
	is "$status" 0 'the copy is built'
	[ "$status" = 0 ] || bail "$(grep -m 3 -E "error|\*\*\*" <<<"$out$err")"
	ok 'the manual pages are written' env ARMADA_SRCDIR="$tree" "$tree/build/testsuite/unit/conf/manual" --write
	# the other programs of this build beside the new ones
	for file in "$ARMADA_BUILDDIR"/*; do
		[ -e "$tree/build/${file##*/}" ] || ln -s "$file" "$tree/build"
	done
	export ARMADA_BUILDDIR=$tree/build
}

if has_rows "$ARMADA_SRCDIR"; then
	tree=$ARMADA_SRCDIR
else
	tree=$work/tree
	build_tree
fi
is "$(grep -c note "$tree/src/conf/queue_table.h")" 3 'the table of queues has a row more'
is "$(grep -c rack "$tree/src/conf/node_table.h")" 4 'the table of nodes has a row more'

plain='s/\\-/-/g'
like "$(sed "$plain" "$tree/man/armada.conf.5")" 'BR note .*text.*What people should know of the queue\.' 'armada.conf(5) has the field of queues'
like "$(sed "$plain" "$tree/man/armada.conf.5")" 'What people should know of such a queue\.' 'armada.conf(5) has the field for queues of users'
like "$(sed "$plain" "$tree/man/actl.1")" 'BR --note .*TEXT.*What people should know of it; none: nothing\.' 'actl(1) has the option'
like "$(sed "$plain" "$tree/man/actl.1")" 'BR note.*What people should know of it\.' 'actl(1) has the column'
like "$(sed "$plain" "$tree/man/armada.conf.5")" 'BR rack .*text.*The rack that it stands in\.' 'armada.conf(5) has the field of nodes'
like "$(sed "$plain" "$tree/man/armd.8")" 'BR --rack =.fINAME.fR.The rack of this node\.' 'armd(8) has the option'
like "$(sed "$plain" "$tree/man/anode.1")" 'BR rack.Rack\.' 'anode(1) has the column'

test_under_armada 1
conf=$cluster/armada.conf
echo 'queues = ( { name = "q"; note = "for the night"; } );' >>"$conf"
ok 'armctld --check accepts the field' armctld --config "$conf" --check
like "$(armctld --config "$conf" --show-config)" 'note = "for the night";' 'armctld --show-config prints the field'
like "$(actl reconfigure --dry-run)" 'queue q .*note = "for the night"' 'a dry run of reconfigure shows the field'
ok 'a reconfigure sets the field' actl reconfigure
is "$(actl queue list --noheader --format note q)" 'for the night' 'the listing has the field'
like "$(actl queue list --json q)" '"note": ?"for the night"' 'the JSON has the field'
like "$(actl queue show q)" 'note +for the night' 'actl queue show prints the field'
ok 'the command line sets the field' actl queue update q --note 'for the day'
like "$(actl queue show q --conf)" 'note = "for the day";' 'actl queue show --conf prints the new value'
ok 'the command line clears the field' actl queue update q --note none
unlike "$(actl queue show q --conf)" note 'the cleared field is not printed'
like "$(actl reconfigure --dry-run)" 'queue q +note .*for the night' 'a reconfigure would set it again'
like "$(actl --help)" '--note=TEXT +What people should know' 'actl --help has the option'
like "$(bash -c 'source "$0/contrib/completion/actl.bash"; compopt() { :; }
	COMP_WORDS=(actl queue update --no); COMP_CWORD=3; _actl; echo "${COMPREPLY[*]}"' "$tree")" '--note=' 'completion'

# a field of a node
echo 'nodes = ( { name = "n1"; rack = "r7"; } );' >>"$conf"
like "$(armctld --config "$conf" --show-config)" 'rack = "r7";' '--show-config prints the field of the node'
like "$(armd --help)" '--rack=NAME +The rack of this node' 'armd --help'
like "$(anode --help)" 'rack +Rack' 'anode --help'
is "$(anode --noheader --format rack n1)" '' 'a node has no rack before armd restarts'
ok 'armd restarts with the new configuration' "$devcluster" restart "$cluster" n1
ok 'armd registers with its rack' wait_until 20 sh -c 'anode --noheader --format rack n1 | grep -qx r7'
like "$(anode --json n1)" '"rack": ?"r7"' 'JSON has the rack'
like "$(actl show node n1)" 'rack +r7' 'actl show node'

done_testing
