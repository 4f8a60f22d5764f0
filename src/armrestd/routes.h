/*
 * The table of routes. The dispatcher, the OpenAPI document and its tests read it; nothing else knows a path.
 */
#pragma once

#include "armrestd/exchange.h"

/* A value of the query. */
struct route_param {
	const char *name, *help;
	bool number;
};

struct route {
	const char *method, *path; /* {id} stands for one part of a path */
	int (*handle)(struct exchange *x, struct err *err);
	const char *summary;
	const struct route_param *params; /* NULL, or ended by a row without a name */
	const char *body;                 /* what the body is; NULL: none */
	const char *answer;               /* what the answer is */
	bool open;                        /* without a user */
};

extern const struct route routes[];
extern const size_t route_count;

/*
 * The route of a method and a decoded path, with the parts in ret_ids. NULL: none; *ret_known: another method
 * has this path.
 */
const struct route *route_find(const char *method, const char *path, char (*ret_ids)[ID_MAX],
			       bool *ret_known);
/* Decodes %XX in place, but not %00: a path or a value must not end there. Returns the new length. */
size_t route_unescape(char *text);

/* The handlers, by the file that has them. */
typedef int route_handler(struct exchange *x, struct err *err);
/* jobs.c, submit.c, update.c, events.c, accounting.c */
route_handler jobs_list, jobs_starts, job_show, job_attempts, job_script, job_output, job_environment,
	job_explain;
route_handler jobs_submit, job_update, job_set_events, list_accounting, list_usage;
/* change_jobs.c */
route_handler jobs_cancel, job_hold, job_release, job_requeue, job_suspend, job_resume, job_preempt;
/* queues.c, nodes.c, shares.c */
route_handler list_queues, show_queue, create_queues, update_queue, delete_queue;
route_handler list_nodes, show_node, change_nodes, label_nodes, delete_nodes, extend_leases;
route_handler show_shares, show_share_history, show_properties, show_round;
/* tables.c, controller.c */
route_handler list_classes, list_counters, list_limits, list_accounts, show_account,
	list_permissions;
route_handler list_resources, list_notify, list_tokens;
route_handler show_cluster, reconfigure, take_over, change_copy, shut_down, show_log, set_log,
	set_resource;
route_handler create_token, revoke_token, show_configuration, live, ready, metrics, openapi;
