/*
 * For whom elements were displaced last: such an element does not displace that one for fair share, nor
 * the one for which that one was displaced last, and so on.
 *
 * Without this rule two or more elements could displace one another in turn for ever: what an element takes
 * from a queue by urgency counts in the cost of that queue only while it runs. So each element has at most
 * one link, and links never make a ring: no displacement for fair share makes one, and one by urgency links
 * to a higher class. A link lasts until the element is displaced again, or either job is removed, and not
 * only until the element starts: in a ring of three, each one runs in turn.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { DISPLACED_CHAIN = 16 }; /* links that are followed, at most */

struct displaced_job;
struct displacement;
struct model;

struct displaced {
	/* Hash tables; NULL: empty. */
	struct displacement *elements;
	struct displaced_job *jobs;
};

/*
 * The running tasks that the element spares; returns their number. ret_tasks: DISPLACED_CHAIN long. Of a
 * gang of jobs the element is that of any of its jobs. O(1) for each link.
 */
size_t displaced_chain(const struct model *m, uint64_t job, uint32_t element, uint32_t *ret_tasks);
/* The job is removed. */
void displaced_forget_job(struct model *m, uint64_t job);
void displaced_done(struct model *m);
