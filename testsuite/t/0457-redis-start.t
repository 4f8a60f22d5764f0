#!/bin/bash
# etc/redis-start: the role in which a server starts, from the answers of sentinels. redis-cli and the server are
# programs of the test that print what they are asked.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"

mkdir bin data answers
# The answer of the sentinel of a port is a file of this name; without it none answers.
cat >bin/redis-cli <<X
#!/bin/bash
[ "\$*" != '-h 192.0.2.12 -p 6379 --user replica --no-auth-warning ping' ] || { cat "$work/ping.\$REDISCLI_AUTH"; exit; }
[ "\$5 \$6 \$7" = 'sentinel master armada' ] && cat "$work/answers/\$4" 2>/dev/null || exit
[ ! -e "$work/answers/\$4.next" ] || mv "$work/answers/\$4.next" "$work/answers/\$4"
X
cat >bin/redis-check-aof <<X
#!/bin/bash
[ "\$1" != --fix ] || { read -r; echo fixed >>"$work/fixed"; exit; }
[ ! -e "$work/cut" ]
X
printf '#!/bin/bash\necho "$*"\n' >bin/server
chmod 755 bin/*
printf '%s\n' 'bind 127.0.0.1 192.0.2.11' 'port 6379' "dir $work/data" 'replicaof 192.0.2.13 6379' \
	'masteruser replica' 'masterauth secret' >redis.conf
printf '%s\n' 'port 26379' 'sentinel monitor armada 192.0.2.11 6379 2' \
	'sentinel known-sentinel armada 192.0.2.12 26380 f00' 'sentinel known-sentinel armada 192.0.2.13 26381 ba4' >sentinel.conf

# says PORT EPOCH ADDRESS [FLAGS [REPLICAS]]: the answer of a sentinel.
says()
{
	printf '%s\n' name armada ip "$3" port 6379 flags "${4:-master}" num-slaves "${5:-2}" config-epoch "$2" >"answers/$1"
}
start()
{
	run env PATH="$work/bin:$PATH" "$ARMADA_SRCDIR/etc/redis-start" sentinel.conf "$work/bin/server" redis.conf \
		--daemonize no
}

start
is "$out" 'redis.conf --daemonize no' 'without sentinels a server starts as its file says'
says 26379 3 192.0.2.12
start
is "$out" 'redis.conf --daemonize no --replicaof 192.0.2.12 6379' 'one that was replaced starts as a replica'
says 26381 4 192.0.2.13
says 26380 2 192.0.2.11
start
like "$out" 'replicaof 192.0.2.13 6379$' 'of the primary of the newest answer'

rm answers/*
says 26379 3 192.0.2.11
start
is "$status" 1 'a primary without data does not start'
like "$err" 'the sentinels know 2 replicas of this server, and .*appendonly.aof.manifest is missing' '... and says why'
says 26379 0 192.0.2.11 master 0
start
like "$out" 'replicaof no one$' 'but the first server of a new cluster does'
mkdir data/appendonlydir && touch data/appendonlydir/appendonly.aof.manifest
says 26379 3 192.0.2.11
start
like "$out" 'replicaof no one$' 'a primary with data starts as the primary'
says 26379 3 192.0.2.11 s_down,o_down,master
says 26379.next 4 192.0.2.12
start
like "$out" 'replicaof 192.0.2.12 6379$' 'while it is being replaced, it waits'

touch cut
start
is "$(cat fixed)" fixed 'a cut file is mended on a replica'
like "$out" 'replicaof 192.0.2.12 6379$' '... which starts'
# The next start finds the same manifest: the server did not get as far as to have the data of the primary.
echo LOADING >ping.secret
start
ok 'a primary that loads its data: the file is kept' [ -e data/appendonlydir/appendonly.aof.manifest ]
echo PONG >ping.secret
start
ok 'a file that did not load is set aside' [ -e data/appendonlydir.damaged/appendonly.aof.manifest ]
ok '... and all data comes from the primary' [ ! -e data/appendonlydir ]
like "$err" 'set aside as .*/data/appendonlydir.damaged, and all data comes from the primary 192.0.2.12:6379' '... which is said'
like "$out" 'replicaof 192.0.2.12 6379$' '... and the server starts'
mkdir data/appendonlydir && echo other >data/appendonlydir/appendonly.aof.manifest
start
ok 'after another manifest the file is kept' [ -e data/appendonlydir/appendonly.aof.manifest ]
rm fixed
says 26379 5 192.0.2.11
start
ok 'and left as it is on the primary' [ ! -e fixed ]
run "$ARMADA_SRCDIR/etc/redis-start" sentinel.conf
is "$status" 2 'it needs three words'
done_testing
