#include "util/memory_use.h"

#include <malloc.h>

/*
 * Without a fixed threshold, malloc raises it up to 32 MiB with the sizes that are freed. Large pieces then
 * lie between small ones and cannot be given back.
 */
enum { LARGE_BYTES = 256 << 10, MUCH_BYTES = 64 << 20 };

void memory_use_setup(void)
{
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
}

void memory_use_look(struct memory_use *h)
{
	struct mallinfo2 m = mallinfo2();

	h->used = m.uordblks + m.hblkhd;
	h->unused = m.fordblks;
	if (h->unused < h->given)
		h->given = h->unused;
	if (h->unused < h->given + MUCH_BYTES)
		return;
	malloc_trim(0);
	/* malloc still counts the pages that it has returned. */
	h->given = h->unused;
}
