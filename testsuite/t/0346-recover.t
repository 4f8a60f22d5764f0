#!/bin/bash
# A damaged log: armctld refuses to start and names --recover, which shows what is kept and lost before it
# acts. A job that runs meanwhile ends as usual.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"
needs python3
test_under_armada 1 --cpus 4

state=$work/cluster/state
is_running() { [ "$(aqueue --noheader --format state "$1")" = RUNNING ]; }
sums() { (cd "$state" && md5sum log.db* log.mark history.db order.key); }

kept=$(asubmit --parsable --hold --wrap true)
running=$(asubmit --parsable --wrap "until [ -e $work/end ]; do sleep 0.1; done; exit 3")
wait_until 20 is_running "$running"
result $? 'a job runs'
run armctld --recover
is "$status" 1 'the state of a running controller is not recovered'
like "$err" 'held by another controller' 'the message says why'
lost=$(asubmit --parsable --hold --wrap true)
"$devcluster" kill "$cluster" armctld
run armctld --recover
is "$status" 0 'a good log needs no recovery'
like "$out" 'nothing to recover' 'and it says so'

# the transaction of the last submission: the last frames of the WAL
python3 - "$state/log.db-wal" <<'END'
import sys
path, frame = sys.argv[1], 24 + 4096
data = bytearray(open(path, 'rb').read())
at = (len(data) - 32) // frame
commits = [i for i in range(at) if data[32 + i * frame + 4: 32 + i * frame + 8] != bytes(4)]
last = commits[-2] + 1
data[32 + last * frame + 24 + 4000] ^= 1
open(path, 'wb').write(data)
END
run armctld
is "$status" 1 'a log that lacks an acknowledged record is refused'
like "$err" 'armctld --recover' 'the message names --recover'
before=$(sums)
run armctld --recover
is "$status" 0 'what can be kept is shown'
like "$out" 'Kept: *the state up to record [0-9]+, of 20' 'the last good record, with its time'
like "$out" 'Lost: *records' 'what is lost'
like "$out" 'Nodes: *they are asked' 'that nodes are asked'
like "$out" 'Nothing was changed' 'and that nothing was changed'
is "$(sums)" "$before" 'nothing was changed'
run armctld --yes
is "$status" 2 '--yes without --recover is refused'
run armctld --recover --yes
is "$status" 0 'it is kept'
ls "$state"/log.db.damaged-* "$state"/log.mark.damaged-* >/dev/null
result $? 'the damaged files are kept'
run "$devcluster" restart "$cluster" armctld
is "$status" 0 'armctld starts'
wait_until 20 is_running "$running"
result $? 'the job still runs'
run aqueue --noheader --format id
like "$out" "(^|[^0-9])$kept([^0-9]|\$)" 'a job from before the damage is kept'
unlike "$out" "(^|[^0-9])$lost([^0-9]|\$)" 'the job of the lost record is gone'
touch end
wait_until 20 job_ended "$running"
result $? 'the running job ends'
run aqueue --noheader --state all --format exit "$running"
is "$(echo $out)" '3:0' 'its end is recorded'
run asubmit --parsable --wrap true
[ "$out" -gt 1000000 ]
result $? 'a new job has an id that no lost job had'
wait_until 20 job_ended "$out"
result $? 'and runs'
done_testing
