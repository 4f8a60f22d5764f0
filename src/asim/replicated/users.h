/* Users: they submit, repeat what is not answered, and ask for submissions that were acknowledged. */
#pragma once

#include "asim/replicated/world.h"

void users_init(struct world *w);
/* A controller answers. seq: the record of the submission; 0: it says that there is none. */
void users_answer(struct world *w, uint64_t key, uint64_t seq, bool submits);
/* Each has an answer. */
bool users_done(const struct world *w);
