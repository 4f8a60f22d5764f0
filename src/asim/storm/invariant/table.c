#include "asim/storm/invariant/table.h"

#define ROW(name) &invariant_##name,
const struct invariant *const invariant_table[] = {INVARIANT_TABLE(ROW) NULL};
