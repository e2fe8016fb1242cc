/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Included before everything: functions that overflow, use hidden state or the locale do not
 * compile. */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Macros of glibc, in some compilers; only what is none can be poisoned. */
#undef alloca
#undef sprintf
#pragma GCC poison strcpy strcat sprintf vsprintf gets strtok gmtime localtime ctime asctime
#pragma GCC poison atoi atol atoll atof alloca system popen

#endif
