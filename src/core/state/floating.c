/*
 * The use of floating resources (floating.h). Input: elements that become active or cease to be.
 * Output: the sums of the state, of the queue and of the user. core_check counts them again.
 */
#include "core/state/write.h"

#include "core/state/floating.h"
#include "core/state/queue_user.h"
#include "core/state/state.h"

void floating_hold(struct state *state, struct job *j, int64_t elements)
{
	const struct resources *each = j->spec->licenses;

	if (!each)
		return;
	resources_add(&state->floating_held, each, elements);
	queue_user_uses_more(j, each, elements);
}

int64_t floating_free(const struct state *state, size_t resource)
{
	return state->floating_total.amount[resource] - state->floating_outside.amount[resource] -
	       state->floating_held.amount[resource];
}

bool floating_allows(const struct state *state, const struct resources *want)
{
	for (size_t r = 0; want && r < resource_count(); r++)
		if (want->amount[r] > 0 && want->amount[r] > floating_free(state, r))
			return false;
	return true;
}
