#!/bin/bash
# Each process of mpirun has the variables, the gpus and the cpus of its task, in a job with one or several tasks on a
# node. arun shows what the tasks have.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
. "$ARMADA_SRCDIR/testsuite/lib/mpi.sh"

mpi_find mpirun
[ "$(nproc)" -ge 2 ] || skip_all 'this machine has one cpu'
cat >quick.conf <<X
agents = { heartbeat = "200ms"; node_timeout = "2s"; reconnect_max = "200ms"; };
X
test_under_armada 2 --cpus 2 --memory 4G --conf quick.conf
mpi_prepare
for node in n1 n2; do
	echo --gpus=2 >>"$cluster/nodes/$node"
	"$devcluster" restart "$cluster" "$node" >/dev/null
done
has_gpus()
{
	[ "$(anode --noheader --format gpus "$1" | tr -d ' ')" = "0/2" ]
}
ok 'both nodes have gpus' wait_until 20 eval 'has_gpus n1 && has_gpus n2'

# Writes what a process has, to one file for each process.
cat >show.sh <<'X'
#!/bin/sh
allowed=$(sed -n 's/^Cpus_allowed_list:.//p' /proc/self/status)
[ "$bind" ] || allowed=
me=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-$ARMADA_STEP_RANK}}
echo "is task $ARMADA_TASK_RANK/$ARMADA_LOCAL_RANK group $ARMADA_GROUP_NAME$ARMADA_GROUP_RANK on $ARMADA_NODE_NAME" \
	"$ARMADA_NODE_ID gpu $CUDA_VISIBLE_DEVICES $ROCR_VISIBLE_DEVICES $ARMADA_GPU_LIST cpus $ARMADA_CPU_LIST $allowed" \
	>"$1.$me"
X
chmod 755 show.sh
export bind=

# all PREFIX prints the files of all processes.
all()
{
	tail -qn +1 "$1".[0-9]* 2>/dev/null
}
# trial NAME OPTION...: a job that starts show.sh with arun, and with the mpirun of each library, in each of its
# tasks.
trial()
{
	local name=$1 mpi

	shift
	for mpi in $mpis; do
		lines+="mpirun.$mpi $work/show.sh $work/$name.$mpi; echo $mpi \$?; "
	done
	run asubmit --wait -t 3 --memory 200M -o "$work/$name.out" "$@" --wrap "arun $work/show.sh $work/$name.arun; $lines"
	is "$status" 0 "$name: the job succeeds" || diag "$err" "$(cat "$name.out")"
	for mpi in $mpis; do
		is "$(all "$name.$mpi")" "$(all "$name.arun")" "$name: each rank of $mpi has what its task has" ||
			diag "$(cat "$name.out")"
	done
	unset lines
}
# column TEXT PREFIX: the word after TEXT, of each process.
column()
{
	all "$2" | sed "s/.* $1 \([^ ]*\) .*/\1/" | xargs
}

# ---- gpus: one task on each node, and another job on the first gpu of the second node ----

holder=$(asubmit --parsable -w n2 -G 1 -o "$work/holder.out" --wrap 'echo $ARMADA_GPU_LIST; exec sleep 600')
ok 'another job has a gpu' wait_until 20 grep -qx 0 holder.out
trial one -N 2 -c 1 --gpus-per-task 1 --launch=first
is "$(paste -d= <(column on one.arun | xargs -n 1) <(column gpu one.arun | xargs -n 1) | sort | xargs)" 'n1=0 n2=1' \
	'the gpus of the tasks have different numbers'
acancel "$holder" >/dev/null
wait_until 20 job_ended "$holder"

# ---- several tasks on each node ----

trial two -N 2 --ntasks-per-node 2 -c 1 --gpus-per-task 1 --launch=first
is "$(column gpu two.arun)" '0 1 0 1' 'the tasks on a node have different gpus'
is "$(column on two.arun | xargs -n 1 | sort | xargs)" 'n1 n1 n2 n2' 'two tasks are on each node'
trial three -N 1 --ntasks-per-node 2 -c 1 --gpus-per-task 1
is "$(column gpu three.arun)" '0 1' 'the same on one node, by default of a script'
for mpi in $mpis; do
	run arun -N 2 --ntasks-per-node 2 -c 1 --gpus-per-task 1 --memory 200M --pty \
		sh -c "mpirun.$mpi $work/show.sh $work/session.$mpi" </dev/null
	is "$(column task session.$mpi):$(column gpu session.$mpi)" '0/0 1/1 2/0 3/1:0 1 0 1' \
		"$mpi: the same in a session of arun --pty" || diag "$out"
done

