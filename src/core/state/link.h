/*
 * Links between the nouns of the state, and the compiler check that protects them.
 *
 * All code may read the state; only the fold writes it. To let the compiler enforce this, the
 * headers of the nouns use LINK(job) where a noun points to another. In a file that only reads,
 * this is a pointer to const. Everything reached through a const struct state is then const too,
 * and an assignment does not compile. A file of the fold includes core/state/write.h before
 * anything else, and gets the same structs with writable links. The layout is the same in both
 * views.
 *
 * Lists are those of <sys/queue.h> and tables those of uthash, with these links in place of theirs.
 * Outside this folder, code only walks lists (LIST_FOREACH) and tables (hh.next), with const
 * variables.
 */
#pragma once

/* clang-format off */
#ifdef STATE_WRITES
#define LINK(noun)	struct noun *
#define LINK_ARRAY(noun) struct noun **
#else
#define LINK(noun)	const struct noun *
#define LINK_ARRAY(noun) const struct noun *const *
#endif

/* The head of a list of nouns, and their links in it, as LIST_HEAD and LIST_ENTRY make them. */
#define LINK_LIST(noun) struct { LINK(noun) lh_first; }
#define LINK_IN_LIST(noun) struct { LINK(noun) le_next; LINK(noun) *le_prev; }
/* The same for TAILQ_HEAD and TAILQ_ENTRY. */
#define LINK_QUEUE(name, noun) struct name { LINK(noun) tqh_first; LINK(noun) *tqh_last; }
#define LINK_IN_QUEUE(noun) struct { LINK(noun) tqe_next; LINK(noun) *tqe_prev; }

/* clang-format on */

#include <sys/queue.h>
