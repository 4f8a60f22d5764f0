# Shell tests: NNNN-topic.t. Those that need a cluster get one from testsuite/lib/armada.sh.
shell_tests = \
	testsuite/t/0001-layers.t \
	testsuite/t/0002-headers.t \
	testsuite/t/0003-tidy.t \
	testsuite/t/0004-const.t \
	testsuite/t/0005-snapshot.t \
	testsuite/t/0100-devcluster.t \
	testsuite/t/0110-quickstart.t
TESTS += $(shell_tests)
EXTRA_DIST += $(shell_tests) testsuite/lib/armada.sh testsuite/lib/drill.sh \
	testsuite/lib/mutants.sh testsuite/lib/nets.sh
TESTS += testsuite/t/0200-plugin-outside.t
EXTRA_DIST += testsuite/t/0200-plugin-outside.t
TESTS += testsuite/t/0210-plugins-man.t
EXTRA_DIST += testsuite/t/0210-plugins-man.t
TESTS += testsuite/t/0411-mistakes.t testsuite/t/0412-completion.t
EXTRA_DIST += testsuite/t/0412-completion.t
EXTRA_DIST += testsuite/t/0411-mistakes.t
TESTS += testsuite/t/0300-armctld.t
EXTRA_DIST += testsuite/t/0300-armctld.t
TESTS += testsuite/t/0310-armd.t
EXTRA_DIST += testsuite/t/0310-armd.t
TESTS += testsuite/t/0800-kill.t
EXTRA_DIST += testsuite/t/0800-kill.t
TESTS += testsuite/t/0810-power.t
EXTRA_DIST += testsuite/t/0810-power.t
TESTS += testsuite/t/0850-stale.t
EXTRA_DIST += testsuite/t/0850-stale.t
TESTS += testsuite/t/0870-hostile.t
EXTRA_DIST += testsuite/t/0870-hostile.t
TESTS += testsuite/t/0820-partition.t testsuite/t/0821-leases.t testsuite/t/0830-wire.t
EXTRA_DIST += testsuite/t/0820-partition.t testsuite/t/0821-leases.t testsuite/t/0830-wire.t
TESTS += testsuite/t/0840-spool.t
EXTRA_DIST += testsuite/t/0840-spool.t
TESTS += testsuite/t/0841-damage.t
EXTRA_DIST += testsuite/t/0841-damage.t
TESTS += testsuite/t/0320-controller.t
EXTRA_DIST += testsuite/t/0320-controller.t
TESTS += testsuite/t/0330-preempt.t
EXTRA_DIST += testsuite/t/0330-preempt.t
TESTS += testsuite/t/0420-man-examples.t
EXTRA_DIST += testsuite/t/0420-man-examples.t
TESTS += testsuite/t/0410-commands.t
EXTRA_DIST += testsuite/t/0410-commands.t
TESTS += testsuite/t/0411-sbatch.t
EXTRA_DIST += testsuite/t/0411-sbatch.t
TESTS += testsuite/t/0412-queue-nodes.t
EXTRA_DIST += testsuite/t/0412-queue-nodes.t
TESTS += testsuite/t/0439-resource-limits.t
EXTRA_DIST += testsuite/t/0439-resource-limits.t
TESTS += testsuite/t/0436-resources.t
EXTRA_DIST += testsuite/t/0436-resources.t
TESTS += testsuite/t/0432-nodes-listed.t
EXTRA_DIST += testsuite/t/0432-nodes-listed.t
TESTS += testsuite/t/0437-floating.t
EXTRA_DIST += testsuite/t/0437-floating.t
TESTS += testsuite/t/0438-attempts.t
EXTRA_DIST += testsuite/t/0438-attempts.t
TESTS += testsuite/t/0439-log.t
EXTRA_DIST += testsuite/t/0439-log.t
TESTS += testsuite/t/0445-account-limits.t
EXTRA_DIST += testsuite/t/0445-account-limits.t
TESTS += testsuite/t/0500-asim.t
EXTRA_DIST += testsuite/t/0500-asim.t
TESTS += testsuite/t/0395-preempt-wish.t
EXTRA_DIST += testsuite/t/0395-preempt-wish.t
TESTS += testsuite/t/0396-words.t
EXTRA_DIST += testsuite/t/0396-words.t
TESTS += testsuite/t/0397-classes.t
EXTRA_DIST += testsuite/t/0397-classes.t
TESTS += testsuite/t/0398-running-changes.t
EXTRA_DIST += testsuite/t/0398-running-changes.t
TESTS += testsuite/t/0401-fields.t
EXTRA_DIST += testsuite/t/0401-fields.t
TESTS += testsuite/t/0394-fairness.t
EXTRA_DIST += testsuite/t/0394-fairness.t testsuite/fairness
TESTS += testsuite/t/0400-conformance.t
EXTRA_DIST += testsuite/t/0400-conformance.t testsuite/conformance
TESTS += testsuite/t/0360-limits.t
EXTRA_DIST += testsuite/t/0360-limits.t
TESTS += testsuite/t/0378-cpus.t
EXTRA_DIST += testsuite/t/0378-cpus.t
TESTS += testsuite/t/0379-deps.t
EXTRA_DIST += testsuite/t/0379-deps.t
TESTS += testsuite/t/0383-queues.t
EXTRA_DIST += testsuite/t/0383-queues.t
TESTS += testsuite/t/0393-quota.t
EXTRA_DIST += testsuite/t/0393-quota.t
TESTS += testsuite/t/0340-plugin-faults.t
EXTRA_DIST += testsuite/t/0340-plugin-faults.t
TESTS += testsuite/t/0345-full-disk.t
EXTRA_DIST += testsuite/t/0345-full-disk.t
TESTS += testsuite/t/0346-recover.t
EXTRA_DIST += testsuite/t/0346-recover.t
TESTS += testsuite/t/0350-gangs.t
EXTRA_DIST += testsuite/t/0350-gangs.t
TESTS += testsuite/t/0430-explain.t
EXTRA_DIST += testsuite/t/0430-explain.t
TESTS += testsuite/t/0431-usage.t \
	testsuite/t/0434-reading.t \
	testsuite/t/0435-accounts.t
