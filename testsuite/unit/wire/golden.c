/*
 * Messages of every published release can be decoded, and unknown parts survive: they pack to the
 * same bytes.
 */
#include "proto/msg.h"
#include "proto/order.h"
#include "tap/tap.h"
#include "unit/wire/fill.h"
#include "util/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const releases[] = {"0.1"};
static const char current[] =
	"0.1"; /* not published yet: the golden files must match the present schema */

static bool load(const char *release, const char *name, struct buf *ret)
{
	const char *src = getenv("ARMADA_SRCDIR");
	char *path CLEANUP_FREE =
		xasprintf("%s/testsuite/golden/%s/%s", src ? src : ".", release, name);
	FILE *f = fopen(path, "r");

	if (!f)
		return false;
	ret->len = fread(buf_reserve(ret, 1 << 20), 1, 1 << 20, f);
	fclose(f);
	return true;
}

static void check(const char *release, const char *name, const ProtobufCMessageDescriptor *schema)
{
	struct buf golden CLEANUP_BUF = {0}, again CLEANUP_BUF = {0}, filled CLEANUP_BUF = {0};
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	struct err err = {""};
	void *message;

	if (!load(release, name, &golden)) {
		ok(strcmp(release, current) != 0,
		   "%s %s: a golden file exists for a message of this release", release, name);
		return;
	}
	message = msg_unpack_as(schema, golden.data, golden.len, arena, &err);
	if (!ok(message != NULL, "%s %s: decodes", release, name)) {
		diag("%s", err.text);
		return;
	}
	msg_pack(message, &again);
	ok(again.len == golden.len && memcmp(again.data, golden.data, golden.len) == 0,
	   "%s %s: packs to the same bytes", release, name);
	if (strcmp(release, current) != 0)
		return;
	msg_pack(fill_message(schema, 0, arena), &filled);
	ok(filled.len == golden.len && memcmp(filled.data, golden.data, golden.len) == 0,
	   "%s %s: it matches the present schema (otherwise: make golden)", release, name);
}

static void check_orders(const char *release)
{
	static const char *const names[] = {"order.launch", "order.kill"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct buf golden CLEANUP_BUF = {0};
		struct order o = {0};

		ok(load(release, names[i], &golden) && golden.len == ORDER_SIZE &&
			   order_decode(golden.data, &o),
		   "%s %s: decodes", release, names[i]);
		is_int((long long)o.key.job, 812, "it has its job");
		is_int(o.kind, i ? ORDER_KILL : ORDER_LAUNCH, "it has its kind");
	}
}

int main(void)
{
	size_t count;
	const struct msg_info *rows = msg_rows(&count);

	for (size_t r = 0; r < ARRAY_SIZE(releases); r++) {
		for (size_t i = 0; i < count; i++)
			check(releases[r], rows[i].name, rows[i].schema);
		check(releases[r], "record", &armada__record__descriptor);
		check(releases[r], "task_body", &armada__task_body__descriptor);
		check(releases[r], "stub_payload", &armada__stub_payload__descriptor);
		check_orders(releases[r]);
	}
	return done();
}
