/*
 * A task as the shepherd would have it: a group of the plugin's, and processes of ours in it. Each of
 * them holds the end of a pipe: when the other end says that nobody does any more, all are dead.
 */
#pragma once

#include <armada/contain.h>

#include <stdbool.h>

struct task {
	char name[128];
	void *handle; /* NULL: it could not be prepared */
	pid_t leader;
	int status; /* of the leader, once it was reaped */
	bool reaped;
	int alive; /* end of file: nobody lives */
	int said;  /* what the leader writes to SAID */
};

/* In the leader: what it says to the test. */
enum { SAID = 9 };

extern const struct armada_contain_ops *ops;
extern struct armada_option_value values[];

/* The plugin under test, from the build tree. True: it can work here; else why not is said. */
bool task_load(const char *plugin);
/* Make the group, and run the leader in it. False: prepare refused; the reason was diag'd. */
bool task_begin(struct task *t, const struct armada_contain_limits *limits, void (*leader)(void));
/* Until the leader has ended, 20 s at most. */
bool task_wait_leader(struct task *t);
/* Wait until the leader says a byte: the byte, or -1 when it ended before. */
int task_hear(struct task *t);
/* Nobody of it lives: at once, or within 20 s. */
bool task_is_dead(const struct task *t);
bool task_dies(const struct task *t);
/* Kill all as the shepherd does, once each 5 ms, until nothing is left. Returns how many there were. */
int task_kill(struct task *t);
/* And remove the group: nothing may be left of it. */
void task_finish(struct task *t);
/* How many groups bear the name of the task, in the whole machine. */
int task_groups(const struct task *t);
struct armada_contain_usage task_usage(const struct task *t);
