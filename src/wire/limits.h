/*
 * Limits of one address and one uid: unauthenticated connections, open connections, requests per
 * second. This module only counts; conn.c calls it and applies the result.
 */
#pragma once

#include "wire/net.h"

struct address_use;
struct uid_use;

struct limits {
	struct net_limits max;
	struct address_use *addresses;
	struct uid_use *uids;
};

/* max NULL: the defaults of net.h. */
void limits_init(struct limits *l, const struct net_limits *max);
void limits_done(struct limits *l);

/* A connection from address begins its handshake; false: too many connections do. */
bool limits_handshake_begin(struct limits *l, const char *address);
void limits_handshake_end(struct limits *l, const char *address);

/* A connection of uid is open; false: the uid has too many. Each true needs a close. */
bool limits_uid_open(struct limits *l, uint32_t uid, int64_t now_us);
void limits_uid_close(struct limits *l, uint32_t uid, int64_t now_us);
/* A request of uid was accepted. Returns the time in microseconds for which its connection must pause. */
int64_t limits_request(struct limits *l, uint32_t uid, int64_t now_us);
