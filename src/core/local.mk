noinst_LTLIBRARIES += src/core/libcore.la
src_core_libcore_la_SOURCES = \
	src/core/admit.c src/core/admit.h \
	src/core/admit_most.c \
	src/core/allowance.c src/core/allowance.h \
	src/core/avoid.c \
	src/core/bucket.c src/core/bucket.h \
	src/core/check.c \
	src/core/admit_deps.c src/core/admit_user.c \
	src/core/core.c src/core/core.h src/core/input.h src/core/effect.h \
	src/core/deadline.c src/core/deadline.h \
	src/core/declare.c \
	src/core/depend.c src/core/depend.h \
	src/core/element.h \
	src/core/env.c \
	src/core/failure.c src/core/failure.h \
	src/core/filter.c \
	src/core/fit.c \
	src/core/look.c \
	src/core/fold.c src/core/fold.h src/core/fold_node.c src/core/fold_parts.h src/core/fold_snap.c \
	src/core/fold_deps.c \
	src/core/follow.c \
	src/core/fraction.c src/core/fraction.h \
	src/core/gang.c src/core/gang.h \
	src/core/gate.c src/core/gate.h \
	src/core/gang_admit.c \
	src/core/gang_fit.c \
	src/core/gang_run.c \
	src/core/group.c src/core/group.h src/core/group_admit.c \
	src/core/grants.c \
	src/core/hold.c \
	src/core/inputs.c \
	src/core/intern.c src/core/intern.h \
	src/core/jobs.c \
	src/core/life.c \
	src/core/machine.c src/core/machine.h \
	src/core/mirror.c src/core/mirror_describe.c src/core/mirror.h \
	src/core/mirror_place.c src/core/mirror_gang.c src/core/mirror_parts.h \
	src/core/mirror_avoid.c \
	src/core/mirror_vacancy.c \
	src/core/names.c src/core/names.h \
	src/core/namesake.c \
	src/core/node.h src/core/nodes.h src/core/node_fence.c src/core/node_health.c src/core/node_labels.c \
	src/core/node_lease.c src/core/node_life.c src/core/node_reboot.c \
	src/core/node_leave.c \
	src/core/orders.c \
	src/core/output.c \
	src/core/places.c src/core/policy.h \
	src/core/portion.c src/core/portion.h \
	src/core/promise.c \
	src/core/proof.c \
	src/core/queue.c src/core/queue.h src/core/queue_check.c src/core/queue_parts.c \
	src/core/reach.c \
	src/core/reconfigure.c src/core/reconfigure_notes.c src/core/reconfigure.h \
	src/core/req_agent.c \
	src/core/req_cancel.c \
	src/core/req_explain.c \
	src/core/req_hold.c \
	src/core/req_jobs.c \
	src/core/req_lease.c \
	src/core/req_list_queues.c \
	src/core/req_misc.c \
	src/core/req_node.c \
	src/core/req_permissions.c \
	src/core/req_queue.c \
	src/core/req_preempt.c \
	src/core/req_requeue.c \
	src/core/req_step.c \
	src/core/req_submit.c src/core/request.h \
	src/core/req_update.c \
	src/core/rights.c src/core/rights.h \
	src/core/round.c \
	src/core/routes.c \
	src/core/rows.c \
	src/core/say_deps.c \
	src/core/sight.c \
	src/core/shares.c src/core/shares.h \
	src/core/signal.c \
	src/core/snapshot.c \
	src/core/tables.h \
	src/core/wakes.c \
	src/core/tenant.c src/core/tenant.h \
	src/core/vacancy.c src/core/vacancy.h \
	src/core/world.h
