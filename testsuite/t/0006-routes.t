#!/bin/bash
# Each request that a client may send to the controller has a route of armrestd, or a reason why it has none. The
# rows are here: a request without a row fails the test, and so does a row whose route does not exist. Options of
# commands that make another answer from the same request have rows of their own.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

# REQUEST METHOD PATH, or REQUEST - REASON
cat >rows <<'X'
PING GET /v1/cluster
SUBMIT POST /v1/jobs
CANCEL DELETE /v1/jobs/{id}
HOLD POST /v1/jobs/{id}/hold
SUSPEND POST /v1/jobs/{id}/suspend
REQUEUE POST /v1/jobs/{id}/requeue
PREEMPT POST /v1/jobs/{id}/preempt
UPDATE_JOB PATCH /v1/jobs/{id}
LIST_JOBS GET /v1/jobs
HISTORY GET /v1/jobs/{id}/attempts
SHOW_JOB GET /v1/jobs/{id}
WAIT_JOB - the end of a job is an event of its job set, and a request that stays open holds a connection
WATCH GET /v1/queues/{queue}/job-sets/{set}/events
OUTPUT GET /v1/jobs/{id}/output
STEP - the program of a step is connected with the terminal of arun
SIGNAL_STEP - the steps of a job have no route yet; acancel signals them
LIST_STEPS - the steps of a job have no route yet; aqueue --steps lists them
EXPLAIN GET /v1/jobs/{id}/explain
ROUND GET /v1/rounds
PROPERTIES GET /v1/properties
ACCOUNTING GET /v1/accounting
USAGE_SUMS GET /v1/usage
SHARES GET /v1/shares/history
EXTEND_LEASE POST /v1/nodes/{nodes}/extend-lease
LIST_NODES GET /v1/nodes
UPDATE_NODE POST /v1/nodes/{nodes}/drain
QUEUE PATCH /v1/queues/{queue}
LIST_QUEUES GET /v1/queues
PERMISSIONS GET /v1/permissions
LIMITS GET /v1/limits
COUNTERS GET /v1/counters
CLASSES GET /v1/classes
RESOURCES GET /v1/resources
SET_FLOATING PUT /v1/resources/{resource}
ACCOUNTS GET /v1/accounts
RECONFIGURE POST /v1/cluster/reconfigure
SHUTDOWN POST /v1/cluster/shutdown
NOTIFY GET /v1/notify
LOG_LEVELS PUT /v1/log
CREATE_TOKEN POST /v1/tokens
LIST_TOKENS GET /v1/tokens
REVOKE_TOKENS DELETE /v1/tokens/{number}
CONTROLLERS GET /v1/cluster
TAKEOVER POST /v1/cluster/takeover
COPY_CHANGE POST /v1/cluster/copies
COPY_HISTORY - controllers send it to each other, and no user has the right
X

# SOURCE OPTION METHOD PATH PARAMETER, where - is no parameter
cat >options <<'X'
aqueue.c start GET /v1/starts -
aqueue.c attempts GET /v1/jobs/{id}/attempts -
awatch/awatch.c label GET /v1/queues/{queue}/job-sets/{set}/events label
awatch/awatch.c from GET /v1/queues/{queue}/job-sets/{set}/events from
aacct/aacct.c usage GET /v1/usage -
aacct/aacct.c efficiency GET /v1/usage efficiency
ashare/ashare.c history GET /v1/shares/history -
ashare/ashare.c properties GET /v1/properties -
acancel.c signal DELETE /v1/jobs signal
acancel.c dry-run DELETE /v1/jobs dry_run
X

# The requests of clients, in the order of the table.
requests()
{
	sed -n 's/^\tX(\([A-Z_]*\),[^,]*,[ \t]*CLIENT,.*/\1/p' "$ARMADA_SRCDIR/src/core/request/request.h"
}
# The routes, as METHOD PATH.
routes()
{
	sed -n 's/^\t{"\([A-Z]*\)", "\(\/[^"]*\)".*/\1 \2/p' "$ARMADA_SRCDIR/src/armrestd/routes.c"
}
without_route()
{
	local request method rest

	routes >routes
	while read -r request method rest; do
		[ "$method" = - ] && [ -n "$rest" ] || grep -qxF "$method $rest" routes || echo "$request: $method $rest"
	done <rows
}
# The name of the table of parameters of a route, and the names in it; macros are not read.
has_parameter()
{
	local table

	table=$(grep -F "{\"$1\", \"$2\"," "$ARMADA_SRCDIR/src/armrestd/routes.c" | grep -o '[a-z_]*_params')
	sed -n "/ $table\[\] = /,/};/p" "$ARMADA_SRCDIR/src/armrestd/routes.c" | grep -qE "\"$3\"|$(tr a-z A-Z <<<"$3")_PARAM"
}
option_without_route()
{
	local source option method path parameter

	while read -r source option method path parameter; do
		grep -qF "{\"$option\"," "$ARMADA_SRCDIR/src/cmd/$source" || echo "$source has no option $option"
		grep -qxF "$method $path" routes || echo "$option: $method $path"
		[ "$parameter" = - ] || has_parameter "$method" "$path" "$parameter" || echo "$option: no parameter $parameter"
	done <options
}
ok 'the tables are read' test "$(requests | wc -l)" -gt 40 -a "$(routes | wc -l)" -gt 50
is "$(cut -d ' ' -f 1 rows | diff - <(requests) | sed -n 's/^[<>]/&/p')" '' 'each request of clients has one row'
is "$(without_route)" '' 'each row names a route that exists, or a reason'
is "$(option_without_route)" '' 'each row of an option names an option, a route and a parameter that exist'
done_testing
