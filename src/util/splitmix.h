/*
 * splitmix64 (Steele, Lea, Flood 2014): pseudorandom numbers, the same for the same seed. They are never used
 * for secrets.
 */
#pragma once

#include <stdint.h>

/* A bijection: different inputs give different outputs. */
static inline uint64_t splitmix_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* The next number of the sequence; every state is valid. */
static inline uint64_t splitmix_next(uint64_t *state)
{
	return splitmix_mix(*state += UINT64_C(0x9e3779b97f4a7c15));
}
