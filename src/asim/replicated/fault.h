/* The table of faults. */
#pragma once

#include "asim/replicated/world.h"

void faults_init(struct world *w);
