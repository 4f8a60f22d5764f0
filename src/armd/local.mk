# armd
noinst_LTLIBRARIES += src/armd/libarmd.la
src_armd_libarmd_la_SOURCES = \
	src/armd/account.h src/armd/account.c src/armd/known.h src/armd/known.c \
	src/armd/attempt.h src/armd/attempt.c \
	src/armd/capability.h src/armd/capability.c \
	src/armd/control.h src/armd/control.c \
	src/armd/credential.h src/armd/credential.c \
	src/armd/hosts.h src/armd/hosts.c \
	src/armd/identity.h src/armd/identity.c \
	src/armd/inventory.h src/armd/inventory.c \
	src/armd/launcher.h src/armd/launcher_body.h src/armd/launcher.c \
	src/armd/launcher_clean.c src/armd/launcher_effects.c src/armd/launcher_leave.c src/armd/launcher_load.c \
	src/armd/launcher_network.c src/armd/launcher_orders.c src/armd/launcher_reboot.c \
	src/armd/launcher_tasks.c \
	src/armd/launcher_place.c src/armd/launcher_health.c \
	src/armd/hook.h src/armd/hook.c src/armd/job_hooks.h src/armd/job_hooks.c \
	src/armd/shepherd_hooks.c \
	src/armd/machine.h src/armd/machine.c src/armd/machine_gpus.c \
	src/armd/lease.h src/armd/lease.c \
	src/armd/network.h src/armd/network_state.h src/armd/network.c src/armd/network_effects.c \
	src/armd/node.h src/armd/node.c src/armd/node_contain.c src/armd/node_network.c \
	src/armd/options.h src/armd/options.c \
	src/armd/orphans.h src/armd/orphans.c \
	src/armd/pipe.h src/armd/pipe.c src/armd/pipe_body.c src/armd/pipe_io.c \
	src/armd/shepherd.h src/armd/shepherd_body.h src/armd/shepherd.c src/armd/shepherd_setup.c \
	src/armd/shepherd_place.c \
	src/armd/shepherd_fork.c \
	src/armd/shepherd_account.c src/armd/shepherd_limits.c \
	src/armd/shepherd_watch.c src/armd/shepherd_contain.c src/armd/shepherd_signal.c \
	src/armd/shepherd_end.c src/armd/shepherd_hosts.c \
	src/armd/shepherd_phase.h src/armd/shepherd_phase.c \
	src/armd/shutdown.h src/armd/shutdown.c \
	src/armd/spare.h src/armd/spare.c \
	src/armd/spool.h src/armd/spool.c \
	src/armd/task.h src/armd/task.c src/armd/task_bind.c src/armd/task_identity.c src/armd/task_run.c \
	src/armd/task_limits.c src/armd/task_privilege.c src/armd/task_stdio.c
src_armd_libarmd_la_CPPFLAGS = $(AM_CPPFLAGS) $(HWLOC_CFLAGS)
src_armd_libarmd_la_LIBADD = $(HWLOC_LIBS)

sbin_PROGRAMS += armd
armd_SOURCES = src/armd/main.c
armd_LDADD = src/armd/libarmd.la src/agent/libagent.la src/client/libclient.la $(EVENT_LIBS)
# Every shepherd is a fork: symbols are bound once, at the start, and not in each of them.
armd_LDFLAGS = $(AM_LDFLAGS) -Wl,-z,relro,-z,now
EXTRA_DIST += src/armd/README.md
