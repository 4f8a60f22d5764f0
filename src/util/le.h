/*
 * Integers of files and messages: little endian, with up to eight bytes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

static inline void le_put(uint8_t *p, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		p[i] = (uint8_t)(value >> (8 * i));
}

static inline uint64_t le_get(const uint8_t *p, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value |= (uint64_t)p[i] << (8 * i);
	return value;
}
