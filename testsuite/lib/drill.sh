# Drills: faults at random instants while jobs are submitted and run. To use it in bash:
#
#	. "${ARMADA_SRCDIR:-.}/testsuite/lib/drill.sh"
#	drill_begin 4 'agents = { heartbeat = "500ms"; };'
#	break_things() { ... until [ -e stop ] ... }
#	drill_rounds break_things 60
#	done_testing
#
# Each job appends to the journal: one line when it starts, one when it ends, "gone" when it gets
# SIGTERM. After each round: no acknowledged job is missing (I1), none ran twice (I2), no two attempts
# of one overlapped (I3), each has one end (I4), and the exit code is the one that the job computes.
# Queues and classes preempt one another: a preempted job runs again.
#
# With ${steady:-} the submitters go on, with pauses of up to so many milliseconds, until all faults of the
# round are made.
#
#	ARMADA_DRILL_ROUNDS	rounds (default 1)
#	ARMADA_DRILL_JOBS	jobs of a round (default: the drill's own)
#	ARMADA_DRILL_FAULTS	number of faults (default: the drill's own); a round without work left ends earlier
#	ARMADA_DRILL_SEED	seed of the instants (default: the time; printed)
#	ARMADA_DRILL_KEEP	keep the cluster of a drill that failed
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"

rounds=${ARMADA_DRILL_ROUNDS:-1}
: "${ARMADA_DRILL_SEED:=$((EPOCHSECONDS % 32768))}"
RANDOM=$ARMADA_DRILL_SEED

drill_conf()
{
	cat <<-X
	queues = ( { name = "queue0"; owners = [ "$(id -un)" ]; },
		{ name = "queue1"; owners = [ "$(id -un)" ]; priority_factor = 3; } );
	priority_classes = (
		{ name = "armada-default"; priority = 1000; },
		{ name = "armada-preemptible"; priority = 1000; fair_share_preemptible = true; },
		{ name = "urgent"; priority = 2000; urgency_preemptible = false; }
	);
	X
}

# drill_begin NODES CONF [devcluster option...]: starts the cluster and writes the job script.
drill_begin()
{
	local nodes=$1

	{ echo "$2"; drill_conf; } >conf
	shift 2
	drill_job
	test_under_armada "$nodes" --cpus 2 --memory 16G --conf "$work/conf" "$@"
	diag "seed $ARMADA_DRILL_SEED"
}