# groups of a job file
cat >groups.conf <<X
memory = "100M"; output = "$work/groups-%g.out"; time = "3m";
groups = (
  { name = "a"; replicas = 2; launch = "first"; gpus = 1; wrap = "arun $work/show.sh $work/a.arun; $(
	for mpi in $mpis; do printf '%s' "mpirun.$mpi $work/show.sh $work/a.$mpi; "; done)"; },
  { name = "b"; replicas = 2; launch = "first"; gpus = 1; wrap = "arun $work/show.sh $work/b.arun; $(
	for mpi in $mpis; do printf '%s' "mpirun.$mpi $work/show.sh $work/b.$mpi; "; done)"; }
);
X
run asubmit --wait --file groups.conf
is "$status" 0 'both groups of a job run mpirun' || diag "$err" "$(cat groups-*.out)"
like "$(column task a.arun) $(column task b.arun)" '^0/0 1/1 2/[02] 3/[13]$' 'each group has its own tasks'
for mpi in $mpis; do
	is "$(all a.$mpi)
$(all b.$mpi)" "$(all a.arun)
$(all b.arun)" "the ranks of $mpi have what the tasks of their group have"
done

# ---- cpus, on a node that binds ----

"$devcluster" kill "$cluster" n2 >/dev/null
binds()
{
	[ "$(anode --noheader --format cpu_containment n1 2>/dev/null | xargs)" = bind ]
}
if wait_until 20 binds; then
	export bind=yes
	trial cpus -w n1 -n 2 -c 1 --launch=first
	cpus=$(column cpus cpus.arun)
	like "$cpus" '^([0-9]+) ([0-9]+)$' 'each of two tasks has a cpu'
	ok 'another one' test "${cpus% *}" != "${cpus#* }"
	run asubmit --wait -w n1 -n 2 -c 1 --memory 200M -o nproc.out --wrap 'nproc; arun -n 2 nproc'
	is "$(xargs <nproc.out)" '2 1 1' 'the script has the cpus of the tasks on its node; a program of arun has those of its task'
else
	skip 'the node does not bind'
fi

# ---- what else users do with mpirun ----

for mpi in $mpis; do
	more=
	[ $mpi = mpich ] || more=--oversubscribe
	run asubmit --wait -t 3 -w n1 -n 2 -c 1 --gpus-per-task 1 --memory 200M -o "more.$mpi" --wrap "
		mpirun.$mpi -n 4 $more $work/show.sh $work/more.$mpi
		ARMADA_RANK_FILE=$work/nowhere mpirun.$mpi -n 1 $work/show.sh $work/lost.$mpi || echo fails
		HYDRA_LAUNCHER_AUTOFORK=1 ARMADA_RANK_FILE=$work/quick.conf mpirun.$mpi $work/show.sh $work/bad.$mpi || echo fails
		mpirun.$mpi -n 1 $work/nowhere && echo works"
	is "$(column task "more.$mpi")" '0/0 1/1 0/0 1/1' "$mpi: more ranks than tasks share the tasks" ||
		diag "$(cat "more.$mpi")"
	is "$(column gpu "more.$mpi")" '0 1 0 1' "$mpi: and their gpus"
	unlike "$(cat "more.$mpi")" 'fails|works' "$mpi: without the file programs run all the same; a program that is missing is an error"
	is "$(all "lost.$mpi" | wc -l) $(all "bad.$mpi" | wc -l)" '1 2' "$mpi: each of them ran"
	run asubmit --wait -t 3 -w n1 -n 2 -c 1 --memory 200M --mpi=none -o "none.$mpi" --wrap "mpirun.$mpi -n 2 $more true; echo \$?"
	is "$(tail -n 1 "none.$mpi")" 0 "$mpi: --mpi=none" || diag "$(cat "none.$mpi")"
	[ $mpi = openmpi ] || continue
	run asubmit --wait -t 3 -w n1 -n 2 -c 1 --memory 200M -o own.out --wrap "mpirun.$mpi --bind-to core $work/show.sh $work/own
		mpirun.$mpi --bind-to none $work/show.sh $work/unbound
		OMPI_MCA_orte_fork_agent= mpirun.$mpi $work/show.sh $work/off"
	is "$(column task own):$(column task unbound)" '0/0 1/1:0/0 1/1' 'with --bind-to each rank has its own task' ||
		diag "$(cat own.out)"
	if [ -n "$bind" ]; then
		is "$(all own):$(all unbound)" "$(all cpus.arun | sed 's/gpu .* cpus/gpu    cpus/'):$(all cpus.arun | sed 's/gpu .* cpus/gpu    cpus/')" \
			'and no cpus of another task'
	fi
	is "$(column task off)" '0/0 0/0' 'OMPI_MCA_orte_fork_agent of the user has priority'
done
done_testing
