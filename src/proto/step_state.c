/* Converts what is known of a step between message and struct. Input from a peer is not trusted. */
#include "proto/step_state.h"

static int64_t time_of(int64_t us)
{
	return us < 0 ? 0 : us;
}

void step_state_take(const Armada__StepReport *from, struct step_state *to)
{
	*to = (struct step_state){
		.step = from->step,
		.layer = from->layer,
		.ended = from->ended,
		.exit_code = from->exit_code & 0xff,
		.exit_signal = from->exit_signal & 0x7f,
		.start_us = time_of(from->start_us),
		.end_us = time_of(from->end_us),
	};
	if (from->usage)
		usage_take(from->usage, &to->usage);
}

void step_state_put(const struct step_state *from, Armada__StepReport *to, Armada__Usage *usage)
{
	to->step = from->step;
	to->layer = from->layer;
	to->ended = from->ended;
	to->start_us = from->start_us;
	to->end_us = from->end_us;
	to->exit_code = from->exit_code;
	to->exit_signal = from->exit_signal;
	if (!from->ended)
		return;
	armada__usage__init(usage);
	usage_put(&from->usage, usage);
	to->usage = usage;
}
