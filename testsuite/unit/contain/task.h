/*
 * A task for the tests of contain plugins: a group that the plugin makes, and processes of the test
 * in it. Each process holds the write end of a pipe, so that the read end reports when all of them
 * are dead.
 */
#pragma once

#include <armada/contain.h>

#include <stdbool.h>

struct task {
	char name[128];
	void *handle; /* of the plugin; NULL: prepare failed */
	pid_t leader;
	int status; /* wait status of the leader, valid when it was reaped */
	bool reaped;
	int alive; /* read end of the pipe; end of file when no process lives */
	int said;  /* reads the bytes that the leader writes to SAID */
};

/* The descriptor on which the leader writes to the test. */
enum { SAID = 99 };

extern const struct armada_contain_ops *ops;
extern struct armada_option_value values[];

/*
 * Loads the plugin from the build tree. False, with a diagnostic, if it cannot work on this
 * machine.
 */
bool task_load(const char *plugin);
/* Makes the group and runs the leader in it. False, with a diagnostic, if prepare failed. */
bool task_begin(struct task *t, const struct armada_contain_limits *limits, void (*leader)(void));
/* Waits at most 20 s until the leader has ended. */
bool task_wait_leader(struct task *t);
/* Waits for a byte of the leader; -1 if the leader ended before. */
int task_hear(struct task *t);
/* Whether no process of the task lives: now, or within 20 s. */
bool task_is_dead(const struct task *t);
bool task_dies(const struct task *t);
/*
 * Kills all processes every 5 ms, as the shepherd does, until none is left. Returns their number.
 */
int task_kill(struct task *t);
/* Kills all processes and removes the group; a failed test if anything is left. */
void task_finish(struct task *t);
/* The number of groups on the machine that have the name of the task. */
int task_groups(const struct task *t);
struct armada_contain_usage task_usage(const struct task *t);
