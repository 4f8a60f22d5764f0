# Shell tests: NNNN-topic.t. Those that need a cluster get one from testsuite/lib/armada.sh.
shell_tests = \
	testsuite/t/0001-layers.t \
	testsuite/t/0002-headers.t \
	testsuite/t/0003-tidy.t \
	testsuite/t/0004-const.t \
	testsuite/t/0005-snapshot.t \
	testsuite/t/0006-routes.t \
	testsuite/t/0100-devcluster.t \
	testsuite/t/0110-quickstart.t
TESTS += $(shell_tests)
EXTRA_DIST += $(shell_tests) testsuite/lib/armada.sh testsuite/lib/drill.sh \
	testsuite/lib/mutants.sh testsuite/lib/nets.sh testsuite/lib/rest.sh testsuite/lib/rows.sh
# It reads what the programs of unit/core wrote about the members of the state.
testsuite/t/0005-snapshot.log: $(patsubst %,%.log,$(filter testsuite/unit/core/%,$(TESTS)))
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
TESTS += testsuite/t/0860-elastic.t testsuite/t/0861-upgrade.t
EXTRA_DIST += testsuite/t/0861-upgrade.t
EXTRA_DIST += testsuite/t/0860-elastic.t
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
TESTS += testsuite/t/0445-awatch.t
EXTRA_DIST += testsuite/t/0445-awatch.t
TESTS += testsuite/t/0446-examples.t
EXTRA_DIST += testsuite/t/0446-examples.t
TESTS += testsuite/t/0448-exclusive-user.t
EXTRA_DIST += testsuite/t/0448-exclusive-user.t
TESTS += testsuite/t/0447-awatch-readers.t
EXTRA_DIST += testsuite/t/0447-awatch-readers.t
TESTS += testsuite/t/0439-log.t
EXTRA_DIST += testsuite/t/0439-log.t
TESTS += testsuite/t/0445-account-limits.t
EXTRA_DIST += testsuite/t/0445-account-limits.t
TESTS += testsuite/t/0440-notify.t
EXTRA_DIST += testsuite/t/0440-notify.t
TESTS += testsuite/t/0441-notify-http.t
EXTRA_DIST += testsuite/t/0441-notify-http.t
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
TESTS += testsuite/t/0375-change.t
EXTRA_DIST += testsuite/t/0375-change.t
TESTS += testsuite/t/0375-scale.t
EXTRA_DIST += testsuite/t/0375-scale.t
TESTS += testsuite/t/0376-elastic.t
EXTRA_DIST += testsuite/t/0376-elastic.t
TESTS += testsuite/t/0376-scale.t
EXTRA_DIST += testsuite/t/0376-scale.t
TESTS += testsuite/t/0371-place.t testsuite/t/0372-hooks.t
EXTRA_DIST += testsuite/t/0371-place.t testsuite/t/0372-hooks.t
TESTS += testsuite/t/0373-ends.t
EXTRA_DIST += testsuite/t/0373-ends.t
TESTS += testsuite/t/0374-gate.t
EXTRA_DIST += testsuite/t/0374-gate.t
TESTS += testsuite/t/0376-nodes.t testsuite/t/0377-leases.t
EXTRA_DIST += testsuite/t/0376-nodes.t testsuite/t/0377-leases.t
TESTS += testsuite/t/0380-aalloc.t testsuite/t/0380-arun.t testsuite/t/0381-arun-pty.t testsuite/t/0382-mpi.t
EXTRA_DIST += testsuite/t/0380-aalloc.t testsuite/t/0380-arun.t testsuite/t/0381-arun-pty.t testsuite/t/0382-mpi.t
TESTS += testsuite/t/0370-node-tasks.t testsuite/t/0382-mpi-ranks.t testsuite/t/0382-mpi-warning.t testsuite/t/0382-mpi-pmi1.t
EXTRA_DIST += testsuite/t/0370-node-tasks.t testsuite/t/0382-mpi-ranks.t testsuite/t/0382-mpi-warning.t testsuite/t/0382-mpi-pmi1.t testsuite/lib/mpi.sh
TESTS += testsuite/t/0386-rights.t
TESTS += testsuite/t/0386-trust-kernel.t
EXTRA_DIST += testsuite/t/0386-rights.t
EXTRA_DIST += testsuite/t/0386-trust-kernel.t
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
TESTS += testsuite/t/0441-aacct-rights.t
EXTRA_DIST += testsuite/t/0441-aacct-rights.t
TESTS += testsuite/t/0442-labels.t
EXTRA_DIST += testsuite/t/0442-labels.t
TESTS += testsuite/t/0450-tokens.t
EXTRA_DIST += testsuite/t/0450-tokens.t
TESTS += testsuite/t/0451-rest.t
EXTRA_DIST += testsuite/t/0451-rest.t
TESTS += testsuite/t/0465-migrate.t
EXTRA_DIST += testsuite/t/0465-migrate.t testsuite/lib/redis.sh
TESTS += testsuite/t/0855-failover.t testsuite/t/0856-failover-redis.t testsuite/t/0857-bad-store.t \
	testsuite/t/0858-ha-manual.t testsuite/t/0859-late-standby.t
EXTRA_DIST += testsuite/t/0855-failover.t testsuite/t/0856-failover-redis.t testsuite/t/0857-bad-store.t \
	testsuite/t/0858-ha-manual.t testsuite/t/0859-late-standby.t \
	testsuite/lib/failover.sh
TESTS += testsuite/t/0452-metrics.t
EXTRA_DIST += testsuite/t/0452-metrics.t
TESTS += testsuite/t/0453-tls.t
EXTRA_DIST += testsuite/t/0453-tls.t
TESTS += testsuite/t/0454-rest-rate.t
EXTRA_DIST += testsuite/t/0454-rest-rate.t
TESTS += testsuite/t/0458-rest-commands.t
EXTRA_DIST += testsuite/t/0458-rest-commands.t
TESTS += testsuite/t/0455-units.t
EXTRA_DIST += testsuite/t/0455-units.t
TESTS += testsuite/t/0456-rest-attacks.t
EXTRA_DIST += testsuite/t/0456-rest-attacks.t testsuite/hostile/http_load.py
TESTS += testsuite/t/0459-output.t
EXTRA_DIST += testsuite/t/0459-output.t
TESTS += testsuite/t/0457-redis-start.t
EXTRA_DIST += testsuite/t/0457-redis-start.t
TESTS += testsuite/t/0470-compare-slurm.t
EXTRA_DIST += testsuite/t/0470-compare-slurm.t