# journal: "start|end|gone JOB.RANK ATTEMPT NUMBER NODE PID"; "twice" if the process of another
# attempt still exists when one starts. A killed process cannot write to the journal.
drill_job()
{
	cat >job.sh <<-X
	#!/bin/bash
	rank="\$ARMADA_JOB_ID.\$ARMADA_TASK_RANK"
	me="\$rank \$ARMADA_ATTEMPT \$1 \$ARMADA_NODE_NAME \$\$"
	trap 'echo "gone \$me" >>$work/journal; exit 143' TERM
	lives()
	{
		{ read -r stat <"/proc/\$1/stat" && mapfile -td '' variables <"/proc/\$1/environ"; } 2>/dev/null || return
		[[ \${stat##*) } != Z* && " \${variables[*]} " = *" ARMADA_JOB_ID=\$ARMADA_JOB_ID "* ]]
	}
	while read -r what other attempt _ node pid; do
		[ "\$what \$other" = "start \$rank" ] && lives "\$pid" && echo "twice \$me \$attempt" >>$work/journal
	done <$work/journal
	echo "start \$me" >>$work/journal
	read -t \$2 <> <(:)
	echo "end \$me" >>$work/journal
	exit \$((\$1 % 5))
	X
	chmod 755 job.sh
}

# pause MAX: waits a random time of at most MAX milliseconds. The instants of the faults come from
# the seed.
pause()
{
	read -rt "$(printf '%d.%03d' $((RANDOM % $1 / 1000)) $((RANDOM % $1 % 1000)))" <> <(:) || :
}

# drill_submit FROM TO: the jobs last up to ${lasts:-90} ms. With ${refusals:-} a failed asubmit is
# repeated.
drill_submit()
{
	local i ms classes=(armada-preemptible armada-preemptible armada-default urgent)

	for ((i = $1; ; i++)); do
		[ ! -s refused ] || return
		[ "$i" -lt "$2" ] || { [ -n "${steady:-}" ] && [ ! -e stop ] && pause "$steady"; } || return
		ms=$((i * 7919 % ${lasts:-90} + 1))
		until asubmit --parsable -o /dev/null --memory 32M --grace-period "${grace:-30s}" \
			-c $((1 + i % 3 / 2)) -q "queue$((i % 2))" --priority-class "${classes[RANDOM % 4]}" \
			"$work/job.sh" "$i" "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))" >>"acked.$1" 2>>submit.err; do
			# a refused job was not accepted; otherwise it would run without being
			# acknowledged
			[ -n "${refusals:-}" ] || { echo "asubmit ended with $?" >>refused && break; }
		done
	done
}

drill_idle()
{
	local text

	text=$(aqueue --noheader 2>/dev/null) && [ -z "$text" ]
}

enough_faults()
{
	[ -e stop ] || [ "$(wc -l <faults)" -ge "${ARMADA_DRILL_FAULTS:-${least_faults:-3}}" ] || drill_idle
}

# Prints the errors, or nothing.
drill_check()
{
	awk '
	FILENAME ~ /acked/ { if (++acked[$1] > 1) print "id " $1 " was acknowledged twice"; next }
	FILENAME ~ /journal/ {
		key = $2 "/" $3
		split($2, part, ".")
		if ($1 == "twice") {
			print "I3: " key " started while attempt " $7 " ran"
			next
		}
		if ($1 == "start") {
			if (++starts[key] > 1) print "I2: " key " started twice"
		} else if ($1 == "end") {
			arg[part[1]] = $4; ends[part[1]]++
		}
		next
	}
	{ id = $1; seen[id]++; state[id] = $2; code[id] = $3 }
	END {
		for (id in acked) {
			if (!seen[id]) print "I1: job " id " is missing"
			if (seen[id] > 1) print "I4: job " id " has " seen[id] " ends"
			if (!ends[id]) { print "job " id " never ended by itself: " state[id]; continue }
			want = arg[id] % 5
			if (state[id] != (want ? "FAILED" : "COMPLETED") || code[id] + 0 != want)
				print "job " id ": " state[id] " " code[id] ", wanted " want
		}
		for (id in ends) if (!acked[id]) print "job " id " ran and was not acknowledged"
	}' acked.* journal history | head -20
}

# drill_round NUMBER DISRUPT SECONDS JOBS
drill_round()
{
	local first=$(($1 * $4)) k disrupter submitters=() ids wrong count

	rm -f acked.* journal history submit.err refused stop
	: >faults
	: >journal
	{ "$2"; [ -z "${steady:-}" ] || touch stop; } &
	disrupter=$!
	for ((k = 0; k < 4; k++)); do
		drill_submit $((first + k * $4 / 4)) $((first + (k + 1) * $4 / 4)) &
		submitters+=($!)
	done
	wait "${submitters[@]}"
	wait_until 300 enough_faults
	touch stop
	wait $disrupter
	wait_until "$3" drill_idle
	result $? "round $1: all jobs end after the faults"
	ids=$(sort -n acked.* | sed -n '1p;$p' | paste -sd -)
	aqueue --state all --noheader --format job,state,exit_code "$ids" >history 2>history.err
	wrong=$(drill_check)
	count=$(cat acked.* | wc -l)
	[ -z "$wrong" ] && [ ! -s refused ] && { [ "$count" -eq "$4" ] || [ -n "${steady:-}" ]; }
	result $? "round $1: $count jobs, $(wc -l <faults) faults: none missing, none twice, every exit status right"
	diag "tasks that got SIGTERM: $(grep -c ^gone journal)"
	[ -z "$wrong" ] || diag "$wrong"
	[ ! -s refused ] || diag "$(head -n 5 refused submit.err)"
}

# drill_rounds DISRUPT SECONDS JOBS: SECONDS is the time for all jobs to end after the faults.
drill_rounds()
{
	local round

	for ((round = 1; round <= rounds && failures == 0; round++)); do
		drill_round $round "$1" "$2" "${ARMADA_DRILL_JOBS:-$3}"
	done
	[ "$failures" -eq 0 ] && return
	diag "$(aqueue 2>&1 | head -n 5)"
	[ -z "${ARMADA_DRILL_KEEP:-}" ] || { trap - EXIT; diag "kept in $work"; }
}
