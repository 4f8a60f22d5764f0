/*
 * The threads of controllers, as contexts with stacks of their own, of which one runs at a time.
 *
 * The main context handles events and hands over to a task with task_wake; the task runs until it waits or
 * returns. A task of a controller that was killed does not wait: everything that it calls fails at once, so
 * that it returns without an effect. A task of a stopped controller is woken when the controller goes on.
 */
#pragma once

#include "asim/replicated/world.h"

/* Begins at the next event. */
struct task *task_new(struct world *w, struct controller *c, void (*fn)(struct controller *c));
/* Main context: the task has something to do, if it waits. */
void task_wake(struct task *t);
/* Main context. */
bool task_ended(const struct task *t);
void task_join(struct task *t);
/* The task that runs; NULL: the main context. */
struct task *task_self(void);
struct world *task_world(const struct task *t);
struct controller *task_controller(const struct task *t);
/* Waits until this time, or until it is woken. */
void task_wait(int64_t until_us);
