/*
 * The exit record, and what was made for the task removed.
 */
#pragma once

#include "armd/shepherd/state.h"

void shepherd_end(struct shepherd *s);
