#include "armrestd/routes.h"

#include "util/mem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What selection_read() reads, and what every listing with pages has. */
/* clang-format off */
#define PAGE_PARAMS \
	{"limit", "Rows of a page, 1 to 1000 (100)", true}, \
	{"cursor", "Member next of the page before", false}, \
	{NULL, NULL, false}
#define SELECTION_PARAMS(state_help) \
	{"id", "Ids as in aqueue(1), separated by commas", false}, \
	{"state", state_help, false}, \
	{"user", "Users separated by commas", false}, \
	{"queue", "Queues separated by commas", false}, \
	{"job_set", "Job sets separated by commas", false}, \
	{"name", "Names separated by commas", false}, \
	{"class", "Priority classes separated by commas", false}, \
	{"account", "Accounts separated by commas", false}, \
	{"label", "Labels, key=value or key, separated by commas; all must match", false}, \
	{"node", "A list of nodes", false}
/* clang-format on */

static const struct route_param job_params[] = {
	SELECTION_PARAMS("States separated by commas; a state of ended jobs reads the history"),
	PAGE_PARAMS,
};

static const struct route_param attempt_params[] = {
	SELECTION_PARAMS("States separated by commas"),
	{"from",
	 "Attempts that ran or ended since then, a time of aacct(1); today, or the beginning with id",
	 false},
	{"to", "Attempts that started before then; now", false},
	PAGE_PARAMS,
};

static const struct route_param reason_params[] = {
	{"reason", "A text for the owner of the job", false},
	{NULL, NULL, false},
};

static const struct route_param requeue_params[] = {
	{"hold", "1: also hold the job", true},
	{NULL, NULL, false},
};

static const struct route_param event_params[] = {
	{"from",
	 "The number of the first event (the first that is kept); Last-Event-ID goes before it",
	 true},
	{"follow", "0: end after the events that exist now", true},
	{NULL, NULL, false},
};

/* clang-format off */
const struct route routes[] = {
	{"GET", "/v1/jobs", jobs_list, "List jobs", job_params, NULL, "The jobs, as aqueue --json, and next: the cursor of the next page", false},
	{"POST", "/v1/jobs", jobs_submit, "Submit a job, or several together", NULL, "A job, or {\"jobs\": [...]}, with the keys of armada-job(5); script is the text of a script", "The ids of the jobs", false},
	{"GET", "/v1/jobs/{id}", job_show, "Show a job", NULL, NULL, "The rows of the job, as aqueue --json", false},
	{"PATCH", "/v1/jobs/{id}", job_update, "Change a job", NULL, "The options of actl update as members: {\"priority\": 5, \"time\": \"+30m\"}; restart is true or false, script the text of a script, command and args lists of words", "What was done", false},
	{"DELETE", "/v1/jobs/{id}", job_cancel, "Cancel a job or an element", reason_params, NULL, "What was done", false},
	{"POST", "/v1/jobs/{id}/hold", job_hold, "Hold a job", NULL, NULL, "What was done", false},
	{"POST", "/v1/jobs/{id}/release", job_release, "Release a job that is held", NULL, NULL, "What was done", false},
	{"POST", "/v1/jobs/{id}/requeue", job_requeue, "End the running attempts; their elements wait again", requeue_params, NULL, "What was done", false},
	{"POST", "/v1/jobs/{id}/suspend", job_suspend, "Suspend running elements", NULL, NULL, "What was done", false},
	{"POST", "/v1/jobs/{id}/resume", job_resume, "Resume suspended elements", NULL, NULL, "What was done", false},
	{"GET", "/v1/jobs/{id}/explain", job_explain, "Explain why a job waits", NULL, NULL, "As aexplain --json", false},
	{"GET", "/v1/jobs/{id}/script", job_script, "Show the script of a job", NULL, NULL, "The script, as text", false},
	{"GET", "/v1/queues/{queue}/job-sets/{set}/events", job_set_events, "Follow the events of a job set", event_params, NULL, "Events of armada-events(5): server-sent events, or a line of JSON for each with Accept: application/x-ndjson", false},
	{"GET", "/v1/accounting", list_accounting, "List the attempts of a period", attempt_params, NULL, "The attempts, as aacct --json, in the order of their ends, and next: the cursor of the next page", false},
	{"GET", "/v1/queues", list_queues, "List queues", NULL, NULL, "The queues, as actl queue list --json", false},
	{"GET", "/v1/queues/{queue}", show_queue, "Show a queue", NULL, NULL, "The queue", false},
	{"GET", "/v1/nodes", list_nodes, "List nodes", NULL, NULL, "The nodes, as anode --json", false},
	{"GET", "/v1/nodes/{node}", show_node, "Show a node", NULL, NULL, "The node", false},
	{"GET", "/v1/shares", show_shares, "Show the shares of the queues in the last round", NULL, NULL, "The queues of the last round", false},
	{"GET", "/v1/rounds", show_round, "Show the last scheduling round", NULL, NULL, "The round with its first decisions", false},
	{"GET", "/v1/cluster", show_cluster, "Show the cluster and its controller", NULL, NULL, "As actl ping, as an object", false},
	{"GET", "/v1/configuration", show_configuration, "Show the configuration that the gateway has read", NULL, NULL, "armada.conf with all values, as text", false},
	{"GET", "/openapi.json", openapi, "This document", NULL, NULL, "An OpenAPI 3.1 document", true},
	{"GET", "/metrics", metrics, "Numbers for Prometheus", NULL, NULL, "Text format 0.0.4, or OpenMetrics 1.0.0 with Accept: application/openmetrics-text", true},
	{"GET", "/livez", live, "True if the gateway runs", NULL, NULL, "ok", true},
	{"GET", "/readyz", ready, "True if the controller answers the gateway", NULL, NULL, "ok", true},
};
/* clang-format on */
const size_t route_count = ARRAY_SIZE(routes);

