/*
 * Amounts of resources, such as "memory=4G", and fractions of the cluster for a class, such as
 * "armada-default:cpu=0.5", as text.
 */
#include "conf/quantity.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

static const struct {
	const char *text;
	int resource;
	int64_t amount;
	const char *printed; /* NULL: the same */
} amounts[] = {
	{"cpu=2", 0, 2000, NULL},
	{"cpu=500m", 0, 500, "cpu=0.5"},
	{"memory=4G", 1, INT64_C(4) << 30, NULL},
	{"memory=1025", 1, 1025, NULL},
	{"gpu=1", 2, 1, NULL},
	{"gpu=0", 2, 0, NULL},
};

static const struct {
	const char *text, *says;
} bad_amounts[] = {
	{"cpu", "expected \"cpu=2\""},
	{"cpus=2", "is not a resource; did you mean 'cpu'?"},
	{"cpu=", "expected a number of cpus"},
	{"cpu=0", "is out of the range for a task"},
	{"memory=-1", "expected a size"},
	{"memory=100000T", "is out of the range for a task"},
	{"gpu=1.5", "is not a whole number"},
	{"=1", "is not a resource"},
	{"", "expected \"cpu=2\""},
};

static const struct {
	const char *text, *says;
} bad_shares[] = {
	{"armada-default", "expected \"armada-default:cpu=0.5,memory=0.5\""},
	{":cpu=0.5", "is not a limit of a class"},
	{"a b:cpu=0.5", "is not a name"},
	{"a:", "is not a part: expected \"cpu=0.5\""},
	{"a:cpu=0.5,", "is not a part"},
	{"a:cpu", "is not a part"},
	{"a:cpus=0.5", "'cpus' is not a resource"},
	{"a:cpu=1.5", "1.5 is out of range: expected 0 to 1"},
	{"a:cpu=-0.5", "out of range"},
	{"a:cpu=nan", "is not a number"},
	{"a:cpu=0.5,cpu=0.5", "cpu is given twice"},
};

static void check_amounts(void)
{
	const char *twice[] = {"cpu=1", "gpu=1", "cpu=2"};
	struct err err = {0};

	for (size_t i = 0; i < ARRAY_SIZE(amounts); i++) {
		char text[QUANTITY_TEXT];
		struct amount a;

		is_int(amount_parse(amounts[i].text, &a, &err), 0, "%s is accepted %s",
		       amounts[i].text, err.text);
		ok(a.resource == amounts[i].resource && a.amount == amounts[i].amount,
		   "it has its resource and its amount");
		amount_print(&a, text);
		is_str(text, amounts[i].printed ? amounts[i].printed : amounts[i].text,
		       "it is printed as text");
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad_amounts); i++) {
		struct amount a;

		ok(amount_parse(bad_amounts[i].text, &a, &err) < 0, "'%s' is refused",
		   bad_amounts[i].text);
		has_str(err.text, bad_amounts[i].says, "the error of an invalid amount");
	}
	is_int(amounts_check(twice, 2, &err), 0, "a list of amounts is accepted");
	ok(amounts_check(twice, 3, &err) < 0, "a list with one resource twice is refused");
	is_str(err.text, "cpu is given twice", "the error names the repeated resource");
}

static void check_shares(void)
{
	const char *twice[] = {"a:cpu=1", "b:gpu=1", "a:memory=0.5"};
	char text[QUANTITY_TEXT];
	struct err err = {0};
	struct share s;

	is_int(share_parse("armada-default:memory=0.25,cpu=0.5", &s, &err), 0,
	       "fractions for a class are accepted %s", err.text);
	ok(!strcmp(s.class_name, "armada-default") && s.limited == 3 && s.of[0] == 0.5 &&
		   s.of[1] == 0.25,
	   "they have their class and their values");
	share_print(&s, text);
	is_str(text, "armada-default:cpu=0.5,memory=0.25",
	       "they are printed in the order of the resources");
	for (size_t i = 0; i < ARRAY_SIZE(bad_shares); i++) {
		ok(share_parse(bad_shares[i].text, &s, &err) < 0, "'%s' is refused",
		   bad_shares[i].text);
		has_str(err.text, bad_shares[i].says, "the error of invalid fractions");
	}
	is_int(shares_check(twice, 2, &err), 0, "a list of fractions is accepted");
	ok(shares_check(twice, 3, &err) < 0, "a list with one class twice is refused");
	is_str(err.text, "class a is given twice", "the error names the repeated class");
}

int main(void)
{
	check_amounts();
	check_shares();
	return done();
}
