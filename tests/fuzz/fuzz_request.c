/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A request as it comes from a socket, with its body. */
#include "fuzz.h"

#include "head.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	head_request((const char *)bytes, n);
	return 0;
}
