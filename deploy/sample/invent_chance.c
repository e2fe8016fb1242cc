/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SplitMix64 (Steele, Lea, Flood 2014), used as a hash: small, and the same everywhere. Only sums
 * and products of doubles, so that every machine gives the same digits.
 */
#include "deploy/sample/invent.h"

uint64_t invent_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

double invent_uniform(uint64_t seed, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t h =
		invent_mix(invent_mix(invent_mix(invent_mix(invent_mix(seed) ^ a) ^ b) ^ c) ^ d);

	return (double)(h >> 11) * 0x1p-53;
}

double invent_noise(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
	double s = -6; /* the mean of the sum of twelve uniforms; its variance is 1 */

	for (uint64_t i = 0; i < 12; i++)
		s += invent_uniform(seed, a, b, c, 1000 + i);
	return s;
}
