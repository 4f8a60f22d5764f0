#!/bin/bash
# arun --mpi=pmi1: a program of our own that speaks PMI-1, and one of MPICH if it is installed, on several nodes
# without mpirun. A rank that aborts, dies or breaks the protocol ends the step with the reason and the rank.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

has gcc || skip_all "$missing"
unset ARMADA_JOB_ID "${!PMI_@}"
test_under_armada 3 --cpus 4 --memory 4G

# pmi WAY: puts a key, fences, and reads those of all ranks, three times. WAY: what rank 1 does instead.
cat >pmi.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *in, *out;
static char line[4096];

/* Sends a request, and finds a value in the reply. */
static char *ask(const char *request, const char *name)
{
	char *at;

	fprintf(out, "%s\n", request);
	fflush(out);
	if (!fgets(line, sizeof(line), in))
		exit(90);
	at = strstr(line, name);
	if (!at)
		exit(91);
	at += strlen(name);
	at[strcspn(at, " \n")] = '\0';
	return at;
}

static void misbehave(const char *way)
{
	if (strcmp(way, "abort") == 0)
		fputs("cmd=abort exitcode=7\n", out);
	else if (strcmp(way, "noise") == 0)
		fputs("HELO mpi\n", out);
	else if (strcmp(way, "leave") == 0)
		exit(0);
	else if (strcmp(way, "signal") == 0)
		raise(SIGSEGV);
	else if (strcmp(way, "lose") == 0)
		kill(getppid(), SIGKILL);
	fflush(out);
	pause();
}

/* More than one frame of the stream: 600 keys of 1,000 bytes from each rank. */
static void exchange_much(int rank, int size, const char *kvs)
{
	char request[2048], value[1001];

	memset(value, 'x', 1000);
	value[1000] = '\0';
	for (int i = 0; i < 600; i++) {
		snprintf(value, 8, "%d.%d", rank, i);
		value[strlen(value)] = '_';
		snprintf(request, sizeof(request), "cmd=put kvsname=%s key=k%d.%d value=%s", kvs, rank, i, value);
		ask(request, "rc=0");
	}
	ask("cmd=barrier_in", "cmd=barrier_out");
	for (int i = 0; i < 600; i++) {
		int other = i % size, len;

		snprintf(request, sizeof(request), "cmd=get kvsname=%s key=k%d.%d", kvs, other, i);
		len = snprintf(value, sizeof(value), "%d.%d_", other, i);
		if (strncmp(ask(request, "value="), value, len) != 0)
			exit(92);
	}
}

int main(int argc, char **argv)
{
	int rank = atoi(getenv("PMI_RANK")), size = atoi(getenv("PMI_SIZE")), fd = atoi(getenv("PMI_FD")), sum = 0;
	const char *way = argc > 1 ? argv[1] : "";
	char request[512], kvs[256];

	if (strcmp(way, "early") == 0 && rank == 1)
		return 3;
	in = fdopen(fd, "r");
	out = fdopen(dup(fd), "w");
	ask("cmd=init pmi_version=1 pmi_subversion=1", "rc=0");
	strcpy(kvs, ask("cmd=get_my_kvsname", "kvsname="));
	if (*way && strcmp(way, "early") != 0 && strcmp(way, "much") != 0 && rank == 1)
		misbehave(way);
	if (strcmp(way, "much") == 0)
		exchange_much(rank, size, kvs);
	for (int round = 0; round < 3; round++) {
		snprintf(request, sizeof(request), "cmd=put kvsname=%s key=r%d value=%d", kvs, rank, rank + round);
		ask(request, "rc=0");
		ask("cmd=barrier_in", "cmd=barrier_out");
		for (int i = 0; i < size; i++) {
			snprintf(request, sizeof(request), "cmd=get kvsname=%s key=r%d", kvs, i);
			sum += atoi(ask(request, "value="));
		}
		ask("cmd=barrier_in", "cmd=barrier_out");
	}
	snprintf(request, sizeof(request), "cmd=get kvsname=%s key=PMI_process_mapping", kvs);
	printf("rank %d of %d: sum %d, places %s\n", rank, size, sum, ask(request, "value="));
	ask("cmd=finalize", "finalize_ack");
	return 0;
}
END
gcc -o pmi pmi.c || bail 'gcc compiles no program'
chmod 755 pmi

# 3 * (0 + 1 + 2 + 3) + 4 * (0 + 1 + 2) = 30
run arun -N 2 -n 4 --mem 100M --mpi=pmi1 ./pmi
is "$status" 0 'a program that speaks PMI-1 runs' || diag "$err"
is "$(grep -c '^rank [0-3] of 4: sum 30, places (vector,(0,2,2))$' <<<"$out")" 4 \
	'each of four ranks on two nodes reads the keys of all, in three fences' || diag "$out"
