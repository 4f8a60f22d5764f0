#!/bin/bash
# mpirun of Open MPI and of MPICH in a job on four nodes, without options: the environment of the
# job names the nodes and the launch agent.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

. "$ARMADA_SRCDIR/testsuite/lib/mpi.sh"

mpi_find mpicc mpirun
test_under_armada 4 --cpus 4 --memory 8G
mpi_prepare

# Sums the ranks and prints the node of its armd: the shepherd above it has armd's command line.
cat >allreduce.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int parent(int pid)
{
	char path[64], text[512], *at;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	if (f)
		fclose(f);
	text[n] = 0;
	at = strrchr(text, ')');
	return at ? atoi(at + 4) : 0;
}

static int node_of(int pid, char *name)
{
	char path[64], text[8192];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	f = fopen(path, "r");
	n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	if (f)
		fclose(f);
	text[n] = 0;
	for (size_t i = 0; i < n; i += strlen(text + i) + 1)
		if (sscanf(text + i, "--node=%63s", name) == 1)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	int rank, size, sum = -1, pid = getpid();
	char name[64] = "nowhere";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	while (pid > 1 && !node_of(pid, name))
		pid = parent(pid);
	printf("rank %d of %d on %s: sum %d\n", rank, size, name, sum);
	MPI_Finalize();
	return argc > 1 && rank == 1 ? atoi(argv[1]) : 0;
}
END

# trial MPI: an all-reduce with this MPI
trial()
{
	local mpi=$1 text

	if ! mpicc.$mpi -o "reduce.$mpi" allreduce.c 2>cc.err; then
		ok "mpicc.$mpi compiles: $(tail -n 1 cc.err)" false
		return
	fi
	run asubmit --wait -t 3 -N 4 --mem 500M --launch=first -o "$mpi.out" --wrap "mpirun.$mpi ./reduce.$mpi"
	is "$status" 0 "$mpi: mpirun runs without options in a job on four nodes"
	text=$(cat "$mpi.out")
	is "$(grep -c '^rank [0-3] of 4 on n[1-4]: sum 6$' <<<"$text")" 4 "$mpi: each rank has the sum" || diag "$text"
	is "$(grep -o ' on n[1-4]:' <<<"$text" | sort -u | wc -l)" 4 "$mpi: each rank runs under an armd of its own"
	run asubmit --wait -t 3 -N 2 --ntasks-per-node 2 --mem 500M --launch=first -o "$mpi-two.out" \
		--wrap "mpirun.$mpi ./reduce.$mpi"
	is "$(grep -c '^rank [0-3] of 4 on n[1-4]: sum 6$' "$mpi-two.out")" 4 "$mpi: four ranks run on two nodes" ||
		diag "$(cat "$mpi-two.out")"
	is "$(grep -o ' on n[1-4]:' "$mpi-two.out" | sort | uniq -c | tr -s ' ' | cut -d' ' -f2 | tr '\n' ' ')" '2 2 ' \
		"$mpi: each node runs as many ranks as it has tasks"
	run asubmit --wait -t 3 -N 3 --mem 500M --launch=first -o "$mpi-bad.out" --wrap "mpirun.$mpi ./reduce.$mpi 7"
	# the daemons of Open MPI, when they are ended, sometimes return a higher code of their own
	unlike "$status" '^0$' "$mpi: mpirun fails if a rank fails"
	run asubmit --wait -t 3 -N 1 --ntasks-per-node 3 --mem 900M --launch=first -o "$mpi-one.out" \
		--wrap "mpirun.$mpi ./reduce.$mpi"
	is "$(grep -c '^rank [0-2] of 3 on n[1-4]: sum 3$' "$mpi-one.out")" 3 "$mpi: three tasks run on one node" ||
		diag "$(cat "$mpi-one.out")"
	is "$(arun -N 2 --mem 500M --pty sh -c "mpirun.$mpi ./reduce.$mpi" </dev/null | tr -d '\r' | grep -c 'of 2 on n[1-4]: sum 1')" \
		2 "$mpi: mpirun runs in a session of arun --pty"
}

for mpi in openmpi mpich; do
	if [[ $mpis == *" $mpi"* ]]; then
		trial $mpi
	else
		has mpicc.$mpi mpirun.$mpi || skip "$mpi: $missing"
	fi
done

# the environment, and how to switch it off
unset TMPDIR OMPI_MCA_orte_launch_agent
run asubmit --wait -N 2 --mem 100M --launch=first -o env.out --wrap 'env; echo; cat $ARMADA_HOST_FILE; echo; cat $HYDRA_HOST_FILE'
like "$(cat env.out)" 'OMPI_MCA_plm_rsh_agent=/.*/arun-agent' 'the environment names the agent to Open MPI'
like "$(cat env.out)" 'HYDRA_LAUNCHER_EXEC=/.*/arun-agent' 'the environment names the agent to MPICH'
like "$(cat env.out)" $'\n\nn[1-4]\nn[1-4]\n\nn[1-4]\nn[1-4]$' 'the environment names the nodes'
hosts=$(sed -n 's/^ARMADA_HOST_FILE=//p' env.out)
ok 'the host file is removed when the job ends' wait_until 10 test ! -e "$hosts"
run asubmit --wait -N 2 --mem 100M --launch=first --mpi=none -o none.out --wrap 'env'
unlike "$(cat none.out)" 'HYDRA|OMPI_MCA|HOST_FILE' '--mpi=none sets none of the variables'
run asubmit --wait -N 2 --mem 100M --launch=all -o all.out --wrap env
unlike "$(cat all.out)" 'HYDRA|OMPI_MCA|HOST_FILE' 'a job whose tasks all run the program has none of the variables'
run asubmit --wait -n 1 --mem 100M --launch=first -o one.out --wrap env
unlike "$(cat one.out)" 'HYDRA|OMPI_MCA|HOST_FILE' 'a job of a single task has none of the variables'
run asubmit --wait -N 2 --mem 100M --launch=first -o outer.out \
	--wrap 'asubmit --wait -n 1 --mem 100M -o inner.out --wrap env'
is "$status" 0 'a job can submit a job'
unlike "$(cat inner.out)" 'HYDRA|OMPI_MCA_plm|HOST_FILE' "the inner job has nothing of the outer job's nodes"

# the agent, called by hand
run asubmit --wait -N 2 --mem 100M --launch=first -o agent.out --wrap '
	for node in $(cat $ARMADA_HOST_FILE); do
		$HYDRA_LAUNCHER_EXEC -x -q $node "echo" on \$ARMADA_NODE_NAME is $node
	done
	$HYDRA_LAUNCHER_EXEC -l me -p 22 $node.some.domain exit 5; echo code $?
	$HYDRA_LAUNCHER_EXEC n9 true; echo code $?'
ok 'the agent runs a command line on a node' eval '[ $(grep -cE "^on (n[1-4]) is \1$" agent.out) = 2 ]'
like "$(cat agent.out)" 'code 5' 'the agent returns the exit code'
like "$(cat agent.out)" 'n9 is not one of the job.s nodes' 'the agent refuses a node outside the job'
done_testing
