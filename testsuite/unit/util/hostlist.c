/*
 * Host lists such as cn[01-04]: expansion, refused lists, the limit of names, and compression,
 * for which every subset of some names is tried.
 */
#include "tap/tap.h"
#include "util/hostlist.h"
#include "util/mem.h"

#include <string.h>

static const struct {
	const char *text, *names; /* separated by spaces */
} good[] = {
	{"cn1", "cn1"},
	{"cn1,cn2", "cn1 cn2"},
	{"cn[01-04,07],gpu1", "cn01 cn02 cn03 cn04 cn07 gpu1"},
	{"cn[8-11]", "cn8 cn9 cn10 cn11"},
	{"cn[08-11]", "cn08 cn09 cn10 cn11"},
	{"cn[099-101]", "cn099 cn100 cn101"},
	{"cn[0-2]", "cn0 cn1 cn2"},
	{"r[1-2]n[1-2]-ib", "r1n1-ib r1n2-ib r2n1-ib r2n2-ib"},
	{"[1-2]", "1 2"},
	{"cn1,cn1", "cn1 cn1"},
	{"a.b-c_d", "a.b-c_d"},
	{"x[1,3],y[2]z", "x1 x3 y2z"},
};

static const struct {
	const char *text, *says;
} bad[] = {
	{"", "ends too early"},
	{",", "not understood at ','"},
	{"a,", "ends too early"},
	{"a,,b", "not understood at ',b'"},
	{"cn[", "ends too early"},
	{"cn[1", "ends too early"},
	{"cn[1-", "ends too early"},
	{"cn[]", "not understood at ']'"},
	{"cn[1,]", "not understood at ']'"},
	{"cn[1-2-3]", "not understood at '-3]'"},
	{"cn[a]", "not understood at 'a]'"},
	{"cn[2-1]", "runs backwards"},
	{"cn[1-010]", "have different padding"},
	{"cn]", "not understood at ']'"},
	{"cn[[1]]", "not understood at '[1]]'"},
	{"a b", "not understood at ' b'"},
	{"a/b", "not understood at '/b'"},
	{"cn[0-100]", "more than 100 nodes"},
	{"cn[0-10][0-9]", "more than 100 nodes"},
	{"cn[0-99],x", "more than 100 nodes"},
	{"cn[0-999999999999999999]", "too many nodes"},
	{"cn[9999999999999999999]", "not understood"},
	{"a[1][1][1][1][1][1][1][1][1]", "brackets"},
};

static void check_good(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		CLEANUP_BUF struct buf joined = {0};
		struct err err = {0};
		char **names = NULL;
		size_t count = 0;
		int rc = hostlist_expand(good[i].text, 100, &names, &count, &err);

		is_int(rc, 0, "'%s' is accepted %s", good[i].text, err.text);
		for (size_t n = 0; n < count; n++)
			buf_addf(&joined, "%s%s", n ? " " : "", names[n]);
		is_str((char *)joined.data, good[i].names, "'%s' has its names", good[i].text);
		hostlist_free(names, count);
	}
}

static void check_bad(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err err = {0};
		char **names = NULL;
		size_t count = 0;

		ok(hostlist_expand(bad[i].text, 100, &names, &count, &err) < 0, "'%s' is refused",
		   bad[i].text);
		has_str(err.text, bad[i].says, "'%s': the error says so", bad[i].text);
		ok(!names && !count, "'%s' leaves the outputs unchanged", bad[i].text);
	}
}

static void check_long_name(void)
{
	char text[300];
	struct err err;
	char **names;
	size_t count;

	memset(text, 'a', sizeof(text));
	text[253] = '\0';
	is_int(hostlist_expand(text, 1, &names, &count, &err), 0,
	       "a name of 253 characters is accepted");
	hostlist_free(names, count);
	text[253] = 'a';
	text[254] = '\0';
	ok(hostlist_expand(text, 1, &names, &count, &err) < 0, "a name of 254 is refused");
	memcpy(text + 251, "[1-100]", 8);
	ok(hostlist_expand(text, 100, &names, &count, &err) < 0,
	   "a name that becomes too long by a number is refused");
	has_str(err.text, "longer than 253", "the error gives the limit");
}

static const char *const unsorted[] = {
	"gpu1", "cn10",  "cn9",    "cn01",   "cn02",   "cn03",
	"cn10", "login", "r1-ib0", "r2-ib0", "r3-ib1",
};

static const char *const padded[] = {"n008", "n009", "n010", "n011", "n100"};
static const char *const unpadded[] = {"n8", "n9", "n10", "n011", "n12"};
static const char *const huge[] = {"n99999999999999999999", "n1"};

static void check_compress(const char *const *names, size_t count, const char *want)
{
	CLEANUP_BUF struct buf out = {0};

	hostlist_compress(names, count, &out);
	is_str(out.len ? (char *)out.data : "", want, "the shortest form is %s", want);
}

/* Every subset of twelve names with different padding is restored from its own expression. */
static void check_round_trip(void)
{
	static const char *const all[] = {"n0", "n00", "n1",  "n01", "n2",   "n02",
					  "n9", "n09", "n10", "n11", "n011", "n12"};
	int wrong = 0;

	for (unsigned set = 1; set < 1u << ARRAY_SIZE(all); set++) {
		CLEANUP_BUF struct buf once = {0}, twice = {0};
		const char *names[ARRAY_SIZE(all)];
		char **back = NULL;
		size_t n = 0, count = 0;

		for (size_t i = 0; i < ARRAY_SIZE(all); i++)
			if (set & 1u << i)
				names[n++] = all[i];
		hostlist_compress(names, n, &once);
		if (hostlist_expand((char *)once.data, n, &back, &count, NULL) < 0 || count != n) {
			wrong++;
			diag("%s stands for %zu names, not %zu", once.data, count, n);
		}
		hostlist_compress((const char *const *)back, count, &twice);
		wrong += !twice.data || strcmp((char *)once.data, (char *)twice.data) != 0;
		hostlist_free(back, count);
	}
	is_int(wrong, 0, "compressed lists expand to the original names");
}

int main(void)
{
	check_good();
	check_bad();
	check_long_name();
	check_compress(unsorted, ARRAY_SIZE(unsorted),
		       "cn[01-03,9-10],gpu1,login,r[1-2]-ib0,r3-ib1");
	check_compress(padded, ARRAY_SIZE(padded), "n[008-011,100]");
	check_compress(unpadded, ARRAY_SIZE(unpadded), "n[8-10,011,12]");
	check_compress(huge, ARRAY_SIZE(huge), "n1,n99999999999999999999");
	check_compress(NULL, 0, "");
	check_round_trip();
	return done();
}