EXTRA_DIST += testsuite/t/0431-usage.t \
	testsuite/t/0434-reading.t \
	testsuite/t/0435-accounts.t
TESTS += testsuite/t/0370-contain.t
EXTRA_DIST += testsuite/t/0370-contain.t
TESTS += testsuite/t/0375-groups.t
EXTRA_DIST += testsuite/t/0375-groups.t
TESTS += testsuite/t/0371-place.t testsuite/t/0372-hooks.t
EXTRA_DIST += testsuite/t/0371-place.t testsuite/t/0372-hooks.t
TESTS += testsuite/t/0373-ends.t
EXTRA_DIST += testsuite/t/0373-ends.t
TESTS += testsuite/t/0374-gate.t
EXTRA_DIST += testsuite/t/0374-gate.t
TESTS += testsuite/t/0376-nodes.t testsuite/t/0377-leases.t
EXTRA_DIST += testsuite/t/0376-nodes.t testsuite/t/0377-leases.t
TESTS += testsuite/t/0380-arun.t testsuite/t/0381-arun-pty.t testsuite/t/0382-mpi.t
EXTRA_DIST += testsuite/t/0380-arun.t testsuite/t/0381-arun-pty.t testsuite/t/0382-mpi.t
TESTS += testsuite/t/0370-node-tasks.t testsuite/t/0382-mpi-ranks.t testsuite/t/0382-mpi-warning.t
EXTRA_DIST += testsuite/t/0370-node-tasks.t testsuite/t/0382-mpi-ranks.t testsuite/t/0382-mpi-warning.t testsuite/lib/mpi.sh
TESTS += testsuite/t/0386-rights.t
EXTRA_DIST += testsuite/t/0386-rights.t
TESTS += testsuite/t/0387-identity.t testsuite/t/0388-disagreement.t
EXTRA_DIST += testsuite/t/0387-identity.t testsuite/t/0388-disagreement.t testsuite/lib/users.sh
TESTS += testsuite/t/0389-decay.t testsuite/t/0390-shares.t
EXTRA_DIST += testsuite/t/0389-decay.t testsuite/t/0390-shares.t
TESTS += testsuite/t/0391-seed-examples.t testsuite/t/0392-slices.t
EXTRA_DIST += testsuite/t/0391-seed-examples.t testsuite/t/0392-slices.t
TESTS += testsuite/t/0384-reconfigure.t
EXTRA_DIST += testsuite/t/0384-reconfigure.t
TESTS += testsuite/t/0385-queue-commands.t
EXTRA_DIST += testsuite/t/0385-queue-commands.t
TESTS += testsuite/t/0441-jobfiles.t
EXTRA_DIST += testsuite/t/0441-jobfiles.t
TESTS += testsuite/t/0440-aacct.t
EXTRA_DIST += testsuite/t/0440-aacct.t
