/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chance for the invented labs: numbers that depend on their arguments and on nothing else. */
#ifndef SAMPLE_INVENT_H
#define SAMPLE_INVENT_H

#include <stdint.h>

uint64_t invent_mix(uint64_t x);
/* In [0, 1). */
double invent_uniform(uint64_t seed, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
/* Near enough to the standard normal, in [-6, 6], without libm's last digit. */
double invent_noise(uint64_t seed, uint64_t a, uint64_t b, uint64_t c);

/* The invented year as NDJSON in the native upload form, and what is planted in it as JSON. */
void invent_year(uint64_t seed);
void invent_year_truth(uint64_t seed);

#endif
