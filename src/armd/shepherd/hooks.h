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
/* Run when the end is recorded. True: the node is to be drained for it, and the record says so. */
bool shepherd_epilog(struct shepherd *s);
