/* The writable view of the state, only for the fold (link.h). Include this header first. */
#pragma once

#ifdef CORE_STATE_LINK_H
#error "core/state/write.h comes before every other header of the state"
#endif
#define STATE_WRITES 1
#include "core/state/link.h"
