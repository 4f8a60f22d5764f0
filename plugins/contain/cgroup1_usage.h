/* The usage of a task, as the controllers of cgroup v1 count it. */
#pragma once

#include <armada/contain.h>

/* handle: a struct handle of cgroup1.h. */
int cgroup1_usage(void *handle, struct armada_contain_usage *ret_usage, struct armada_error *err);
