noinst_LIBRARIES += src/sched/libsched.a
src_sched_libsched_a_SOURCES = \
	src/sched/configure.c src/sched/configure.h \
	src/sched/explain.h \
	src/sched/floating_total.h src/sched/limits.h src/sched/queue_constraint.h \
	src/sched/result.h \
	src/sched/sched.c src/sched/sched.h \
	src/sched/trial.h \
	src/sched/usage_history.h \
	src/sched/why.c src/sched/why.h \
	src/sched/backfill/earliest_start.c src/sched/backfill/earliest_start.h \
	src/sched/backfill/forecast.h \
	src/sched/backfill/node_timeline.c src/sched/backfill/node_timeline.h \
	src/sched/backfill/plan.c src/sched/backfill/plan.h \
	src/sched/backfill/reservation.c src/sched/backfill/reservation.h \
	src/sched/explain/dry_run.c src/sched/explain/dry_run.h \
	src/sched/explain/explain.c \
	src/sched/explain/explain_amount.c src/sched/explain/explain_amount.h \
	src/sched/explain/explain_change.c src/sched/explain/explain_change.h \
	src/sched/explain/explain_demand.c src/sched/explain/explain_demand.h \
	src/sched/explain/explain_nodes.c src/sched/explain/explain_nodes.h \
	src/sched/explain/outcome.c src/sched/explain/outcome.h \
	src/sched/explain/trial.c \
	src/sched/explain/what_if.c src/sched/explain/what_if.h \
	src/sched/model/accounts.c src/sched/model/accounts.h \
	src/sched/model/amounts.c src/sched/model/amounts.h \
	src/sched/model/constraint.c src/sched/model/constraint.h \
	src/sched/model/feasible.c \
	src/sched/model/displaced.c src/sched/model/displaced.h \
	src/sched/model/floating.c src/sched/model/floating.h \
	src/sched/model/gang_jobs.c src/sched/model/gang_jobs.h \
	src/sched/model/job_reshape.c src/sched/model/job_reshape.h \
	src/sched/model/head_list.c src/sched/model/head_list.h \
	src/sched/model/job_shape.c src/sched/model/job_shape.h \
	src/sched/model/table.h \
	src/sched/model/jobs.c src/sched/model/jobs.h \
	src/sched/model/keepers.c src/sched/model/keepers.h \
	src/sched/model/label_values.c src/sched/model/label_values.h \
	src/sched/model/map.c src/sched/model/map.h \
	src/sched/model/model.c src/sched/model/model.h \
	src/sched/model/node_block.c src/sched/model/node_block.h \
	src/sched/model/node_class.c src/sched/model/node_class.h \
	src/sched/model/node_index.c src/sched/model/node_index.h \
	src/sched/model/nodes.c src/sched/model/nodes.h \
	src/sched/model/packed_text.h \
	src/sched/model/policies.c src/sched/model/policies.h \
	src/sched/model/priority_level.c src/sched/model/priority_level.h \
	src/sched/model/queues.c src/sched/model/queues.h \
	src/sched/model/release_times.c src/sched/model/release_times.h \
	src/sched/model/running_list.c src/sched/model/running_list.h \
	src/sched/model/subqueue.c src/sched/model/subqueue.h \
	src/sched/model/tasks.c src/sched/model/tasks.h \
	src/sched/model/usage_history.c src/sched/model/usage_history.h \
	src/sched/model/tenants.h \
	src/sched/model/users.c src/sched/model/users.h \
	src/sched/round/absolute_limit.c src/sched/round/absolute_limit.h \
	src/sched/round/backfill.c src/sched/round/backfill.h \
	src/sched/round/recovered.c src/sched/round/recovered.h \
	src/sched/round/blocked_shapes.c src/sched/round/blocked_shapes.h \
	src/sched/round/carryover.c src/sched/round/carryover.h \
	src/sched/round/displace.c src/sched/round/displace.h \
	src/sched/round/evict.c src/sched/round/evict.h \
	src/sched/round/explain_probe.c src/sched/round/explain_probe.h \
	src/sched/round/fair_share.c src/sched/round/fair_share.h \
	src/sched/round/level_search.c src/sched/round/level_search.h \
	src/sched/round/floating_limit.c src/sched/round/floating_limit.h \
	src/sched/round/limit_check.c src/sched/round/limit_check.h \
	src/sched/round/next_queue.c src/sched/round/next_queue.h \
	src/sched/round/node_backup.c src/sched/round/node_backup.h \
	src/sched/round/node_select.c src/sched/round/node_select.h \
	src/sched/round/pass.c src/sched/round/pass.h \
	src/sched/round/place.c src/sched/round/place.h \
	src/sched/round/preemptor.c src/sched/round/preemptor.h \
	src/sched/round/queue_head.c src/sched/round/queue_head.h \
	src/sched/round/queue_rows.c src/sched/round/queue_rows.h \
	src/sched/round/reason.c src/sched/round/reason.h \
	src/sched/round/reason_emit.c src/sched/round/reason_emit.h \
	src/sched/round/round.c src/sched/round/round.h \
	src/sched/round/running_gang.c src/sched/round/running_gang.h \
	src/sched/round/state.h \
	src/sched/round/victim_list.c src/sched/round/victim_list.h
EXTRA_DIST += src/sched/README.md src/sched/COSTS.md src/sched/model/README.md src/sched/backfill/README.md \
	src/sched/round/README.md src/sched/explain/README.md
