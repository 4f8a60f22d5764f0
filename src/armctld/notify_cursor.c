/*
 * The position of a notify target (notify_cursor.h). Input: places. Output: a file of two lines of text, each
 * with a number that grows, the place and a checksum of both.
 */
#include "armctld/notify_cursor.h"

#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SLOT = 128, CHECK = 16 };

static void check_of(const char *text, char ret[2 * CHECK + 1])
{
	uint8_t hash[CHECK];

	crypto_generichash(hash, sizeof(hash), (const uint8_t *)text, strlen(text), NULL, 0);
	sodium_bin2hex(ret, 2 * CHECK + 1, hash, sizeof(hash));
}

static void make_slot(unsigned number, const struct armada_history_place *p, char ret[SLOT + 1])
{
	char text[SLOT - 2 * CHECK - 1], check[2 * CHECK + 1];

	snprintf(text, sizeof(text), "%u %" PRIu64 " %" PRIu64 " %" PRIu32 " %" PRIu32, number,
		 p->seq, p->job, p->first_element, p->attempt);
	check_of(text, check);
	snprintf(ret, SLOT + 1, "%s %-*s\n", check, SLOT - 2 * CHECK - 2, text);
}

static bool read_slot(const char *slot, unsigned *ret_number, struct armada_history_place *ret)
{
	char text[SLOT + 1], again[SLOT + 1];

	memcpy(text, slot, SLOT);
	text[SLOT] = '\0';
	if (strlen(text) != SLOT ||
	    sscanf(text + 2 * CHECK, "%u %" SCNu64 " %" SCNu64 " %" SCNu32 " %" SCNu32, ret_number,
		   &ret->seq, &ret->job, &ret->first_element, &ret->attempt) != 5)
		return false;
	make_slot(*ret_number, ret, again);
	return memcmp(text, again, SLOT) == 0;
}

/* False: no slot is valid. */
static bool read_file(struct notify_cursor *c)
{
	struct armada_history_place place;
	char text[2 * SLOT] = {0};
	bool found = false;
	unsigned number;

	if (pread(c->fd, text, sizeof(text), 0) < SLOT)
		return false;
	for (size_t i = 0; i < 2; i++) {
		if (!read_slot(text + i * SLOT, &number, &place) || (found && number < c->number))
			continue;
		c->number = number;
		c->place = place;
		found = true;
	}
	return found;
}

int notify_cursor_open(struct notify_cursor *c, const char *state_dir, const char *target,
		       const struct armada_history_place *begin, bool *ret_damaged, struct err *err)
{
	CLEANUP_FREE char *path = xasprintf("%s/notify-%s", state_dir, target);
	CLEANUP_FREE char *aside = xasprintf("%s.damaged", path);

	*c = (struct notify_cursor){
		.fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
	if (c->fd < 0)
		return err_sys(err, -errno, "%s", path);
	*ret_damaged = false;
	if (read_file(c))
		return 0;
	*ret_damaged = lseek(c->fd, 0, SEEK_END) > 0;
	if (*ret_damaged) {
		close(c->fd);
		if (rename(path, aside) < 0)
			return err_sys(err, -errno, "%s", path);
		c->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (c->fd < 0)
			return err_sys(err, -errno, "%s", path);
	}
	if (notify_cursor_write(c, begin) < 0)
		return err_sys(err, -errno, "%s", path);
	notify_cursor_sync(c);
	return 0;
}

void notify_cursor_close(struct notify_cursor *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

int notify_cursor_write(struct notify_cursor *c, const struct armada_history_place *place)
{
	char slot[SLOT + 1];

	c->place = *place;
	make_slot(++c->number, place, slot);
	return pwrite(c->fd, slot, SLOT, (c->number & 1) * SLOT) == SLOT ? 0 : -EIO;
}

void notify_cursor_sync(const struct notify_cursor *c)
{
	fdatasync(c->fd);
}
