/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Digests that name things, by libsodium's BLAKE2b, and a quick hash for tables inside this
 * process. The quick one is not meant to resist an attacker and is never stored.
 */
#include "server/base/digest.h"

#include "server/base/err.h"

void digest_init(struct digest_state *d)
{
	if (crypto_generichash_init(&d->s, NULL, 0, DIGEST_LEN) != 0)
		die("cannot start a digest");
}

void digest_add(struct digest_state *d, const void *p, size_t n)
{
	if (n)
		crypto_generichash_update(&d->s, p, n);
}

void digest_add_str(struct digest_state *d, const char *s)
{
	if (!s)
		s = "";
	digest_add(d, s, strlen(s) + 1);
}

struct digest digest_end(struct digest_state *d)
{
	struct digest digest;

	crypto_generichash_final(&d->s, digest.b, DIGEST_LEN);
	return digest;
}

void digest_hex(const struct digest *d, char hex[DIGEST_HEX + 1])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < DIGEST_LEN; i++) {
		hex[2 * i] = digits[d->b[i] >> 4];
		hex[2 * i + 1] = digits[d->b[i] & 15];
	}
	hex[DIGEST_HEX] = '\0';
}

bool digest_equal(const struct digest *a, const struct digest *b)
{
	return memcmp(a->b, b->b, DIGEST_LEN) == 0;
}

/* Multiplies to 128 bits and folds the halves: every bit of the result depends on all of both. */
static uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load(const unsigned char *p, size_t n)
{
	uint64_t v = 0;

	memcpy(&v, p, n);
	return v;
}

uint64_t hash_bytes(const void *p, size_t n)
{
	/* Odd constants with about half of their bits set: fractions of the golden ratio and of
	 * the square roots of 2 and 3. */
	const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
	const uint64_t root2 = UINT64_C(0x6a09e667f3bcc909);
	const uint64_t root3 = UINT64_C(0xbb67ae8584caa73b);
	const unsigned char *at = p;
	uint64_t h = golden ^ n;

	for (; n >= 16; n -= 16, at += 16)
		h = fold(load(at, 8) ^ root2, load(at + 8, 8) ^ h) + golden;
	if (n >= 8)
		h = fold(load(at, 8) ^ root2, load(at + 8, n - 8) ^ h) + golden;
	else if (n)
		h = fold(load(at, n) ^ root3, h) + golden;
	return fold(h ^ root3, golden);
}
