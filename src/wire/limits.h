/*
 * What one address and one uid may take (S26): connections that have not proved themselves, open
 * connections, requests a second. Counts only; the connections ask before they go on.
 */
#pragma once

#include "wire/conn.h"

struct address_use;
struct uid_use;

struct limits {
	struct net_limits max;
	struct address_use *addresses;
	struct uid_use *uids;
};

/* max NULL: the defaults of conn.h. */
void limits_init(struct limits *l, const struct net_limits *max);
void limits_done(struct limits *l);

/* A connection from address begins to prove itself: false if there are too many. */
bool limits_unproved_begin(struct limits *l, const char *address);
void limits_unproved_end(struct limits *l, const char *address);

/* A connection of uid is open: false if it has too many. Each true needs a close. */
bool limits_uid_open(struct limits *l, uint32_t uid, int64_t now_us);
void limits_uid_close(struct limits *l, uint32_t uid, int64_t now_us);
/* A request of uid was taken. Returns for how many microseconds its connection is to pause. */
int64_t limits_request(struct limits *l, uint32_t uid, int64_t now_us);
