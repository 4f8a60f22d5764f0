/* The set of copies that have to hold each record. The engine has it, and the log says how it changed. */
#pragma once

#include "core/txn/txn.h"

/* INPUT_COPIES: the engine has another version of the set. */
void copies_input(struct txn *txn);
