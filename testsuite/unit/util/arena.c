#include "tap/tap.h"
#include "util/arena.h"
#include "util/shared.h"

#include <stdint.h>
#include <string.h>

static void check_limit(void)
{
	CLEANUP_ARENA struct arena *a = arena_new(1024);

	ok(arena_try(a, 1000) != NULL, "an allocation within the limit");
	ok(arena_try(a, 17) == NULL, "an allocation beyond the limit");
	ok(arena_try(a, 16) != NULL, "an allocation up to the limit");
	ok(arena_try(a, 1) == NULL, "no allocation beyond the limit");
	ok(arena_try(a, SIZE_MAX) == NULL, "a size that overflows is refused");
	ok(arena_try(a, SIZE_MAX - 14) == NULL,
	   "a size that overflows when it is rounded is refused");
	is_int((long long)arena_used(a), 1024, "a refused allocation takes no memory");
	arena_clear(a);
	is_int((long long)arena_used(a), 0, "clear frees everything");
	ok(arena_try(a, 1024) != NULL, "after clear the whole limit is available");
}

static void check_hold(void)
{
	struct shared *s = shared_new("bytes", 5);
	CLEANUP_ARENA struct arena *a = arena_new(0), *b = arena_new(0);

	arena_hold(a, s);
	arena_hold(a, s);
	arena_hold(b, s);
	arena_hold(b, NULL);
	shared_drop(s);
	arena_clear(a);
	ok(s->len == 5 && memcmp(s->data, "bytes", 5) == 0,
	   "shared bytes stay until the last arena gives them back");
	shared_drop(shared_take(s));
	arena_clear(b);
}

int main(void)
{
	CLEANUP_ARENA struct arena *a = arena_new(0);
	unsigned char *z;
	int misplaced = 0, dirty = 0;
	char *s;

	for (size_t i = 1; i < 9000; i += 7) {
		char *p = arena_alloc(a, i);

		misplaced += (uintptr_t)p % 16 != 0;
		memset(p, 0xff, i);
	}
	is_int(misplaced, 0, "memory is aligned");
	arena_clear(a);
	z = arena_zalloc(a, 100, 10);
	for (int i = 0; i < 1000; i++)
		dirty += z[i] != 0;
	is_int(dirty, 0, "zalloc zeroes memory that was used before");
	s = arena_strdup(a, "text");
	is_str(s, "text", "strdup");
	ok(arena_strdup(a, NULL) == NULL, "strdup of NULL is NULL");
	is_str(arena_printf(a, "%s-%d", s, 7), "text-7", "printf");
	ok(memcmp(arena_memdup(a, "a\0b", 3), "a\0b", 3) == 0, "memdup");
	ok(arena_memdup(a, NULL, 0) != NULL, "memdup of no bytes");
	arena_free(NULL);
	check_limit();
	check_hold();
	return done();
}
