#!/bin/bash
# Elastic jobs run while armctld and nodes are killed at random times, and urgent jobs take tasks back. No
# rank runs twice at once, no job has more tasks than it asked for, each task that starts ends, by itself or
# because it was taken back, and each job completes with at least its minimum. ARMADA_DRILL_TASKS is the
# number of tasks of an elastic job (6), ARMADA_DRILL_CPUS the number of cpus of each of the four nodes (3).
. "${ARMADA_SRCDIR:-.}/testsuite/lib/drill.sh"

ntasks=${ARMADA_DRILL_TASKS:-6}
least=$(((ntasks + 2) / 3))
rounds=${ARMADA_DRILL_ROUNDS:-1}

# Replaces that of drill.sh. journal: "start|end|gone JOB.RANK ATTEMPT NUMBER-OF-TASKS MINIMUM". The tasks
# that start together last longer, so that others can join.
drill_job()
{
	mkfifo idle
	cat >job.sh <<-X
	#!/bin/bash
	me="\$ARMADA_JOB_ID.\$ARMADA_TASK_RANK \$ARMADA_ATTEMPT \${ARMADA_TASK_MAX:-1} \${ARMADA_TASK_MIN:-1}"
	trap 'echo "gone \$me" >>$work/journal; exit 143' TERM
	exec 3<>$work/idle
	echo "start \$me" >>$work/journal
	read -rt "0.\$((\$1 % 3 + (ARMADA_TASK_RANK < \${ARMADA_TASK_MIN:-1} ? 5 : 2)))" <&3
	echo "end \$me" >>$work/journal
	exit 0
	X
	chmod 755 job.sh
}

# Each third job is urgent, and takes tasks of others back.
drill_submit()
{
	local i options

	for ((i = $1; i < $2; i++)); do
		options=(-n "$ntasks" --min-tasks "$least" --on-task-failure replace_task -c 1)
		[ $((i % 3)) -ne 0 ] || options=(-c 2)
		asubmit --parsable -o /dev/null --memory 32M "${options[@]}" -q "queue$((i % 2))" \
			--priority-class "$([ $((i % 3)) -eq 0 ] && echo urgent || echo armada-preemptible)" \
			-- "$work/job.sh" "$i" >>"acked.$1" 2>>submit.err || { echo "asubmit ended with $?" >>refused && break; }
	done
}

# Replaces that of drill.sh: prints the errors, or nothing.
drill_check()
{
	awk '
	FILENAME ~ /acked/ { if (++acked[$1] > 1) print "id " $1 " was acknowledged twice"; next }
	FILENAME ~ /journal/ {
		key = $2 "/" $3
		split($2, part, ".")
		job = part[1]
		if ($1 == "start") {
			if (++starts[key] > 1) print key " started twice"
			if (runs[$2]) print key " started while attempt " runs[$2] " ran"
			if (part[2] >= $4 || ++up[job] > $4) print key ": more than " $4 " tasks"
			runs[$2] = $3
			least[job] = $5
		} else {
			if (runs[$2] != $3) print key " ended and did not run"
			delete runs[$2]
			up[job]--
			if ($1 == "end") ends[$2]++
		}
		next
	}
	{ seen[$1]++; state[$1] = $2 " " $3 }
	END {
		for (id in acked) {
			if (seen[id] != 1) print "job " id " has " seen[id] + 0 " ends"
			if (state[id] != "COMPLETED 0") print "job " id ": " state[id]
			for (rank = 0; rank < least[id]; rank++)
				if (!ends[id "." rank]) print "task " rank " of job " id " never ended by itself"
		}
		for (id in least) if (!acked[id]) print "job " id " ran and was not acknowledged"
		for (task in runs) print "task " task " was lost: attempt " runs[task] " has no end"
	}' acked.* journal history | head -20
}

kill_at_random()
{
	local name names=(armctld n1 armctld n2 armctld n3 n4)

	while [ ! -e stop ]; do
		pause 700
		name=${names[RANDOM % ${#names[@]}]}
		"$devcluster" kill "$cluster" "$name" >>kills 2>&1
		echo "killed $name" >>faults
		pause 300
		"$devcluster" restart "$cluster" "$name" >>kills 2>&1
	done
}

least_faults=6
drill_begin 4 'agents = { heartbeat = "500ms"; node_timeout = "30s"; reconnect_max = "300ms"; };
limits = { max_requeues = 100; };' --cpus "${ARMADA_DRILL_CPUS:-3}"
drill_rounds kill_at_random "$((120 + ${ARMADA_DRILL_JOBS:-0}))" 24
joined=$(awk '$1 == "start" { split($2, part, "."); n += part[2] >= $5 } END { print n + 0 }' journal)
ok 'tasks joined running jobs' [ "$joined" -gt 0 ]
diag "$joined tasks joined running jobs, $(grep -c ^start journal) started"
done_testing
