#!/bin/bash
# A reload replaces scheduler plugins. A plugin that returns invalid values stops scheduling rounds
# and nothing else.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

# build KIND NAME: compiles the source on standard input with the public headers only
build()
{
	cat >"$2.c"
	${CC:-cc} -std=gnu17 -Wall -Wextra -Werror -Wno-unused-parameter -O1 -fPIC -shared -fvisibility=hidden \
		-Wl,-z,defs -I"$ARMADA_SRCDIR/src/include" "$2.c" -lm -o "$1_$2.so" && chmod 644 "$1_$2.so"
}

ok 'a fairness plugin whose costs are NaN is built' build fairness nan <<'END'
#include <armada/fairness.h>
#include <math.h>
static int nan_open(void **ret_handle, const struct armada_option_value *values,
		    const struct armada_policy *policy, struct armada_error *err)
{
	return 0;
}
static void nan_close(void *handle)
{
}
static void nan_begin(void *handle, const struct armada_fairness_round *round, double *ret_weights)
{
	for (size_t i = 0; i < round->queues->count; i++)
		ret_weights[i] = 1;
}
static double nan_cost(const void *handle, const int64_t *allocated)
{
	return NAN;
}
static const struct armada_fairness_ops ops = {
	.open = nan_open, .close = nan_close, .begin = nan_begin, .cost = nan_cost
};
ARMADA_PLUGIN_PLAIN(ARMADA_PLUGIN_FAIRNESS, "nan", "costs that are no numbers", ops);
END
ok 'an order plugin that picks a queue out of range is built' build order wild <<'END'
#include <armada/order.h>
static int wild_open(void **ret_handle, const struct armada_option_value *values,
		     const struct armada_policy *policy, struct armada_order_traits *ret_traits,
		     struct armada_error *err)
{
	return 0;
}
static void wild_close(void *handle)
{
}
static int64_t wild_pick(void *handle, const struct armada_order_head *heads, size_t count)
{
	return (int64_t)count + 41;
}
static const struct armada_order_ops ops = {.open = wild_open, .close = wild_close, .pick = wild_pick};
ARMADA_PLUGIN_PLAIN(ARMADA_PLUGIN_ORDER, "wild", "a queue that is not there", ops);
END
ok 'a select plugin whose scores are infinite is built' build select odd <<'END'
#include <armada/select.h>
#include <math.h>
#include <stdio.h>
static const struct armada_option options[] = {
	{.name = "refuse", .type = ARMADA_OPTION_BOOL, .def = "false", .help = "Does not open."},
};
static size_t count;
static int odd_open(void **ret_handle, const struct armada_option_value *values,
		    const struct armada_policy *policy, struct armada_error *err)
{
	count = policy->resource_count;
	if (values[0].i)
		snprintf(err->text, sizeof(err->text), "refuse: it does, as it was told");
	return values[0].i ? -22 : 0;
}
static void odd_close(void *handle)
{
}
static void odd_sequence(const void *handle, uint32_t *ret_sequence)
{
	for (size_t i = 0; i < count; i++)
		ret_sequence[i] = (uint32_t)i;
}
static void odd_score(const void *handle, const int64_t *request,
		      const struct armada_select_nodes *nodes, double *ret_scores)
{
	for (size_t i = 0; i < nodes->count; i++)
		ret_scores[i] = INFINITY;
}
static const struct armada_select_ops ops = {odd_open, odd_close, odd_sequence, odd_score};
ARMADA_PLUGIN(ARMADA_PLUGIN_SELECT, "odd", "scores that are no numbers", options, ops);
END

test_under_armada 1 --cpus 4 --memory 8G
conf=$cluster/armada.conf
log=$cluster/log/armctld.log
cp "$conf" good.conf
cp ./*.so "$(sed -n 's/^plugin_dir = "\(.*\)";/\1/p' "$conf")"

# with SETTINGS: a reload with these plugins
with()
{
	sed "s|^plugins = {|& $1|" good.conf >"$conf"
	actl reconfigure
}
said()
{
	grep -c "$1" "$log"
}

ok 'a reload loads the fairness plugin' with 'fairness = "nan";'
id=$(asubmit --parsable --output=/dev/null --wrap true)
ok 'the log names the plugin and its invalid cost' wait_until 10 grep -q 'error.*plugin fairness/nan: .*cost' "$log"
for i in 1 2 3 4 5; do
	asubmit --hold --output=/dev/null --wrap true >/dev/null
	asubmit --parsable --output=/dev/null --wrap true >>ids
done
is "$(aqueue --noheader --format state "$id")" PENDING 'no job is started'
is "$(said 'made no decisions')" 1 'the log says so once, not in every round'
ok 'a reload loads the order plugin' with 'order = "wild";'
ok 'the log names the plugin and its invalid pick' wait_until 10 grep -q 'error.*plugin order/wild: it picked 4[0-9] of 1' "$log"
ok 'a reload loads the select plugin' with 'select = "odd";'
asubmit --parsable --output=/dev/null --wrap true >>ids
ok 'the controller answers' actl ping
run with 'select = { name = "odd"; refuse = true; };'
is "$status" 1 'a plugin that refuses its options makes the reload fail'
like "$err" 'plugin odd: refuse: it does, as it was told' "the error is the plugin's message"
run with 'fairness = { name = "drf"; multipliers = { zork = 1; }; };'
is "$status" 1 'a multiplier for an unknown resource is refused'
like "$err" "line [0-9]+: multipliers: 'zork' is not a resource: expected cpu" 'the error names the line'
run with 'select = "nowhere";'
is "$status" 1 'a plugin that does not exist is refused'
run with 'state = "redis";'
like "$err" 'needs a restart' 'another state plugin needs a restart'
ok 'a reload loads a valid plugin' with 'select = "spread";'
ok 'all jobs run' wait_until 20 job_ended "$id" $(cat ids)
ok 'the log says that rounds work again' wait_until 10 grep -q 'notice.*scheduling rounds work again' "$log"
unlike "$(cat "$log")" 'stopping' 'the controller never stopped'
done_testing
