/*
 * The exit record, and what was made for the task removed.
 */
#ifndef ARMD_SHEPHERD_END_H
#define ARMD_SHEPHERD_END_H

#include "armd/shepherd/state.h"

void shepherd_end(struct shepherd *s);

#endif
