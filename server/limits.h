/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits with values that are good for everyone, each with its reason. What operators do change is
 * in config.h.
 */
#ifndef SERVER_LIMITS_H
#define SERVER_LIMITS_H

#define KIB ((size_t)1024)
#define MIB ((size_t)1024 * 1024)

/* --- a request --- */
#define URI_MAX     (16 * KIB) /* a comparison of 300 commits by full id fits */
#define HEADERS_MAX (12 * KIB) /* all header lines together */
#define CONNECTION_POOL                                                                            \
	(40 * KIB)       /* libmicrohttpd's memory a connection: both of the above and room for an \
			    answer's head */
#define SEGMENTS_MAX 32  /* of a path; commit and metric names have few slashes */
#define PARAMS_MAX   400 /* of a query */
#define ACCEPT_MAX   (1 * KIB) /* of an Accept header: the rest is not looked at */

/* --- bodies --- */
#define INFLATED_MAX (64 * MIB) /* of a compressed body: more is a bomb */
#define LITTLE_BODY_MAX                                                                            \
	(8 * MIB) /* of a body that needs no token, packed or not: what people paste is far below  \
		   */
#define DRAIN_MAX                                                                                  \
	(128 * MIB) /* of a refused body is read and dropped, so that the client sees the answer   \
		     */
#define BODIES_MAX                                                                                 \
	(144 * MIB) /* of bodies and what is made of them: two large ones, or many small */
#define ANSWER_MAX (128 * MIB) /* of an answer */
#define FILES_MAX                                                                                  \
	(128 * MIB) /* of artifacts being read, twice, and sent: with more no other is begun */

/* --- compression of answers --- */
#define GZIP_LEAST (1 * KIB)   /* smaller ones fit in a packet anyway */
#define GZIP_FAST  (256 * KIB) /* larger ones are compressed at the fastest level */

/* --- time, in seconds --- */
#define IDLE_TIMEOUT     30         /* nothing received or sent */
#define REQUEST_DEADLINE 60         /* to send a head and a small body, or to read a small answer */
#define SLOWEST_RATE     (32 * KIB) /* bytes a second that a larger body or answer must reach */
#define TRIM_EVERY       30         /* memory that is free goes back to the system */
#define STOP_WITHIN      9          /* from SIGTERM to the end */
#define REFRESH_EVERY    300        /* from one refresh of a repository to the next */
#define REFRESH_SLOWEST  3600       /* after failures, each of which doubles it, at most this */
#define REFRESH_LOOK     2          /* from one look at what is due to the next */

/* --- work --- */
#define WORKER_QUEUE        1024 /* uploads and large pages that wait for a worker; more: 503 */
#define ARENAS_KEPT         64   /* arenas that are kept for the next requests */
#define RETRY_AFTER         2    /* seconds, said with 503 */
#define LISTEN_BACKLOG      1024
#define GENERATION_FRESH_US 1000 /* for which a thread believes that the data have not changed */

#endif
