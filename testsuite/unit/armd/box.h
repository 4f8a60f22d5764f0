/*
 * Shared by the tests of spool, shepherd and launcher: a spool in a temporary directory, bodies of
 * tasks, and a probe program that a task can run, which writes its identity to a file.
 */
#pragma once

#include "armd/spool/attempt.h"
#include "armd/spool/spool.h"
#include <armada/contain.h>

struct box {
	char dir[256];   /* every user may enter it */
	char out[300];   /* the output of tasks; the user of the tasks may write there */
	char probe[300]; /* a copy of this program, for box_be_probe */
	struct spool spool;
	struct arena *arena;
	uint32_t uid, gid; /* of tasks: those of nobody if root runs the test */
};

void box_open(struct box *b);
void box_close(struct box *b);

/* contain/rlimit from the build tree. */
const struct armada_contain_ops *box_contain(void);
extern const struct armada_option_value box_contain_values[];

/*
 * Makes a body that runs the words, up to a NULL, as the user of b, and writes to b->out. It is in
 * the arena.
 */
Armada__TaskBody *box_body(struct box *b, uint64_t job, ...) __attribute__((sentinel));
struct task_key box_key(const Armada__TaskBody *body);
struct buf box_pack(const Armada__TaskBody *body);

/* The contents of the file as a string in the arena; "" if it does not exist. */
const char *box_read(struct box *b, const char *path);
/* Waits at most 10 s until the file is not empty. */
bool box_wait_file(const char *path);
int64_t box_now_us(void);

/*
 * The first call in main: if a task started the program as `probe FILE`, it writes its identity,
 * limits and environment to FILE, and exits.
 */
void box_be_probe(int argc, char **argv);
