/*
 * The setters of the job option table: text in, a part of struct spec out.
 *
 * Each takes the whole value or refuses it with a sentence that says what would be accepted, and
 * then has changed nothing. A value of NULL comes with options that take none.
 */
#ifndef CLIENT_SPEC_SET_H
#define CLIENT_SPEC_SET_H

#include "util/err.h"

/*
 *	X(function): every setter
 */
#define SPEC_SETTERS(X)                                                                            \
	X(set_name)                                                                                \
	X(set_queue)                                                                               \
	X(set_job_set)                                                                             \
	X(set_priority)                                                                            \
	X(set_priority_class)                                                                      \
	X(set_nice)                                                                                \
	X(refuse_factor)                                                                           \
	X(refuse_qos)                                                                              \
	X(set_comment)                                                                             \
	X(set_gang_id)                                                                             \
	X(set_gang_cardinality)                                                                    \
	X(set_gang_min)                                                                            \
	X(set_hold)                                                                                \
	X(set_requeue)                                                                             \
	X(set_no_requeue)                                                                          \
	X(set_lease)                                                                               \
	X(set_no_fence)                                                                            \
	X(set_array)                                                                               \
	X(set_tasks)                                                                               \
	X(set_nodes)                                                                               \
	X(set_tasks_per_node)                                                                      \
	X(set_cpus)                                                                                \
	X(set_memory)                                                                              \
	X(set_memory_per_cpu)                                                                      \
	X(set_gpus)                                                                                \
	X(set_gpus_per_task)                                                                       \
	X(set_exclusive)                                                                           \
	X(set_labels)                                                                              \
	X(set_tolerations)                                                                         \
	X(set_bind)                                                                                \
	X(set_nodelist)                                                                            \
	X(set_exclude)                                                                             \
	X(set_on_task_failure)                                                                     \
	X(set_launch)                                                                              \
	X(set_mpi)                                                                                 \
	X(set_min_tasks)                                                                           \
	X(set_uniformity)                                                                          \
	X(set_dependency)                                                                          \
	X(set_kill_on_invalid)                                                                     \
	X(set_begin)                                                                               \
	X(set_time)                                                                                \
	X(set_signal)                                                                              \
	X(set_grace)                                                                               \
	X(set_chdir)                                                                               \
	X(set_output)                                                                              \
	X(set_error)                                                                               \
	X(set_input)                                                                               \
	X(set_open_mode)                                                                           \
	X(set_umask)                                                                               \
	X(set_export)                                                                              \
	X(set_propagate)

#define X(fn) int spec_##fn(void *target, const char *value, struct err *err);
SPEC_SETTERS(X)
#undef X

/* spec_order.c: what was given in parts becomes one number. */
struct spec;
int spec_finish_order(struct spec *s, struct err *err);

#endif
