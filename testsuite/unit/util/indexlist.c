/*
 * Array expressions such as 0-9:3,17: accepted and refused texts, and the search for overlapping
 * ranges, compared with a check of every index.
 */
#include "tap/tap.h"
#include "util/buf.h"
#include "util/indexlist.h"
#include "util/mem.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *text, *ranges;
} good[] = {
	{"1-1000%20", "1-1000:1 %20"},
	{"0,5,7-9", "0-0:1 5-5:1 7-9:1 %0"},
	{"0-100:4", "0-100:4 %0"},
	{"0-99:7", "0-98:7 %0"},
	{"3-4:9", "3-3:1 %0"},
	{"7-9,0", "0-0:1 7-9:1 %0"},
	{"0-98:2,1-99:2", "0-98:2 1-99:2 %0"},
	{"4294967295", "4294967295-4294967295:1 %0"},
	{"0-4294967295:4294967295", "0-4294967295:4294967295 %0"},
	{"0-20:6,4-20:10", "0-18:6 4-14:10 %0"},
};

static const struct {
	const char *text, *says;
} bad[] = {
	{"", "ends too early"},
	{"a", "not understood at 'a'"},
	{"1,", "ends too early"},
	{"1-", "ends too early"},
	{"1-2:", "ends too early"},
	{"1:2", "not understood at ':2'"},
	{"-1", "not understood at '-1'"},
	{"1 2", "not understood at ' 2'"},
	{"2-1", "runs backwards"},
	{"1-5:0", "the step must not be 0"},
	{"1%", "expected %N"},
	{"1%0", "expected %N"},
	{"1%5,2", "expected %N"},
	{"1%4294967296", "expected %N"},
	{"4294967296", "too large"},
	{"1,1", "names index 1 twice"},
	{"1-10,5", "names index 5 twice"},
	{"5,1-10", "names index 5 twice"},
	{"0-100:4,8", "names index 8 twice"},
	{"0-100:6,4-100:10", "names index 24 twice"},
	{"1-1001", "more than 1000 elements"},
	{"0-500,501-1000", "more than 1000 elements"},
	{"0-4294967295", "more than 1000 elements"},
};

static void check_good(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		CLEANUP_FREE struct index_range *r = NULL;
		CLEANUP_BUF struct buf text = {0};
		struct err err = {0};
		size_t count = 0;
		uint32_t throttle = 77;
		int rc = indexlist_parse(good[i].text, 1000, &r, &count, &throttle, &err);

		is_int(rc, 0, "'%s' is accepted %s", good[i].text, err.text);
		for (size_t n = 0; n < count; n++)
			buf_addf(&text, "%u-%u:%u ", r[n].first, r[n].last, r[n].step);
		buf_addf(&text, "%%%u", throttle);
		is_str((char *)text.data, good[i].ranges, "'%s' has its ranges", good[i].text);
	}
}

static void check_bad(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct index_range *r = NULL;
		struct err err = {0};
		size_t count = 0;
		uint32_t throttle = 77;

		ok(indexlist_parse(bad[i].text, 1000, &r, &count, &throttle, &err) < 0,
		   "'%s' is refused", bad[i].text);
		has_str(err.text, bad[i].says, "'%s': the error says so", bad[i].text);
		ok(!r && !count && throttle == 77, "'%s' leaves the outputs unchanged",
		   bad[i].text);
	}
}

/* Whether two ranges with steps have a common index, by a check of every index. */
static bool meet_slowly(const uint32_t *a, const uint32_t *b)
{
	for (uint32_t i = a[0]; i <= a[1]; i += a[2])
		if (i >= b[0] && i <= b[1] && (i - b[0]) % b[2] == 0)
			return true;
	return false;
}

static void check_overlaps(void)
{
	int wrong = 0;
	unsigned seed = 1;

	for (int i = 0; i < 20000; i++) {
		struct index_range *r = NULL;
		uint32_t a[3], b[3], throttle;
		char text[64];
		size_t count;
		bool taken;

		for (int n = 0; n < 3; n++) {
			a[n] = (uint32_t)rand_r(&seed) % 40 + 1;
			b[n] = (uint32_t)rand_r(&seed) % 40 + 1;
		}
		a[1] += a[0];
		b[1] += b[0];
		snprintf(text, sizeof(text), "%u-%u:%u,%u-%u:%u", a[0], a[1], a[2], b[0], b[1],
			 b[2]);
		taken = indexlist_parse(text, 1000, &r, &count, &throttle, NULL) == 0;
		free(r);
		if (taken == meet_slowly(a, b)) {
			wrong++;
			diag("%s", text);
		}
	}
	is_int(wrong, 0, "overlaps are found as by a check of every index");
}

int main(void)
{
	check_good();
	check_bad();
	check_overlaps();
	return done();
}