/* One part of a path against one of a pattern; the rest of both is returned in place. */
static bool match_part(const char **pattern, const char **path, char (*ids)[ID_MAX], size_t *count)
{
	size_t want = strcspn(*pattern, "/"), have = strcspn(*path, "/");
	bool same = want == have && strncmp(*pattern, *path, want) == 0;

	if (**pattern == '{' && have > 0 && have < ID_MAX) {
		memcpy(ids[*count], *path, have);
		ids[(*count)++][have] = '\0';
		same = true;
	}
	*pattern += want;
	*path += have;
	return same;
}

static bool matches(const struct route *r, const char *path, char (*ids)[ID_MAX])
{
	const char *pattern = r->path;
	size_t count = 0;

	while (*pattern == '/' && *path == '/') {
		pattern++;
		path++;
		if (!match_part(&pattern, &path, ids, &count))
			return false;
	}
	return !*pattern && !*path;
}

const struct route *route_find(const char *method, const char *path, char (*ret_ids)[ID_MAX],
			       bool *ret_known)
{
	*ret_known = false;
	if (strcmp(method, "HEAD") == 0)
		method = "GET";
	for (size_t i = 0; i < route_count; i++) {
		if (!matches(&routes[i], path, ret_ids))
			continue;
		*ret_known = true;
		if (strcmp(routes[i].method, method) == 0)
			return &routes[i];
	}
	return NULL;
}

size_t route_unescape(char *text)
{
	char *to = text, digits[3] = "";

	for (const char *at = text; *at;) {
		unsigned char byte = 0;

		if (*at == '%' && isxdigit((unsigned char)at[1]) &&
		    isxdigit((unsigned char)at[2])) {
			memcpy(digits, at + 1, 2);
			byte = (unsigned char)strtoul(digits, NULL, 16);
		}
		*to++ = byte ? (char)byte : *at;
		at += byte ? 3 : 1;
	}
	*to = '\0';
	return (size_t)(to - text);
}
