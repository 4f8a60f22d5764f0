/*
 * The peak memory of a task, which is not known to the kernel: a group's own peak counts the page cache
 * too.
 *
 * Each call of peak_sample() is a sample of the memory that processes need (anonymous and shared memory)
 * and of the files that the kernel keeps in the group's memory. The peak between two samples is
 * estimated. If the group's own peak has grown since the last sample, it was reached between the two,
 * with at most the larger of both amounts of files: the rest was memory of processes. A file that was
 * written and removed between two samples would count as well, so the estimate is not more than the
 * largest process (ru_maxrss) had.
 *
 * Caveat: a peak of several processes together, shorter than the time between two samples, counts only as
 * that of the largest of them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct peak {
	int64_t sampled; /* most anonymous and shared memory of one sample */
	int64_t between; /* the most that was reached between two samples, by the group's own peak */
	int64_t group;   /* the group's own peak, as of the last sample; 0: not known */
	int64_t files;   /* of the last sample */
	int64_t mapped;  /* most files that were mapped in one sample */
	bool group_known; /* group is the kernel's own figure, not the largest sample */
};

/* What one sample saw. */
struct peak_sample {
	int64_t processes; /* anonymous and shared memory */
	int64_t files;     /* page cache without shared memory */
	int64_t mapped;    /* the part of files that is mapped */
	int64_t group;     /* the group's own peak; negative: the kernel does not have it */
	int64_t now;       /* all memory of the group */
};

void peak_add(struct peak *p, const struct peak_sample *s);
/*
 * The peak. largest: of one ended process, as getrusage has it, with the files that it mapped. oom: the
 * kernel killed for memory, so the group was full of memory of processes, because files go first.
 */
int64_t peak_of(const struct peak *p, int64_t largest, bool oom);

/*
 * Read the words of a file such as memory.stat, "word number" in each line, at once. A word that is
 * missing is 0. False: the file cannot be read.
 */
bool peak_read(int dir, const char *file, const char *const *words, int64_t *ret, int count);
/* ru_maxrss of the ended children of this process, in bytes. */
int64_t peak_largest(void);
