/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BLAKE2b with 128 bits, by libsodium: names series, layouts and contents. Secrets use 256 bits. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <sodium.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIGEST_LEN 16
#define DIGEST_HEX (2 * DIGEST_LEN)

struct digest {
	uint8_t b[DIGEST_LEN];
};

struct digest_state {
	crypto_generichash_state s;
};

void digest_init(struct digest_state *d);
void digest_add(struct digest_state *d, const void *p, size_t n);
/* The text and its NUL, so that neighbours cannot run together. NULL counts as "". */
void digest_add_str(struct digest_state *d, const char *s);
struct digest digest_end(struct digest_state *d);

/* 32 lower-case hex digits and a NUL. */
void digest_hex(const struct digest *d, char hex[DIGEST_HEX + 1]);
bool digest_equal(const struct digest *a, const struct digest *b);
/* A well-mixed 64-bit hash of bytes, for hash tables inside this process. */
uint64_t hash_bytes(const void *p, size_t n);

#endif
