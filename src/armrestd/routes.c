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

static const struct route_param start_params[] = {
	SELECTION_PARAMS("States separated by commas; pending"),
	{NULL, NULL, false},
};

static const struct route_param attempt_params[] = {
	SELECTION_PARAMS("States separated by commas"),
	{"from",
	 "Attempts that ran or ended since then, a time of aacct(1); today, or the beginning with id",
	 false},
	{"to", "Attempts that started before then; now", false},
	PAGE_PARAMS,
};

/* clang-format off */
#define REASON_PARAM {"reason", "A text that is kept, and shown to those whom it concerns", false}
#define DRY_RUN_PARAM {"dry_run", "1: say what would be done, and change nothing", true}
#define END_PARAM {NULL, NULL, false}
#define CHANGED_STATES "States separated by commas"
static const struct route_param change_params[] = {SELECTION_PARAMS(CHANGED_STATES), END_PARAM};
static const struct route_param requeue_params[] = {SELECTION_PARAMS(CHANGED_STATES), {"hold", "1: also hold the job", true}, END_PARAM};
static const struct route_param preempt_params[] = {
	SELECTION_PARAMS(CHANGED_STATES), REASON_PARAM, DRY_RUN_PARAM, {"hold", "1: also hold the jobs", true}, END_PARAM,
};
static const struct route_param cancel_params[] = {
	SELECTION_PARAMS(CHANGED_STATES), REASON_PARAM, DRY_RUN_PARAM,
	{"signal", "Send this signal to the running jobs instead", false},
	{"batch", "1: with signal, only to the first process of each task", true}, END_PARAM,
};
static const struct route_param usage_params[] = {
	{"by", "user (the default), account, queue, class, day or label:KEY", false},
	{"efficiency", "1: what was used of what was reserved, as aacct --efficiency", true},
	{"from", "Begin of the period, a time of aacct(1); the begin of the month", false},
	{"to", "End of the period; now", false},
	{"id", "Ids as in aqueue(1), separated by commas", false}, {"state", CHANGED_STATES, false},
	{"user", "Users separated by commas", false}, {"queue", "Queues separated by commas", false},
	{"job_set", "Job sets separated by commas", false}, {"name", "Names separated by commas", false},
	{"class", "Priority classes separated by commas", false}, {"account", "Accounts separated by commas", false}, END_PARAM,
};
static const struct route_param output_params[] = {
	{"stream", "stdout (the default) or stderr", false}, {"task", "The rank of the task (0)", true},
	{"tail", "The last bytes of the file, 1 to 1048576 (65536)", true},
	{"offset", "The bytes after this many, instead of the last ones", true},
	{"limit", "How many bytes from the begin or from offset, 1 to 1048576 (65536)", true}, END_PARAM,
};
static const struct route_param reason_params[] = {REASON_PARAM, END_PARAM};
static const struct route_param reboot_params[] = {
	REASON_PARAM, {"now", "1: end and requeue the running jobs of the nodes", true},
	{"no_resume", "1: leave the nodes drained after the reboot", true}, END_PARAM,
};
static const struct route_param dead_params[] = {
	REASON_PARAM, DRY_RUN_PARAM, {"yes", "1: the machines are switched off", true}, END_PARAM,
};
static const struct route_param lease_params[] = {{"time", "How long, as 2h", false}, REASON_PARAM, END_PARAM};
static const struct route_param history_params[] = {
	{"since", "Begin, a time of ashare(1); a day ago", false}, {"queue", "One queue", false}, END_PARAM,
};
static const struct route_param permission_params[] = {
	{"user", "The rights of this user; your own", false}, {"queue", "In one queue", false}, END_PARAM,
};
static const struct route_param dry_run_params[] = {DRY_RUN_PARAM, END_PARAM};
static const struct route_param copy_params[] = {{"name", "The copy, as actl copies list shows it", false}, {"member", "true: it comes back into the set; false: it is taken out", true}, END_PARAM};
static const struct route_param takeover_params[] = {{"name", "The controller that takes the lead", false}, END_PARAM};
static const struct route_param all_params[] = {{"all", "1: of all users, for administrators", true}, END_PARAM};
static const struct route_param event_params[] = {
	{"from", "The number of the first event (the first that is kept); Last-Event-ID goes before it", true},
	{"follow", "0: end after the events that exist now", true},
	{"label", "Only jobs with all these labels, separated by commas: key=value, key or !key", false}, END_PARAM,
};
/* clang-format on */

