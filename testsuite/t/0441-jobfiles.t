#!/bin/bash
# Job files with several jobs, in three syntaxes; dependencies by name; files of Armada on Kubernetes.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

test_under_armada 2 --cpus 4 --memory 8G

states()
{
	aqueue --noheader --format state "$@" | tr -d ' ' | tr '\n' ' '
}

cat >pipeline.conf <<'EOF'
defaults = { memory = "50M"; time = "10m"; output = "all.txt"; open_mode = "append"; };
jobs = (
  { name = "report"; dependency = "afterok:train:check"; wrap = "echo report"; },
  { name = "prepare"; wrap = "echo prepare"; },
  { name = "train"; array = "1-3"; dependency = "afterok:prepare"; wrap = "echo train"; },
  { name = "check"; dependency = "afterok:train_2"; wrap = "echo check"; memory = "60M"; }
);
EOF
run asubmit --file pipeline.conf
is "$status" 0 'four jobs in one file are accepted'
like "$out" '^Submitted batch job [0-9]+ \(report\)
Submitted batch job [0-9]+ \(prepare\)' 'the ids come in the order of the file'
ids=$(sed 's/[^0-9]*\([0-9]*\).*/\1/' <<<"$out")
ok 'all jobs end' wait_until 30 job_ended $ids
is "$(head -n 1 all.txt):$(tail -n 1 all.txt)" 'prepare:report' 'they ran in the order of their dependencies'
is "$(states $ids)" 'COMPLETED COMPLETED COMPLETED COMPLETED COMPLETED COMPLETED ' 'all succeeded'

# the file of an example for Armada on Kubernetes, verbatim
actl queue create test >/dev/null
cat >job.yaml <<'EOF'
queue: test
jobSetId: set1
jobs:
  - priority: 0
    podSpecs:
      - terminationGracePeriodSeconds: 0
        restartPolicy: Never
        containers:
          - name: sleep
            imagePullPolicy: IfNotPresent
            image: busybox:latest
            args:
              - sleep
              - 1s
            resources:
              limits:
                memory: 64Mi
                cpu: 150m
              requests:
                memory: 64Mi
                cpu: 150m
EOF
run asubmit --file job.yaml --parsable --wait
is "$status" 0 'it runs and succeeds'
like "$err" 'job.yaml: image and imagePullPolicy have no effect' 'a warning about its image'
is "$(aqueue --noheader --format queue,job_set,cpus,memory,state "$out" | tr -s ' ')" 'test set1 0.15 64M COMPLETED' \
	'its queue, job set and resources'

# two pods are two groups; a gang by annotations
cat >pods.json <<'EOF'
{"defaults": {"memory": "50M"},
 "jobs": [
	{"name": "pair", "podSpecs": [
		{"containers": [{"name": "a", "command": ["sh", "-c"], "args": ["echo $ARMADA_GROUP_NAME"]}]},
		{"containers": [{"name": "b", "args": ["true"]}]}]},
	{"name": "one", "command": ["true"], "annotations":
		{"armadaproject.io/gangId": "g", "armadaproject.io/gangCardinality": "2"}},
	{"name": "two", "command": ["true"], "annotations":
		{"armadaproject.io/gangId": "g", "armadaproject.io/gangCardinality": 2}}]}
EOF
run asubmit --file pods.json --parsable --wait
is "$status" 0 'two pods in a job, and a gang of two jobs'
is "$(states $out | tr -d '\n')" 'COMPLETED COMPLETED COMPLETED ' 'all three succeeded'

# all or nothing, and the error names line and job
before=$(aqueue --noheader --state all | wc -l)
printf 'jobs:\n  - {name: good, wrap: "true", memory: 50M}\n  - {name: large, wrap: "true", cpus: 99}\n' >bad.yaml
run asubmit --file bad.yaml
is "$status" 1 'one job that can never start refuses all'
like "$err" 'bad.yaml: line 3: jobs\[1\] \(large\): cpu: 99 is more than any node has' 'the error names line and job'
printf 'jobs:\n  - {name: a, wrap: x, dependency: "afterok:b"}\n  - {name: b, wrap: x, dependency: "afterok:a"}\n' >bad.yaml
run asubmit --file bad.yaml
is "$status" 2 'jobs that wait for one another are refused'
like "$err" 'would wait for one another: a waits for b waits for a' 'the error names them'
run asubmit --file pipeline.conf --wrap true
is "$status" 2 'a program on the command line cannot replace those of the file'
is "$(aqueue --noheader --state all | wc -l)" "$before" 'nothing was submitted'

# the second run of a file with a key
run asubmit --file pipeline.conf --submit-key file --parsable --hold
first=$out
run asubmit --file pipeline.conf --submit-key file --parsable --hold
is "$out" "$first" 'a file with a submission key is submitted once'
acancel $first >/dev/null
run asubmit --file .
like "$status $err" '1 asubmit: error: \. is a directory; a file is needed' 'a directory is no job file'
done_testing
