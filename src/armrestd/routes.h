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

/* The handlers. */
int jobs_list(struct exchange *x, struct err *err);
int jobs_submit(struct exchange *x, struct err *err);
int job_show(struct exchange *x, struct err *err);
int job_update(struct exchange *x, struct err *err);
int job_script(struct exchange *x, struct err *err);
int job_explain(struct exchange *x, struct err *err);
int job_cancel(struct exchange *x, struct err *err);
int job_hold(struct exchange *x, struct err *err);
int job_release(struct exchange *x, struct err *err);
int job_requeue(struct exchange *x, struct err *err);
int job_suspend(struct exchange *x, struct err *err);
int job_resume(struct exchange *x, struct err *err);
int job_set_events(struct exchange *x, struct err *err);
int list_accounting(struct exchange *x, struct err *err);
int list_queues(struct exchange *x, struct err *err);
int show_queue(struct exchange *x, struct err *err);
int list_nodes(struct exchange *x, struct err *err);
int show_node(struct exchange *x, struct err *err);
int show_shares(struct exchange *x, struct err *err);
int show_round(struct exchange *x, struct err *err);
int show_cluster(struct exchange *x, struct err *err);
int show_configuration(struct exchange *x, struct err *err);
int live(struct exchange *x, struct err *err);
int ready(struct exchange *x, struct err *err);
int metrics(struct exchange *x, struct err *err);
int openapi(struct exchange *x, struct err *err);
