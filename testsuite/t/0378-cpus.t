#!/bin/bash
# A task runs on the cpus that it asked for: binding, quota and weight, and nodes that do not bind.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

needs cc
[ "$(nproc)" -ge 2 ] || skip_all 'this machine has one cpu'

# More threads than cpus, which run until the file exists. Prints the cpus that the process may use, and those
# on which its threads ran.
cat >threads.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
enum { CPUS = 1024, THREADS = 6 };
static atomic_int used[CPUS], ran, end;
static void *spin(void *arg)
{
	long turns = 0;
	int cpu;
	while (!end) {
		cpu = sched_getcpu();
		if (cpu >= 0 && cpu < CPUS)
			used[cpu] = 1;
		if (++turns == 20000)
			ran++;
	}
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	cpu_set_t set;
	(void)argc;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, spin, NULL);
	while (ran < THREADS)
		usleep(1000);
	puts("up");
	fflush(stdout);
	while (access(argv[1], F_OK) != 0)
		usleep(1000);
	end = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	sched_getaffinity(0, sizeof(set), &set);
	printf("may %d\nran", CPU_COUNT(&set));
	for (int i = 0; i < CPUS; i++)
		if (used[i])
			printf(" %d", i);
	puts("");
	return 0;
}
C
cc -O1 -o threads threads.c -pthread || bail 'the program is not compiled'
chmod 755 threads

machine=$(nproc)
quick='agents = { heartbeat = "200ms"; node_timeout = "1s"; reconnect_max = "200ms"; };'
echo "$quick" >quick.conf
test_under_armada 1 --cpus 2 --memory 4G --conf quick.conf
how=$(anode --noheader --format containment n1 | xargs)
diag "containment: $how"

# restart_with LINE: restarts the only node with another line in armada.conf.
restart_with()
{
	sed -i '/^cpu_containment/d' "$cluster/armada.conf"
	echo "$1" >>"$cluster/armada.conf"
	"$devcluster" restart "$cluster" n1 >/dev/null
}
# in_effect NODE TEXT
in_effect()
{
	[ "$(anode --noheader --format cpu_containment "$1" 2>/dev/null | xargs)" = "$2" ]
}
# job OPTION... prints what a job sees: nproc, the list of its cpus, the variables.
sees='echo $(nproc) ${ARMADA_CPU_LIST:-none} ${OMP_NUM_THREADS:-unset} $(sed -n "s/^Cpus_allowed_list:.//p" /proc/self/status)'
job()
{
	rm -f job.out
	asubmit --wait -o "$work/job.out" "$@" --wrap "$sees" >/dev/null 2>job.err || diag "$(cat job.err)"
	cat job.out
}
all=$(sed -n 's/^Cpus_allowed_list:.//p' /proc/self/status)

# ---- bind ----

ok 'the node binds' wait_until 20 in_effect n1 bind
like "$(job -c 1)" '^1 ([0-9]+) unset \1$' 'a job of one cpu sees one cpu, and only that one'
first=$(asubmit --parsable -c 1 -o "$work/first.out" --wrap "$work/threads $work/go")
second=$(asubmit --parsable -c 1 -o "$work/second.out" --wrap "$work/threads $work/go")
ok 'two jobs of one cpu run together' wait_until 30 eval 'grep -qx up first.out && grep -qx up second.out'
pid=$(pgrep -f "^$work/threads $work/go" | head -n 1)
if [ "$how" = cgroup1 ] && grep -q cpuset "/proc/$pid/cgroup"; then
	group=/sys/fs/cgroup/cpuset$(sed -n 's/.*:cpuset://p' "/proc/$pid/cgroup")
elif [ "$how" = cgroup2 ]; then
	group=/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$pid/cgroup")
else
	group=
fi
if [ -e "$group/cpuset.cpus" ]; then
	like "$(cat "$group/cpuset.cpus")" '^[0-9]+$' 'the control group of a task has its cpu'
else
	skip 'no cpuset here'
fi
touch go
both_ended()
{
	job_ended "$first" "$second"
}
ok 'both end' wait_until 30 both_ended
is "$(grep may first.out second.out | sort)" "first.out:may 1
second.out:may 1" 'six threads may use one cpu'
is "$(sed -n 's/^ran//p' first.out second.out | xargs -n 1 | sort | uniq -d)" '' \
	'the threads of both jobs never ran on the same cpu'
is "$(sed -n 's/^ran//p' first.out second.out | wc -w)" 2 'each job ran on one cpu'
is "$(job -c 2)" "2 $(job -c 2 | cut -d' ' -f2-)" 'a job of two cpus sees two cpus'
is "$(job -c 1 --bind=none)" "$machine none unset $all" '--bind=none gives all cpus of the machine'
like "$(job -c 500m)" "^1 none 1 $all\$" 'a part of a cpu is not bound; programs start one thread'
like "$(OMP_NUM_THREADS=3 job -c 500m)" '^3 none 3 ' 'OMP_NUM_THREADS of the job has priority'
for word in cpus threads; do
	like "$(job -c 1 --bind=$word)" '^1 ([0-9]+) unset \1$' "--bind=$word gives the assigned cpu"
done
for word in cores sockets numa ldoms; do
	like "$(job -c 1 --bind=$word)" '^[1-9][0-9]* [0-9]' "--bind=$word binds"
done
id=$(asubmit --parsable --hold --bind=none --wrap true)
like "$(actl show job "$id")" 'Bound to +nothing' 'actl show job shows that nothing is bound'
acancel "$id" >/dev/null
like "$(anode --json n1)" '"cpu_containment": *"bind"' 'anode --json has it'
like "$(actl show node n1)" 'cpu_containment +bind' 'actl show node shows it'

