/*
 * The site's programs around a task: prolog and epilog of its job on this node, and its own.
 *
 * Each is 0, or an error with why set.
 */
#pragma once

#include "armd/shepherd/state.h"

int shepherd_prolog(struct shepherd *s);
int shepherd_task_prolog(struct shepherd *s);
void shepherd_task_epilog(struct shepherd *s);
/*
 * Called when the end is recorded. True: the node must be drained, and the record must be written
 * again with the reason.
 */
bool shepherd_epilog(struct shepherd *s);
