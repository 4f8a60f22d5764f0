#!/bin/bash
# Includes point down the list of layers, and what is deterministic reaches for nothing outside.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
cd "$ARMADA_SRCDIR" || exit 99

# From the bottom up. Layers on one line do not see one another.
layers='
util
proto
conf
wire
plugin
sched
core
agent
client
stub
armctld armd asim cmd
'

# A line for each include of another folder that does not point down.
upward()
{
	grep -rnoE --include='*.[ch]' '^#[[:space:]]*include[[:space:]]+"[^"]+"' src | awk -v layers="$layers" '
	BEGIN {
		n = split(layers, line, "\n")
		for (i = 1; i <= n; i++) {
			m = split(line[i], name, " ")
			for (j = 1; j <= m; j++)
				rank[name[j]] = i
		}
	}
	{
		split($0, part, ":")
		split(part[1], path, "/")
		from = path[2]
		to = part[3]
		sub(/^[^"]*"/, "", to)
		sub(/".*/, "", to)
		if (to == "config.h")
			next
		slash = index(to, "/")
		to = slash ? substr(to, 1, slash - 1) : to
		if (to == from)
			next
		if (!(from in rank) || !(to in rank) || rank[to] >= rank[from])
			print part[1] ":" part[2] ": " from " includes " to
	}'
}

# What core, sched and agent must not include: loops, databases, sockets, clocks, threads. libsodium
# is there for its hashes.
banned='event2?/|sqlite|munge|libconfig|hwloc|dlfcn|pthread|threads\.h|time\.h|sys/[^q]|netinet/|arpa/|netdb|poll\.h|unistd|fcntl|signal|semaphore|pwd\.h|grp\.h|dirent|spawn|sched\.h>|wire/'
# ... and must not call.
calls='(clock_gettime|gettimeofday|time|localtime(_r)?|nanosleep|usleep|sleep|rand(_r)?|random|srandom|drand48|getrandom|arc4random|randombytes[a-z_]*|getenv|getpid|fork|open|openat|fopen|read|write|socket|connect|getpwnam|getpwuid|gethostname)'

banned_includes()
{
	grep -rnE --include='*.[ch]' "^#[[:space:]]*include[[:space:]]+[<\"]($banned)" \
		src/core src/sched src/agent
}

banned_calls()
{
	grep -rnE --include='*.[ch]' "(^|[^[:alnum:]_>.\"*/ ]|[=(!&|,;] |return |^[[:space:]]+)$calls\\(" \
		src/core src/sched src/agent | grep -vE ':[0-9]+:[[:space:]]*(\*|/\*|//)'
}

# Plugins see the public headers alone, and the public headers each other.
plugin_includes()
{
	grep -rnE --include='*.[ch]' '^#[[:space:]]*include[[:space:]]+"' plugins | awk -F: '
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
	local d

	for d in src/*/; do
		d=$(basename "$d")
		[ "$d" = include ] || grep -qw "$d" <<<"$layers" || echo "src/$d is in no layer"
	done
}

is "$(known_folders)" '' 'every folder of src has its layer'
is "$(upward)" '' 'includes point down'
is "$(banned_includes)" '' 'core, sched and agent include nothing of the outside world'
is "$(banned_calls)" '' 'and call nothing of it'
is "$(plugin_includes)" '' 'plugins and public headers include public headers alone'
done_testing