# ---- the setting of the site ----

none='none (rlimit does not limit cpu time)'
restart_with 'cpu_containment = "weight";'
ok 'a site may want weight alone' wait_until 20 in_effect n1 "$([ "$how" = rlimit ] && echo "$none" || echo weight)"
is "$(job -c 1)" "1 none 1 $all" 'with weight a task is not bound'
like "$(job -c 1 --bind=cpus)" '^1 [0-9]+ unset [0-9]+$' 'a job may bind itself'
restart_with 'cpu_containment = "quota";'
ok 'a site may want a quota' wait_until 20 in_effect n1 "$([ "$how" = rlimit ] && echo "$none" || echo quota)"
is "$(job -c 1)" "1 none 1 $all" 'with a quota a task is not bound'
# quota COMMAND prints the quota of a job in thousandths of a cpu
if [ "$how" = cgroup1 ]; then
	read='d=/sys/fs/cgroup/cpu$(sed -n "s/.*:\(cpu\|cpu,cpuacct\)://p" /proc/self/cgroup); cat $d/cpu.cfs_quota_us'
	quota=50000
elif [ "$how" = cgroup2 ]; then
	read='cat /sys/fs/cgroup$(sed -n "s/^0:://p" /proc/self/cgroup)/cpu.max'
	quota='50000 100000'
else
	quota=
fi
if [ -n "$quota" ]; then
	asubmit --wait -c 500m -o "$work/quota.out" --wrap "$read" >/dev/null 2>&1
	is "$(cat quota.out)" "$quota" 'half a cpu is a quota'
else
	skip 'no quota without control groups'
fi
like "$(armd --show-config 2>&1)" "# cpu_containment on this machine[^:]*: $([ "$how" = rlimit ] && echo none || echo quota)" 'armd --show-config shows it'
sed 's/^cpu_containment.*/cpu_containment = "often";/' "$cluster/armada.conf" >bad.conf
run armd --config bad.conf --show-config
is "$status" 1 'another word is refused'
like "$err" 'bind.*quota.*weight' 'the error lists the words'
sed 's/^plugins = {/plugins = { contain = { name = "auto"; cpu_limit = true; };/' "$cluster/armada.conf" >old.conf
run armd --config old.conf --show-config
is "$status" 1 'the former option of the plugin is refused'
like "$err" 'cpu_containment' 'the error names the new one'

# ---- without control groups there is no quota and no weight ----

sed -i 's/^plugins = {/plugins = { contain = "rlimit";/' "$cluster/armada.conf"
for word in quota weight; do
	restart_with "cpu_containment = \"$word\";"
	ok "contain/rlimit has no $word, and the node says so" wait_until 20 in_effect n1 "$none"
done
like "$(anode)" 'REASON +(NOT_LIMITED +)?CPUS_WEAKER' 'anode shows it without being asked'
like "$(actl ping)" 'Cpus: +not given as cpu_containment says on 1 of the nodes' 'actl ping counts such nodes'
restart_with 'cpu_containment = "bind";'
ok 'it binds by affinity' wait_until 20 in_effect n1 bind
unlike "$(anode)" CPUS_WEAKER 'then anode does not show it'
unlike "$(actl ping)" 'Cpus:' 'and actl ping counts nothing'
sed -i 's/^plugins = { contain = "rlimit";/plugins = {/' "$cluster/armada.conf"

# ---- nodes that do not bind ----

restart_with 'cpu_containment = "bind";'
ok 'the node binds again' wait_until 20 in_effect n1 bind
mapfile -t words <"$cluster/nodes/n1"
start_n2()
{
	armd --config "$cluster/armada.conf" --node n2 --cpus 1 --memory 1G --address 127.0.0.1 \
		--spool "$work/n2" "${words[@]:$((${#words[@]} - 1))}" 2>>n2.log &
	other=$!
}
stop_n2()
{
	kill "$other"
	wait "$other"
}
start_n2
how_else=weight without=''
[ "$how" = rlimit ] && how_else=none without='; rlimit does not limit cpu time'
shared="$how_else (shares its cpus with another armd$without)"
ok 'a second armd on the machine does not bind' wait_until 20 in_effect n2 "$shared"
is "$(job -c 1 -w n1)" "1 none 1 $all" 'the first one does not bind its next task either'
ok 'and says so' wait_until 20 in_effect n1 "$shared"
is "$(job -c 1 -w n1 --bind=cpus)" "1 none 1 $all" 'nor a task that asks for it'
stop_n2
ok 'the second one is deleted' wait_until 20 anode delete n2
start_n2
ok 'it says so again after a restart' wait_until 20 in_effect n2 "$shared"
stop_n2
like "$(job -c 1 -w n1)" '^1 ([0-9]+) unset \1$' 'when the second one has ended, the next task is bound'
ok 'the node says so, too' wait_until 20 in_effect n1 bind
ok 'the log says both' eval 'grep -q "cpus of tasks: $how_else" "$cluster/log/n1.log" &&
	tail -n 5 "$cluster/log/n1.log" | grep -q "cpus of tasks: bind"'
printf '%s\n' "--cpus=$((machine + 6))" >>"$cluster/nodes/n1"
"$devcluster" restart "$cluster" n1 >/dev/null
ok 'a node with more cpus than the machine does not bind' \
	wait_until 20 in_effect n1 "$how_else ($machine cpus of the machine, $((machine + 6)) declared$without)"
is "$(job -c 1 -w n1)" "1 none 1 $all" 'nor are its tasks bound'

done_testing