/* clang-format off */
const struct route routes[] = {
	{"GET", "/v1/jobs", jobs_list, "List jobs", job_params, NULL, "The jobs, as aqueue --json, and next: the cursor of the next page", false},
	{"POST", "/v1/jobs", jobs_submit, "Submit a job, or several together", NULL, "A job, or {\"jobs\": [...]}, with the keys of armada-job(5); script is the text of a script", "The ids of the jobs", false},
	{"DELETE", "/v1/jobs", jobs_cancel, "Cancel the jobs that match, or send them a signal", cancel_params, NULL, "What was done, and denied, refused and problems: what was not", false},
	{"GET", "/v1/jobs/{id}", job_show, "Show a job", NULL, NULL, "The rows of the job, as aqueue --json", false},
	{"PATCH", "/v1/jobs/{id}", job_update, "Change a job, or with - those that match", change_params, "The options of actl update as members: {\"priority\": 5, \"time\": \"+30m\"}; restart is true or false, script the text of a script, command and args lists of words", "What was done, and denied, refused and problems: what was not", false},
	{"DELETE", "/v1/jobs/{id}", jobs_cancel, "Cancel a job or an element, or send it a signal", cancel_params, NULL, "What was done, and denied, refused and problems: what was not", false},
	{"GET", "/v1/jobs/{id}/attempts", job_attempts, "Show a job with its earlier attempts", NULL, NULL, "The rows of aqueue --attempts --json", false},
	{"POST", "/v1/jobs/{id}/hold", job_hold, "Hold a job; - in the path: all that match", change_params, NULL, "What was done, and denied, refused and problems: what was not", false},
	{"POST", "/v1/jobs/{id}/release", job_release, "Release a job that is held; - in the path: all that match", change_params, NULL, "What was done, and denied, refused and problems: what was not", false},
	{"POST", "/v1/jobs/{id}/requeue", job_requeue, "End the running attempts; their elements wait again; - in the path: all that match", requeue_params, NULL, "What was done, and denied, refused and problems: what was not", false},
	{"POST", "/v1/jobs/{id}/suspend", job_suspend, "Suspend running elements; - in the path: all that match", change_params, NULL, "What was done, and denied, refused and problems: what was not", false},
	{"POST", "/v1/jobs/{id}/resume", job_resume, "Resume suspended elements; - in the path: all that match", change_params, NULL, "What was done, and denied, refused and problems: what was not", false},
	{"POST", "/v1/jobs/{id}/preempt", job_preempt, "Preempt running elements; - in the path: all that match", preempt_params, NULL, "What was done, and denied, refused and problems: what was not", false},
	{"GET", "/v1/jobs/{id}/explain", job_explain, "Explain why a job waits", NULL, NULL, "As aexplain --json", false},
	{"GET", "/v1/jobs/{id}/script", job_script, "Show the script of a job", NULL, NULL, "The script, as text", false},
	{"GET", "/v1/jobs/{id}/output", job_output, "Read a part of an output file of a job", output_params, NULL, "The bytes of the file; the headers Armada-Offset and Armada-Size say which part of how many they are", false},
	{"GET", "/v1/jobs/{id}/environment", job_environment, "Show the environment of a job", NULL, NULL, "environment: a member for each variable; values that are no UTF-8 are left out", false},
	{"GET", "/v1/queues/{queue}/job-sets/{set}/events", job_set_events, "Follow the events of a job set", event_params, NULL, "Events of armada-events(5): server-sent events, or a line of JSON for each with Accept: application/x-ndjson", false},
	{"GET", "/v1/starts", jobs_starts, "List pending jobs, ordered by their expected start", start_params, NULL, "The jobs, as aqueue --start --json", false},
	{"GET", "/v1/accounting", list_accounting, "List the attempts of a period", attempt_params, NULL, "The attempts, as aacct --json, in the order of their ends, and next: the cursor of the next page", false},
	{"GET", "/v1/usage", list_usage, "Sum what attempts of a period used", usage_params, NULL, "The sums, as aacct --usage --json or --efficiency --json", false},
	{"GET", "/v1/queues", list_queues, "List queues", NULL, NULL, "The queues, as actl queue list --json", false},
	{"POST", "/v1/queues", create_queues, "Create a queue, or several together", NULL, "name and the options of actl queue create as members, or {\"queues\": [...]}", "The sentence of the command, as text", false},
	{"GET", "/v1/queues/{queue}", show_queue, "Show a queue", NULL, NULL, "The queue", false},
	{"PATCH", "/v1/queues/{queue}", update_queue, "Change a queue", NULL, "The options of actl queue update as members; cordon is true or false", "The sentence of the command, as text", false},
	{"DELETE", "/v1/queues/{queue}", delete_queue, "Delete a queue", NULL, NULL, "The sentence of the command, as text", false},
	{"GET", "/v1/nodes", list_nodes, "List nodes", NULL, NULL, "The nodes, as anode --json", false},
	{"GET", "/v1/nodes/{nodes}", show_node, "Show a node", NULL, NULL, "The node", false},
	{"DELETE", "/v1/nodes/{nodes}", delete_nodes, "Delete nodes", NULL, NULL, "The sentence of the command, as text", false},
	{"POST", "/v1/nodes/{nodes}/drain", change_nodes, "Drain nodes", reason_params, NULL, "The sentence of the command, as text", false},
	{"POST", "/v1/nodes/{nodes}/resume", change_nodes, "Resume nodes", NULL, NULL, "The sentence of the command, as text", false},
	{"POST", "/v1/nodes/{nodes}/refresh", change_nodes, "Ask nodes for their resources again", NULL, NULL, "The sentence of the command, as text", false},
	{"POST", "/v1/nodes/{nodes}/reboot", change_nodes, "Reboot nodes", reboot_params, NULL, "The sentence of the command, as text", false},
	{"POST", "/v1/nodes/{nodes}/confirm-dead", change_nodes, "Confirm that nodes are switched off", dead_params, NULL, "The sentence of the command, as text", false},
	{"POST", "/v1/nodes/{nodes}/label", label_nodes, "Change labels of nodes", NULL, "{\"changes\": [...]} with the words of anode label", "The sentence of the command, as text", false},
	{"POST", "/v1/nodes/{nodes}/taint", label_nodes, "Change taints of nodes", NULL, "{\"changes\": [...]} with the words of anode taint", "The sentence of the command, as text", false},
	{"POST", "/v1/nodes/{nodes}/extend-lease", extend_leases, "Extend the leases of nodes, or of all", lease_params, NULL, "The sentence of the command, as text", false},
	{"GET", "/v1/shares", show_shares, "Show the shares of the queues in the last round", NULL, NULL, "The queues of the last round", false},
	{"GET", "/v1/shares/history", show_share_history, "Show the shares of the queues over time", history_params, NULL, "As ashare --history --json", false},
	{"GET", "/v1/properties", show_properties, "Show how the last round keeps what the scheduler promises", NULL, NULL, "As ashare --properties --json", false},
	{"GET", "/v1/rounds", show_round, "Show the last scheduling round", NULL, NULL, "The round with its first decisions, as ashare --json", false},
	{"GET", "/v1/classes", list_classes, "List priority classes", NULL, NULL, "As actl show classes --json", false},
	{"GET", "/v1/permissions", list_permissions, "List the rights of a user", permission_params, NULL, "As actl permissions --json", false},
	{"GET", "/v1/counters", list_counters, "List what the controller counts and measures", NULL, NULL, "As actl show counters --json", false},
	{"GET", "/v1/limits", list_limits, "List limits and what is used of them", NULL, NULL, "As actl show limits --json", false},
	{"GET", "/v1/accounts", list_accounts, "List accounts", NULL, NULL, "As actl show accounts --json", false},
	{"GET", "/v1/accounts/{account}", show_account, "Show an account", NULL, NULL, "As actl show account --json", false},
	{"GET", "/v1/resources", list_resources, "List the resources of the cluster", NULL, NULL, "As actl show cluster --json", false},
	{"GET", "/v1/notify", list_notify, "List the targets that are notified of ends", NULL, NULL, "As actl show notify --json", false},
	{"GET", "/v1/tokens", list_tokens, "List tokens", all_params, NULL, "As actl token list --json", false},
	{"PUT", "/v1/resources/{resource}", set_resource, "Set the total of a floating resource, as actl license", NULL, "{\"total\": 10}, or {\"total\": \"default\"}", "The sentence of the command, as text", false},
	{"POST", "/v1/tokens", create_token, "Create a token; not with a token", NULL, "verbs (a list), queue, label, expires: the options of actl token create", "The token, which is not shown again", false},
	{"DELETE", "/v1/tokens/{number}", revoke_token, "Revoke a token", NULL, NULL, "The sentence of the command, as text", false},
	{"GET", "/v1/log", show_log, "Show the levels of the log of the controller", NULL, NULL, "As actl log --json", false},
	{"PUT", "/v1/log", set_log, "Change levels of the log of the controller", NULL, "{\"net\": \"debug\"}: a member for each area", "As actl log --json", false},
	{"GET", "/v1/cluster", show_cluster, "Show the cluster and its controllers", NULL, NULL, "As actl ping --json", false},
	{"POST", "/v1/cluster/reconfigure", reconfigure, "Let the controller read armada.conf again", dry_run_params, NULL, "The sentence of the command, as text; with dry_run as actl reconfigure --dry-run --json", false},
	{"POST", "/v1/cluster/copies", change_copy, "Take a copy of the log out of the set, or back", copy_params, NULL, "The sentence of the command, as text", false},
	{"POST", "/v1/cluster/takeover", take_over, "Give the lead to another controller", takeover_params, NULL, "The sentence of the command, as text", false},
	{"POST", "/v1/cluster/shutdown", shut_down, "Stop the controller; jobs continue", NULL, NULL, "The sentence of the command, as text", false},
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
