#!/bin/bash
# Includes and calls point down the list of ranks. The deterministic folders (core, feed, sched,
# agent) use nothing of the outside world.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
cd "$ARMADA_SRCDIR" || exit 99

# Every folder of src that has sources, from the bottom up. Folders on one line may not include each
# other. The name of a folder with subfolders stands for the files directly in it; with /*.h it
# stands for its headers only, where the subfolders may include them.
ranks='
util
proto
conf
wire
plugin
sched/*.h
sched/model
sched/backfill
sched/round
sched/explain
sched
core/state
core/txn
core/view
core/admission
core/lifecycle
core/request
core
feed
agent
client/spec
client
stub
armd/machine armd/pipe armd/spool
armd/hooks armd/task
armd/shepherd
armd/launcher armd/network
asim/rounds asim/storm asim/replicated
asim/storm/invariant
cmd/common
cmd/listing
cmd/aacct cmd/actl cmd/arun cmd/ashare cmd/awatch
armctld armd asim cmd
armrestd
'
# What grep reads. A build in the tree leaves generated sources beside ours; they are excluded.
written=(--include='*.[ch]' --exclude='*.pb-c.[ch]')

# pointing_up: reads lines FOLDER TO-FOLDER TEXT and prints the texts of those that do not point
# down.
pointing_up()
{
	awk -v ranks="$ranks" '
	BEGIN {
		n = split(ranks, line, "\n")
		for (i = 1; i <= n; i++) {
			m = split(line[i], name, " ")
			for (j = 1; j <= m; j++)
				rank[name[j]] = i
		}
	}
	function ranked(folder) {
		if (!(folder in rank))
			sub(/\/\*\.h$/, "", folder)
		return folder
	}
	{
		from = ranked($1)
		to = ranked($2)
		if (from == to || ((from in rank) && (to in rank) && rank[to] < rank[from]))
			next
		text = $0
		sub(/^[^ ]* [^ ]* /, "", text)
		print text
	}' | sort -u
}

# Each include by its path from src. An include of a neighbour in the same folder has no rank.
upward_includes()
{
	grep -rnoE "${written[@]}" '^#[[:space:]]*include[[:space:]]+"[^"]+"' src | awk '
	{
		split($0, part, ":")
		from = part[1]
		sub(/^src\//, "", from)
		sub(/\/[^\/]*$/, "", from)
		to = part[3]
		sub(/^[^"]*"/, "", to)
		sub(/".*/, "", to)
		text = part[1] ":" part[2] ": " from " includes " to
		if (to == "config.h" || !sub(/\/[^\/]*$/, "", to))
			next
		to = to "/*.h"
		if (part[1] ~ /\.h$/)
			from = from "/*.h"
		print from, to, text
	}' | pointing_up
}

# Objects of the build whose sources still exist, each once: OBJECT FOLDER SOURCE. arun-hydra.so is preloaded into other
# programs and defines a function of libc; so does asim, for a plugin.
objects()
{
	(cd "$ARMADA_BUILDDIR/src" && find . -name '*.o' ! -name 'arun_hydra_so-*' ! -path '*/replicated/asim-task.o') | sort | awk -v src=src '
	{
		source = $0
		sub(/^\.\//, "", source)
		folder = source
		sub(/\/[^\/]*$/, "", folder)
		sub(/^.*[\/-]/, "", source)
		sub(/\.o$/, ".c", source)
		source = src "/" folder "/" source
		if (source in seen || (getline line < source) < 0)
			next
		close(source)
		seen[source] = 1
		print $0, folder, source
	}'
}

# A symbol that one object needs and exactly one other object defines is a call, or a read of a
# table.
upward_calls()
{
	objects >"$work/objects"
	cut -d' ' -f1 "$work/objects" | (cd "$ARMADA_BUILDDIR/src" && xargs nm -A -g 2>/dev/null) |
		awk -v objects="$work/objects" '
	BEGIN {
		while ((getline line < objects) > 0) {
			split(line, word, " ")
			folder[word[1]] = word[2]
			source[word[1]] = word[3]
		}
	}
	{
		object = $1
		sub(/:.*/, "", object)
		if ($(NF - 1) == "U") {
			needs[++count] = $NF
			by[count] = object
		} else {
			defined[$NF]++
			definer[$NF] = object
		}
	}
	END {
		for (i = 1; i <= count; i++)
			if (defined[needs[i]] == 1) {
				to = definer[needs[i]]
				print folder[by[i]], folder[to], source[by[i]] ": " folder[by[i]] " needs " \
					needs[i] "() of " source[to]
			}
	}' | pointing_up
}

# Headers that core, sched and agent must not include: loops, databases, sockets, clocks, threads.
# libsodium is allowed for its hashes.
banned='event2?/|sqlite|munge|libconfig|hwloc|dlfcn|pthread|threads\.h|time\.h|sys/[^q]|netinet/|arpa/|netdb|poll\.h|unistd|fcntl|signal|semaphore|pwd\.h|grp\.h|dirent|spawn|sched\.h>|wire/|util/clock\.h'
# Functions that they must not call.
calls='(clock_gettime|gettimeofday|time|localtime(_r)?|nanosleep|usleep|sleep|rand(_r)?|random|srandom|drand48|getrandom|arc4random|randombytes[a-z_]*|getenv|getpid|fork|open|openat|fopen|read|write|socket|connect|getpwnam|getpwuid|gethostname)'

banned_includes()
{
	grep -rnE "${written[@]}" "^#[[:space:]]*include[[:space:]]+[<\"]($banned)" \
		src/core src/feed src/sched src/agent
}

banned_calls()
{
	grep -rnE "${written[@]}" "(^|[^[:alnum:]_>.\"*/ ]|[=(!&|,;] |return |^[[:space:]]+)$calls\\(" \
		src/core src/feed src/sched src/agent | grep -vE ':[0-9]+:[[:space:]]*(\*|/\*|//)'
}

# Plugins include the public headers only, and public headers include each other only.
plugin_includes()
{
	grep -rnE "${written[@]}" '^#[[:space:]]*include[[:space:]]+"' plugins | awk -F: '
	{
		name = $3
		sub(/^[^"]*"/, "", name)
		sub(/".*/, "", name)
		dir = $1
		sub(/\/[^\/]*$/, "", dir)
		if ((getline line < (dir "/" name)) < 0)
			print
		close(dir "/" name)
	}'
	grep -nE '^#[[:space:]]*include[[:space:]]+"' src/include/armada/*.h
}

known_folders()
{
	comm -23 <(find src -name '*.[ch]' ! -path 'src/include/*' -printf '%P\n' | sed 's:/[^/]*$::' | sort -u) \
		<(tr -s ' ' '\n' <<<"$ranks" | sort)
}

is "$(printf '%s\n' 'core/state core/txn up' 'core/txn core/state down' 'conf nowhere lost' | pointing_up)" \
	$'lost\nup' 'an include or call that points up is found'
is "$(known_folders)" '' 'every folder of src has a rank'
is "$(upward_includes)" '' 'includes point down'
if [ "$(objects | wc -l)" -lt 100 ]; then
	skip 'calls point down: this is not a build directory'
elif has nm; then
	is "$(upward_calls)" '' 'calls point down'
else
	skip "calls point down: $missing"
fi
is "$(banned_includes)" '' 'core, sched and agent include nothing of the outside world'
is "$(banned_calls)" '' 'core, sched and agent call nothing of the outside world'
is "$(plugin_includes)" '' 'plugins and public headers include public headers only'
done_testing
