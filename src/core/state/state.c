#include "core/state/write.h"

#include "core/state/state.h"

#include "core/state/task_replacement.h"
#include "util/mem.h"

struct state *state_new(void)
{
	struct state *state = xcalloc(1, sizeof(*state));

	state->next_job = 1;
	state->next_token = 1;
	state->next_replacement = REPLACEMENT_ID_BIT;
	TAILQ_INIT(&state->keys_by_age);
	TAILQ_INIT(&state->named_keys);
	TAILQ_INIT(&state->idle_sets);
	LIST_INIT(&state->avoiding);
	return state;
}

void state_free(struct state *state)
{
	for (size_t i = state->job_slots; i > 0; i--)
		if (i <= state->job_slots && state->jobs[i - 1])
			job_drop(state, state->jobs[i - 1]);
	job_sets_free(state);
	while (state->queues)
		queue_drop(state, state->queues);
	while (state->nodes)
		node_drop(state, state->nodes);
	while (state->blobs) {
		state->blobs->refs = 0;
		blob_drop_unused(state, state->blobs);
	}
	submit_keys_free(state);
	while (state->tokens)
		token_drop(state, state->tokens);
	slots_done(&state->job_places);
	slots_done(&state->element_places);
	slots_done(&state->node_places);
	slots_done(&state->gang_places);
	free(state->cluster);
	free(state->copies_members);
	free(state->copies_removed);
	free(state->copies_by);
	free(state->jobs);
	free(state->job_ids);
	free(state);
}
