/*
 * A hash table of 32-bit handles (map.h): open addressing with linear probing.
 *
 * A removal moves later entries up instead of leaving a tombstone (close_gap). The table grows to
 * twice its size before more than three quarters of it are full.
 */
#include "sched/model/map.h"
#include "util/mem.h"

#include <assert.h>
#include <string.h>

void map_done(struct map *m)
{
	free(m->slots);
	*m = (struct map){0};
}

static void put(struct map_slot *slots, size_t cap, struct map_slot s)
{
	size_t i = s.hash & (cap - 1);

	while (slots[i].value != NIL)
		i = (i + 1) & (cap - 1);
	slots[i] = s;
}

static void resize(struct map *m, size_t cap)
{
	struct map_slot *old = m->slots;
	size_t old_cap = m->cap;

	m->slots = xreallocarray(NULL, cap, sizeof(*m->slots));
	memset(m->slots, 0xff, cap * sizeof(*m->slots));
	m->cap = cap;
	for (size_t i = 0; i < old_cap; i++)
		if (old[i].value != NIL)
			put(m->slots, cap, old[i]);
	free(old);
}

uint32_t map_find(const struct map *m, uint32_t hash, map_same_fn *same, const void *arg,
		  const void *what)
{
	if (!m->cap)
		return NIL;
	for (size_t i = hash & (m->cap - 1); m->slots[i].value != NIL; i = (i + 1) & (m->cap - 1))
		if (m->slots[i].hash == hash && same(arg, m->slots[i].value, what))
			return m->slots[i].value;
	return NIL;
}

void map_add(struct map *m, uint32_t hash, uint32_t value)
{
	if (m->count + 1 > m->cap / 4 * 3)
		resize(m, m->cap ? m->cap * 2 : 16);
	put(m->slots, m->cap, (struct map_slot){hash, value});
	m->count++;
}

/* Close the gap at i: move up each entry that a search would not find any more. */
static void close_gap(struct map *m, size_t i)
{
	size_t mask = m->cap - 1;

	for (size_t j = (i + 1) & mask; m->slots[j].value != NIL; j = (j + 1) & mask) {
		size_t home = m->slots[j].hash & mask;

		if (((j - home) & mask) < ((j - i) & mask))
			continue;
		m->slots[i] = m->slots[j];
		i = j;
	}
	m->slots[i].value = NIL;
}

void map_remove(struct map *m, uint32_t hash, uint32_t value)
{
	size_t i;

	assert(m->count);
	for (i = hash & (m->cap - 1); m->slots[i].value != value; i = (i + 1) & (m->cap - 1))
		assert(m->slots[i].value != NIL);
	close_gap(m, i);
	m->count--;
}

uint32_t hash_u64(uint64_t n)
{
	n ^= n >> 33;
	n *= UINT64_C(0xff51afd7ed558ccd);
	n ^= n >> 33;
	n *= UINT64_C(0xc4ceb9fe1a85ec53);
	return (uint32_t)(n >> 32) ^ (uint32_t)n;
}

uint32_t hash_bytes(uint32_t seed, const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = UINT64_C(0xcbf29ce484222325) ^ seed;

	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	return hash_u64(h);
}

uint32_t hash_text(const char *s)
{
	return hash_bytes(0, s, strlen(s));
}
