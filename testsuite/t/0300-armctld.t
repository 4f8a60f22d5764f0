#!/bin/sh
# armctld by itself: --init, --check, --show-config, and what it refuses at start.
dir=$(mktemp -d "${TMPDIR:-/tmp}/armctld-t.XXXXXX") || exit 99
chmod 755 "$dir"
armctld=$ARMADA_BUILDDIR/armctld
me=$(id -un)
n=0
munged=
first=
unset ARMADA_CONF NOTIFY_SOCKET JOURNAL_STREAM

clean_up() {
	[ -n "$first" ] && kill -9 "$first" 2>/dev/null
	[ -n "$munged" ] && kill "$munged" 2>/dev/null
	wait
	rm -rf "$dir"
}
trap clean_up EXIT
trap 'exit 99' INT TERM

ok() { # status description
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		sed 's/^/# /' "$dir/out"
	fi
}
runs() { # wanted exit code, description, arguments...
	want=$1 what=$2
	shift 2
	timeout 20 "$armctld" "$@" >"$dir/out" 2>&1
	got=$?
	[ "$got" -eq "$want" ]
	ok $? "$what (exit $got, wanted $want)"
}
says() { # pattern
	grep -q -- "$1" "$dir/out"
	ok $? "the output has: $1"
}
conf() { # further lines
	cat >"$dir/armada.conf" <<EOF
cluster = "test";
controllers = ["$dir/run/other.sock"];
controller_user = "$me";
agent_user = "$me";
state_dir = "$dir/state";
spool_dir = "$dir/spool";
run_dir = "$dir/run";
plugin_dir = "$ARMADA_BUILDDIR/plugins.d";
plugins: { auth: { name = "munge"; socket = "$dir/munge.sock"; }; };
$*
EOF
}
await() { # pattern file: until the file contains it, 20 s at most
	i=0
	until grep -q -- "$1" "$2" 2>/dev/null; do
		i=$((i + 1))
		[ $i -gt 400 ] && return 1
		sleep 0.05
	done
}
start() { # arguments...
	rm -f "$dir/log"
	"$armctld" --config="$dir/armada.conf" "$@" >"$dir/log" 2>&1 &
	first=$!
}

PATH=$PATH:/usr/sbin:/sbin
mungekey --create --keyfile="$dir/key" || exit 99
munged --foreground --socket="$dir/munge.sock" --key-file="$dir/key" --pid-file="$dir/pid" \
	--log-file="$dir/munged.log" --seed-file="$dir/seed" >"$dir/munged.out" 2>&1 &
munged=$!
f="--config=$dir/armada.conf"

# usage
runs 0 "--help" --help
says "--show-config"
runs 0 "--version" --version
says '^armctld (Armada) [0-9]'
runs 2 "an unknown option is a usage error" --no-such-thing
runs 2 "an argument without an option is a usage error" start
runs 2 "an option without its value is a usage error" --config
runs 2 "an unknown log level is a usage error" --log-level loud
runs 2 "--init with --check is a usage error" --init --check

# --check
conf
runs 0 "--check accepts a valid configuration" "$f" --check
says "valid"
conf 'clusterr = "x";'
runs 1 "an unknown key is refused" "$f" --check
says "armada.conf: line 10"
says "cluster"
conf 'admins = ["no-such-user"];'
runs 1 "an unknown admin is refused" "$f" --check
says "no-such-user"
says "admins"
conf "cluster_name = \"a\";" && sed -i "s/\"test\"/\"a$(printf '\033')[31mb\"/" "$dir/armada.conf"
runs 1 "a terminal code is refused" "$f" --check
says "the text holds the byte 0x1b"
conf "admins = [\"$(printf 'x\342\200\256\033]0;y\007')\"];"
runs 1 "so are formatting characters" "$f" --check
says 'U+202E'
! grep -q "$(printf '\033\|\342\200\256')" "$dir/out"
ok $? "and they are not printed as they are"
conf 'plugin_dir_x = 1;'
sed -i "s|plugins.d|no-plugins-here|; /plugin_dir_x/d" "$dir/armada.conf"
runs 1 "a missing plugin directory is refused" "$f" --check
says "no-plugins-here"
runs 1 "a missing file is refused" --config="$dir/nothing.conf" --check
says "nothing.conf"
conf 'scheduler: { cycle_period = "fast"; };'
runs 1 "an invalid duration is refused" "$f" --check
says "cycle_period"
conf
sed -i 's/^plugins: {/& fairness = { name = "drf"; multipliers = { zork = 1; }; };/' "$dir/armada.conf"
runs 1 "a plugin option for an unknown resource is refused" "$f" --check
says "'zork' is not a resource: expected cpu, memory or gpu"

