# Redis for shell tests: three redis-servers of the test's own on free ports of loopback.
# redis_start DIR sets redis_ports and redis_servers ("127.0.0.1:PORT", ...); redis_stop ends them.

redis_ports=()
redis_pids=()

# redis_free_ports N: prints N ports, all different: each is held until the last one is found.
redis_free_ports()
{
	python3 -c '
import socket, sys
held = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in held:
    s.bind(("127.0.0.1", 0))
for s in held:
    print(s.getsockname()[1])' "$1"
}

# redis_ask I COMMAND...
redis_ask()
{
	local i=$1
	shift
	redis-cli -p "${redis_ports[i]}" "$@" 2>/dev/null
}

redis_is_up() { [ "$(redis_ask "$1" ping)" = PONG ]; }

redis_begin()
{
	redis-server "$redis_dir/$1/redis.conf" >>"$redis_dir/$1/log" 2>&1 </dev/null &
	redis_pids[$1]=$!
	wait_until 20 redis_is_up "$1"
}

redis_online() { [ "$(redis_ask "$1" info replication | grep -c state=online)" -ge "$2" ]; }

redis_start()
{
	local i
	redis_dir=$1
	mapfile -t redis_ports < <(redis_free_ports 3)
	for i in 0 1 2; do
		mkdir -p "$redis_dir/$i"
		cat >"$redis_dir/$i/redis.conf" <<-END
			port ${redis_ports[i]}
			bind 127.0.0.1
			dir $redis_dir/$i
			save ""
			appendonly yes
			appendfsync always
			aof-load-truncated no
			maxmemory-policy noeviction
			auto-aof-rewrite-percentage 0
			min-replicas-to-write 1
			min-replicas-max-lag 10
			repl-backlog-size 256mb
			repl-diskless-sync-delay 0
		END
		[ "$i" = 0 ] || echo "replicaof 127.0.0.1 ${redis_ports[0]}" >>"$redis_dir/$i/redis.conf"
		redis_begin "$i" || return
	done
	wait_until 20 redis_online 0 2 || return
	redis_servers=$(printf '"127.0.0.1:%s", ' "${redis_ports[@]}")
	redis_servers=${redis_servers%, }
}

redis_stop()
{
	local pid
	for pid in "${redis_pids[@]}"; do
		kill -KILL "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
}
