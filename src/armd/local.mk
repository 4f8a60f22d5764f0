# armd: one library of eight folders, and the program.
noinst_LIBRARIES += src/armd/libarmd.a
src_armd_libarmd_a_SOURCES = \
	src/armd/hooks/hook.h src/armd/hooks/hook.c \
	src/armd/hooks/job.h src/armd/hooks/job.c \
	src/armd/hooks/orphans.h src/armd/hooks/orphans.c \
	src/armd/identity.h src/armd/identity.c \
	src/armd/launcher/cpus.h src/armd/launcher/cpus.c \
	src/armd/launcher/credential.h src/armd/launcher/credential.c \
	src/armd/launcher/effects.h src/armd/launcher/effects.c \
	src/armd/launcher/health.h src/armd/launcher/health.c \
	src/armd/launcher/launcher.h src/armd/launcher/launcher.c \
	src/armd/launcher/live.h src/armd/launcher/live.c \
	src/armd/launcher/load.h src/armd/launcher/load.c \
	src/armd/launcher/network.h src/armd/launcher/network.c \
	src/armd/launcher/network_out.h src/armd/launcher/network_out.c \
	src/armd/launcher/orders.h src/armd/launcher/orders.c \
	src/armd/launcher/output_file.h src/armd/launcher/output_file.c \
	src/armd/launcher/output_reads.h src/armd/launcher/output_reads.c \
	src/armd/launcher/place.h src/armd/launcher/place.c \
	src/armd/launcher/reboot.h src/armd/launcher/reboot.c \
	src/armd/launcher/reclaim.h src/armd/launcher/reclaim.c \
	src/armd/launcher/shepherd_out.h src/armd/launcher/shepherd_out.c \
	src/armd/launcher/shutdown.h src/armd/launcher/shutdown.c \
	src/armd/launcher/start.h src/armd/launcher/start.c \
	src/armd/launcher/state.h \
	src/armd/launcher/tasks.h src/armd/launcher/tasks.c \
	src/armd/launcher/user_rules.h src/armd/launcher/user_rules.c \
	src/armd/machine/cpus.h src/armd/machine/cpus.c \
	src/armd/machine/counted.h src/armd/machine/counted.c src/armd/machine/counted_find.c \
	src/armd/machine/gpus.h src/armd/machine/gpus.c \
	src/armd/machine/inventory.h src/armd/machine/inventory.c \
	src/armd/machine/machine.h src/armd/machine/machine.c \
	src/armd/machine/nvml.h src/armd/machine/nvml.c \
	src/armd/network/effects.h src/armd/network/effects.c \
	src/armd/network/network.h src/armd/network/network.c \
	src/armd/network/state.h \
	src/armd/node.h src/armd/node.c \
	src/armd/node_containment.h src/armd/node_containment.c \
	src/armd/node_discover.h src/armd/node_discover.c \
	src/armd/node_network.h src/armd/node_network.c \
	src/armd/node_plugins.h src/armd/node_plugins.c \
	src/armd/options.h src/armd/options.c \
	src/armd/pipe/body.h src/armd/pipe/body.c \
	src/armd/pipe/io.h src/armd/pipe/io.c \
	src/armd/pipe/pipe.h src/armd/pipe/pipe.c \
	src/armd/shepherd/account.h src/armd/shepherd/account.c \
	src/armd/shepherd/cancel.h src/armd/shepherd/cancel.c \
	src/armd/shepherd/contain.h src/armd/shepherd/contain.c \
	src/armd/shepherd/control.h src/armd/shepherd/control.c \
	src/armd/shepherd/settings.h src/armd/shepherd/settings.c \
	src/armd/shepherd/deadlines.h src/armd/shepherd/deadlines.c \
	src/armd/shepherd/end.h src/armd/shepherd/end.c \
	src/armd/shepherd/environment.h src/armd/shepherd/environment.c \
	src/armd/shepherd/fork.h src/armd/shepherd/fork.c \
	src/armd/shepherd/hooks.h src/armd/shepherd/hooks.c \
	src/armd/shepherd/hosts.h src/armd/shepherd/hosts.c \
	src/armd/shepherd/node_tasks.h src/armd/shepherd/node_tasks.c \
	src/armd/shepherd/last_line.h src/armd/shepherd/last_line.c \
	src/armd/shepherd/limits.h src/armd/shepherd/limits.c \
	src/armd/shepherd/log.h src/armd/shepherd/log.c \
	src/armd/shepherd/phase.h src/armd/shepherd/phase.c \
	src/armd/shepherd/place.h src/armd/shepherd/place.c \
	src/armd/shepherd/setup.h src/armd/shepherd/setup.c \
	src/armd/shepherd/shepherd.h src/armd/shepherd/shepherd.c \
	src/armd/shepherd/signal.h src/armd/shepherd/signal.c \
	src/armd/shepherd/state.h \
	src/armd/shepherd/steps.h src/armd/shepherd/steps.c \
	src/armd/shepherd/usage.h src/armd/shepherd/usage.c \
	src/armd/shepherd/user.h src/armd/shepherd/user.c \
	src/armd/shepherd/user_cache.h src/armd/shepherd/user_cache.c \
	src/armd/shepherd/watch.h src/armd/shepherd/watch.c \
	src/armd/shutdown.h src/armd/shutdown.c \
	src/armd/spool/attempt.h src/armd/spool/attempt.c \
	src/armd/spool/attempt_name.h src/armd/spool/attempt_name.c \
	src/armd/spool/disk_reserve.h src/armd/spool/disk_reserve.c \
	src/armd/spool/host_files.h src/armd/spool/host_files.c \
	src/armd/spool/lease.h src/armd/spool/lease.c \
	src/armd/spool/spool.h src/armd/spool/spool.c \
	src/armd/task/bind.h src/armd/task/bind.c \
	src/armd/task/body.h src/armd/task/body.c \
	src/armd/task/capability.h src/armd/task/capability.c \
	src/armd/task/identity.h src/armd/task/identity.c \
	src/armd/task/limits.h src/armd/task/limits.c \
	src/armd/task/oom_score.h src/armd/task/oom_score.c \
	src/armd/task/privilege.h src/armd/task/privilege.c \
	src/armd/task/run.h src/armd/task/run.c \
	src/armd/task/stdio.h src/armd/task/stdio.c \
	src/armd/task/task.h src/armd/task/task.c
src_armd_libarmd_a_CPPFLAGS = $(AM_CPPFLAGS) $(HWLOC_CFLAGS)

sbin_PROGRAMS += armd
armd_SOURCES = src/armd/main.c
armd_LDADD = src/armd/libarmd.a src/agent/libagent.a src/client/libclient.a $(EVENT_LIBS) \
	$(HWLOC_LIBS) $(client_libs) $(SODIUM_LIBS) $(CONFIG_LIBS) $(PROTOBUFC_LIBS) -lm
# Every shepherd is a fork: symbols are bound once, at the start, and not in each of them.
armd_LDFLAGS = $(AM_LDFLAGS) -Wl,-z,relro,-z,now
EXTRA_DIST += src/armd/README.md src/armd/hooks/README.md src/armd/launcher/README.md \
	src/armd/machine/README.md src/armd/network/README.md src/armd/pipe/README.md \
	src/armd/shepherd/README.md src/armd/spool/README.md src/armd/task/README.md
