/*
 * What the tests of spool, shepherd and launcher share: a spool in a temporary directory, bodies of
 * tasks, and a task that tells what it finds itself to be.
 */
#pragma once

#include "armd/spool/attempt.h"
#include "armd/spool/spool.h"
#include <armada/contain.h>

struct box {
	char dir[256];   /* anybody may enter it */
	char out[300];   /* where a task writes, and a user of its own may */
	char probe[300]; /* a copy of this program, for box_be_probe */
	struct spool spool;
	struct arena *arena;
	uint32_t uid, gid; /* of tasks: nobody when root runs the test */
};

void box_open(struct box *b);
void box_close(struct box *b);

/* contain/rlimit as it was built. */
const struct armada_contain_ops *box_contain(void);
extern const struct armada_option_value box_contain_values[];

/* A body that runs the words, up to a NULL, as b's user, and writes to b->out. In the arena. */
Armada__TaskBody *box_body(struct box *b, uint64_t job, ...) __attribute__((sentinel));
struct task_key box_key(const Armada__TaskBody *body);
struct buf box_pack(const Armada__TaskBody *body);

/* The whole file as a string in the arena, "" if it is not there. */
const char *box_read(struct box *b, const char *path);
/* Wait, 10 s at most, until the file has something in it. */
bool box_wait_file(const char *path);
int64_t box_now_us(void);

/*
 * First thing in main: when the program was started as `probe FILE` by a task, it writes what it is
 * to FILE and exits.
 */
void box_be_probe(int argc, char **argv);
