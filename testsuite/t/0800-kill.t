#!/bin/bash
# K2, K5: daemons are killed with SIGKILL at random instants while jobs are submitted and run.
#
# The jobs keep the journal themselves: one appended line when they start, one when they end. After
# each round: no acknowledged job is missing (I1), none ran twice (I2), no two attempts of one
# overlapped (I3), each has one end (I4) and the exit code that its own arithmetic says. Queues and
# classes preempt one another: a job that was preempted says so and runs again.
#
#	ARMADA_DRILL_ROUNDS	rounds (default 2; 20 is the release's number)
#	ARMADA_DRILL_JOBS	jobs of a round (default 250; the release's 500)
#	ARMADA_DRILL_SEED	of the instants (default: the time; printed)
rounds=${ARMADA_DRILL_ROUNDS:-2}
jobs=${ARMADA_DRILL_JOBS:-250}
RANDOM=${ARMADA_DRILL_SEED:=$((${EPOCHSECONDS} % 32768))}
dev=$ARMADA_SRCDIR/contrib/devcluster
dir=$(mktemp -d "${TMPDIR:-/tmp}/armada-kill.XXXXXX") || exit 99
chmod 755 "$dir"
n=0
trap '"$dev" stop "$dir/c" >/dev/null 2>&1; rm -rf "$dir"' EXIT

ok() { # status description
	n=$((n + 1))
	[ "$1" -eq 0 ] && echo "ok $n - $2" || { echo "not ok $n - $2"; failed=1; }
}

await() { # seconds command...
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}

pause() { # at most this many ms, at random: the instant of a kill is the test's input
	sleep "$(printf '0.%03d' $((RANDOM % $1)))"
}

submit() { # from to
	local i classes=(armada-preemptible armada-preemptible armada-default urgent)
	for ((i = $1; i < $2; i++)); do
		asubmit --parsable -o /dev/null --mem 32M --grace-period 30s -c $((1 + i % 3 / 2)) \
			-q "queue$((i % 2))" --priority-class "${classes[RANDOM % 4]}" \
			"$dir/job.sh" "$i" >>"$dir/acked.$1" 2>>"$dir/err" ||
			echo "asubmit ended with $?" >>"$dir/refused"
	done
}

kill_at_random() {
	local name
	while [ ! -e "$dir/stop" ]; do
		pause 250
		name=${names[RANDOM % ${#names[@]}]}
		"$dev" kill "$dir/c" "$name" >>"$dir/kills" 2>&1
		echo "killed $name" >>"$dir/kills"
		pause 150
		"$dev" restart "$dir/c" "$name" >>"$dir/kills" 2>&1
	done
}

idle() {
	local out
	out=$(aqueue --noheader 2>/dev/null) && [ -z "$out" ]
}

# journal: "start JOB ATTEMPT ARG", and then "end JOB ATTEMPT ARG" or, when it was preempted, "gone"
cat >"$dir/job.sh" <<X
#!/bin/bash
trap 'echo "gone \$ARMADA_JOB_ID \$ARMADA_ATTEMPT \$1" >>$dir/journal; exit 143' TERM
echo "start \$ARMADA_JOB_ID \$ARMADA_ATTEMPT \$1" >>$dir/journal
read -t 0.0\$((\$1 % 9 + 1)) <> <(:)
echo "end \$ARMADA_JOB_ID \$ARMADA_ATTEMPT \$1" >>$dir/journal
exit \$((\$1 % 5))
X
check() { # prints what is wrong, nothing when all is well
	awk '
	FILENAME ~ /acked/ { if (++acked[$1] > 1) print "id " $1 " was acknowledged twice"; next }
	FILENAME ~ /journal/ {
		key = $2 "/" $3
		if ($1 == "start") {
			if (++starts[key] > 1) print "I2: " key " started twice"
			if (live[$2]) print "I3: " key " started while attempt " live[$2] " ran"
			live[$2] = $3
		} else {
			if (live[$2] == $3) live[$2] = ""
			if ($1 == "gone") next
			arg[$2] = $4; ends[$2]++
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
	}' "$dir"/acked.* "$dir/journal" "$dir/history" | head -20
}

cat >"$dir/conf" <<X
agents = { heartbeat = "500ms"; node_timeout = "30s"; reconnect_max = "300ms"; };
queues = ( { name = "queue0"; owners = [ "$(id -un)" ]; },
	{ name = "queue1"; owners = [ "$(id -un)" ]; priority_factor = 3; } );
priority_classes = (
	{ name = "armada-default"; priority = 1000; },
	{ name = "armada-preemptible"; priority = 1000; fair_share_preemptible = true; },
	{ name = "urgent"; priority = 2000; urgency_preemptible = false; }
);
X
"$dev" start "$dir/c" --nodes 4 --cpus 2 --memory 16G --conf "$dir/conf" >"$dir/out" 2>&1
ok $? "a cluster of four nodes starts"
eval "$("$dev" env "$dir/c")"
names=(armctld n1 armctld n2 armctld n3 n4)
chmod 755 "$dir/job.sh"
echo "# seed $ARMADA_DRILL_SEED"
for ((round = 1; round <= rounds; round++)); do
	rm -f "$dir"/{acked.*,journal,history,err,refused,kills,stop}
	first=$((round * jobs))
	kill_at_random &
	killer=$!
	submitters=()
	for ((k = 0; k < 4; k++)); do
		submit $((first + k * jobs / 4)) $((first + (k + 1) * jobs / 4)) &
		submitters+=($!)
	done
	wait "${submitters[@]}"
	touch "$dir/stop"
	wait $killer
	await 60 idle
	ok $? "round $round: everything ends once the kills do"
	ids=$(sort -n "$dir"/acked.* | sed -n '1p;$p' | paste -sd -)
	aqueue --state all --noheader --format job,state,exit_code "$ids" >"$dir/history" 2>"$dir/err2"
	wrong=$(check)
	[ -z "$wrong" ] && [ ! -s "$dir/refused" ] && [ "$(cat "$dir"/acked.* | wc -l)" -eq "$jobs" ]
	ok $? "round $round: $jobs jobs, $(grep -c killed "$dir/kills") kills: none missing, none twice, every exit status right"
	echo "# preempted: $(grep -c ^gone "$dir/journal")"
	[ -z "$wrong" ] || echo "$wrong" | sed 's/^/# /'
	[ ! -s "$dir/refused" ] || sed 's/^/# /' "$dir/refused" "$dir/err" | head -5
	[ -z "$failed" ] || break
done
if [ "$failed" ]; then
	aqueue 2>&1 | head -5 | sed 's/^/# /'
	tail -n 5 "$dir"/c/log/*.log | sed 's/^/# /'
	[ -z "$ARMADA_DRILL_KEEP" ] || { trap - EXIT; echo "# kept in $dir"; }
fi
echo "1..$n"