run arun -N 3 --mem 100M --mpi=pmi1 sh -c './pmi && ./pmi'
is "$(grep -c '^rank [0-2] of 3: sum 18, places (vector,(0,3,1))$' <<<"$out")" 6 \
	'two programs of a shell use it one after the other, on three nodes' || diag "$out $err"
run arun -N 2 -n 4 --mem 100M --mpi=pmi1 ./pmi much
is "$(grep -c '^rank [0-3] of 4: sum 30' <<<"$out")" 4 'four ranks exchange 2.4 MB' || diag "$err"
run arun -n 1 --memory 50M --mpi=pmi1 ./pmi
is "$out" 'rank 0 of 1: sum 3, places (vector,(0,1,1))' 'a single rank'
run arun -n 2 --memory 50M --mpi=pmi1 true
is "$status" 0 'a program that speaks nothing may run under it'

run arun -n 2 --memory 50M --mpi=pmi9 ./pmi
is "$status" 2 'an unknown --mpi is refused'
like "$err" "pmi9. is not one of auto, none, pmi1" 'with those there are'

# ends WAY CODE TEXT: all of a step ends because of rank 1
ends()
{
	run timeout 60 arun -N 3 --mem 100M --mpi=pmi1 ./pmi "$1"
	is "$status" "$2" "$1: the exit code is that of the rank" || diag "$err"
	like "$err" "task 1 on n[1-3]: $3; all tasks are ended" "$1: the reason and the rank"
}
ends abort 7 'called MPI_Abort with code 7'
ends noise 1 "broke the protocol PMI-1: its line 'HELO' is no request"
ends leave 1 'it ended without MPI_Finalize'
ends signal 139 'it ended without MPI_Finalize'
ends early 3 'it has ended, but [12] other task[s ]+waits? for it in MPI'
ends lose 1 'the connection was lost, or the job has ended'

# steps of a job: two at once, and the job goes on after one that failed
cat >steps.sh <<'END'
#!/bin/bash
arun -n 4 --mpi=pmi1 ./pmi >step1 &
arun -n 4 --mpi=pmi1 ./pmi >step2 &
wait
arun -n 4 --mpi=pmi1 ./pmi abort
echo "code $?"
arun -n 8 --overcommit --distribution=cyclic --mpi=pmi1 ./pmi >step3
echo "code $?"
END
run asubmit --wait -n 4 -N 2 --mem 200M -o job.out steps.sh
is "$status" 0 'a job with steps of MPI' || diag "$(cat job.out)"
is "$(cat step1 step2 | grep -c '^rank [0-3] of 4: sum 30, places (vector,(0,2,2))$')" 8 'two steps at once' ||
	diag "$(cat step1 step2 job.out)"
like "$(cat job.out)" $'code 7\ncode 0$' 'a step that aborts is no end of the job'
is "$(grep -c '^rank [0-7] of 8: sum 108, places (vector,(0,2,1))$' step3)" 8 'several ranks in a task, in turn' ||
	diag "$(cat step3)"

# MPICH
if has mpicc.mpich; then
	cat >hello.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	int rank, size, sum, local;
	MPI_Comm node;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc > 1 && rank == 1)
		MPI_Abort(MPI_COMM_WORLD, 9);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Comm_size(node, &local);
	printf("rank %d of %d: sum %d, %d on the node\n", rank, size, sum, local);
	MPI_Finalize();
	return 0;
}
END
	mpicc.mpich -o hello hello.c || bail 'mpicc.mpich compiles no program'
	run arun -v -N 2 -n 4 --mem 500M ./hello
	is "$status" 0 'MPICH: it starts without mpirun' || diag "$err"
	is "$(grep -c '^rank [0-3] of 4: sum 6, 2 on the node$' <<<"$out")" 4 \
		'MPICH: four ranks on two nodes, two share the memory of each' || diag "$out"
	like "$err" 'mpi=auto: pmi1, because ./hello is linked with libmpich.so.12' 'MPICH: --verbose says what auto chose'
	run timeout 60 arun -N 3 --mem 500M ./hello abort
	is "$status" 9 'MPICH: MPI_Abort gives the exit code'
	like "$err" 'task 1 on n[1-3]: called MPI_Abort with code 9; all tasks are ended' 'MPICH: and the rank'
	run arun -n 2 --memory 500M --mpi=none ./hello
	is "$(grep -c '^rank 0 of 1' <<<"$out")" 2 'MPICH: with --mpi=none each rank is alone'
	like "$err" 'each of the 2 tasks runs it by itself, as rank 0 of 1; MPICH needs --mpi=pmi1' 'MPICH: and that is said'
	cat >in-job.sh <<'END'
#!/bin/bash
arun -n 4 ./hello
END
	run asubmit --wait -n 4 -N 2 --mem 1G -o mpich.out in-job.sh
	is "$(grep -c '^rank [0-3] of 4: sum 6, 2 on the node$' mpich.out)" 4 'MPICH: as a step of a job' ||
		diag "$(cat mpich.out)"
else
	skip "MPICH: $missing"
fi
done_testing