# --show-config
conf
runs 0 "--show-config prints the effective values" "$f" --show-config
says "# default"
cp "$dir/out" "$dir/shown.conf"
runs 0 "the printed values are a valid configuration" --config="$dir/shown.conf" --check

runs 0 "--show-config=changed prints what the file sets" "$f" --show-config=changed
grep -q '^state_dir = ' "$dir/out" && ! grep -q default "$dir/out" && ! grep -A1 '= {' "$dir/out" | grep -q '^};'
ok $? "it prints neither defaults nor empty groups"
cp "$dir/out" "$dir/changed.conf"
runs 0 "what --show-config=changed prints is a valid configuration" --config="$dir/changed.conf" --check
runs 2 "--show-config=some is refused" "$f" --show-config=some
says "'some' must be all or changed"

# --init and start
runs 1 "armctld does not start without a state" "$f"
says "$dir/state"
runs 0 "--init makes a state" "$f" --init
says "cluster id"
[ "$(stat -c %a "$dir/state/order.key")" = 600 ]
ok $? "the order key is private"
runs 1 "--init does not change an existing state" "$f" --init
says "already"

sed -i "s/^controller_user.*/controller_user = \"54321\";/" "$dir/armada.conf"
runs 1 "another controller_user is refused" "$f"
says "controller_user"
conf
chmod 644 "$dir/state/order.key"
runs 1 "an order key that others may read is refused" "$f"
says "chmod 600"
chmod 600 "$dir/state/order.key"

start -v
await "epoch 1" "$dir/log"
ok $? "armctld starts"
[ -S "$dir/run/armctld.sock" ] && [ -S "$dir/run/other.sock" ]
ok $? "armctld listens on its socket and on the addresses of controllers"
runs 1 "a second armctld on the same state is refused" "$f"
says "$dir/state"

# reload
conf 'admins = ["root"];'
kill -HUP "$first"
await "read again" "$dir/log"
ok $? "SIGHUP reads the configuration again"
conf 'admins = ["no-such-user"];'
kill -HUP "$first"
await "was not applied.*no-such-user" "$dir/log"
ok $? "an invalid configuration is refused as a whole"
conf 'cluster_x = 1;'
sed -i 's/^cluster = .*/cluster = "another";/; /cluster_x/d' "$dir/armada.conf"
kill -HUP "$first"
await "restart.*cluster" "$dir/log"
ok $? "a key that needs a restart is named"
conf

kill -TERM "$first"
wait "$first"
cp "$dir/log" "$dir/out"
ok $? "SIGTERM ends armctld with exit code 0"
says "snapshot"
start
await "epoch 2" "$dir/log"
ok $? "the next start is the next epoch"
kill -9 "$first"
wait "$first"
start
# the second epoch counts only if it was durable before the kill
await "epoch [23]," "$dir/log"
ok $? "a start after SIGKILL has the next epoch too"
kill -TERM "$first"
wait "$first"
ok $? "SIGTERM ends that armctld with exit code 0"
first=

# what is missing or damaged beside the log is replaced, with a line in the log
rm "$dir/state/log.mark" "$dir/state/history.db"
printf x | dd of="$dir/state/order.key" bs=1 seek=30 conv=notrunc 2>/dev/null
start
await "cluster test, epoch" "$dir/log"
ok $? "armctld starts without log.mark and history.db, with a damaged order.key"
cp "$dir/log" "$dir/out"
says "warn.*log.mark is missing"
says "error.*history.db is missing; a new"
says "error.*order.key is damaged; it was set aside as .*order.key.damaged, and a new key was made"
kill -TERM "$first"
wait "$first"
rm "$dir/state/order.key"
start
await "cluster test, epoch" "$dir/log"
ok $? "armctld starts without an order key"
cp "$dir/log" "$dir/out"
says "warn.*order.key is missing; a new key was made"
kill -TERM "$first"
wait "$first"
first=

# the modes that the unit and tmpfiles.d give the state directory
etc=$ARMADA_SRCDIR/etc
unit=$(sed -n 's/^StateDirectoryMode=//p' "$etc/systemd/armctld.service.in")
tmpfiles=$(sed -n 's|^d.*lib/armada *\([0-7]*\).*|\1|p' "$etc/tmpfiles.d/armada.conf.in")
[ "$unit" = "$tmpfiles" ]
ok $? "the unit and tmpfiles.d have the same mode of the state directory"
mkdir -m "$unit" "$dir/unit"
conf
sed -i "s|$dir/state|$dir/unit|" "$dir/armada.conf"
runs 0 "--init makes a state in a directory with this mode" "$f" --init
start
await "epoch 1" "$dir/log"
ok $? "armctld starts from that state"
kill -TERM "$first"
wait "$first"
first=

echo "1..$n"
