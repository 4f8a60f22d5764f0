/* The table of absolute limits: rows, values in text form, and refused values. */
#include "conf/most.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

static const struct {
	enum most_kind kind;
	const char *text;
	int64_t value;
	const char *printed; /* NULL: the same */
} good[] = {
	{MOST_RUNNING, "10", 10, NULL},
	{MOST_WAITING, "0", 0, NULL},
	{MOST_CPU, "2.5", 2500, NULL},
	{MOST_CPU, "500m", 500, "0.5"},
	{MOST_MEMORY, "16G", INT64_C(16) << 30, NULL},
	{MOST_MEMORY, "1.5K", 1536, "1536"},
	{MOST_MEMORY, "20000G", INT64_C(20000) << 30, NULL},
	{MOST_GPU, "4", 4, NULL},
	{MOST_SUBMIT_RATE, "100/h", 100, NULL},
	{MOST_SUBMIT_RATE, "10/m", 600, NULL},
	{MOST_SUBMIT_RATE, "2/s", 7200, NULL},
	{MOST_SUBMIT_RATE, "3600/h", 3600, "1/s"},
	{MOST_SUBMIT_RATE, "0/s", 0, "0/h"},
	{MOST_SUBMIT_RATE, "1000000000/h", 1000000000, NULL},
	{MOST_SUBMIT_BURST, "50", 50, NULL},
};

static const struct {
	enum most_kind kind;
	const char *text, *says;
} bad[] = {
	{MOST_RUNNING, "-1", "-1 is out of range: expected 0 to 1000000000000"},
	{MOST_RUNNING, "ten", "'ten' is not a whole number"},
	{MOST_RUNNING, "", "is not a whole number"},
	{MOST_CPU, "x", "expected a number of cpus"},
	{MOST_CPU, "2000000000000", "is out of range: expected 0 to 1000000000"},
	{MOST_MEMORY, "-1G", "expected a size"},
	{MOST_MEMORY, "2048T", "2048T is out of range: expected 0 to 1024T"},
	{MOST_SUBMIT_RATE, "100", "expected jobs by time such as 100/h, 10/m or 2/s"},
	{MOST_SUBMIT_RATE, "100/d", "expected jobs by time"},
	{MOST_SUBMIT_RATE, "/h", "expected jobs by time"},
	{MOST_SUBMIT_RATE, "1/", "expected jobs by time"},
	{MOST_SUBMIT_RATE, "-1/h", "expected jobs by time"},
	{MOST_SUBMIT_RATE, "1.5/h", "expected jobs by time"},
	{MOST_SUBMIT_RATE, "99999999999999999999999999/h", "expected jobs by time"},
	{MOST_SUBMIT_RATE, "1000000000/s", "is out of range: expected 0/h to 1000000000/h"},
};

static void check_table(void)
{
	for (int k = 1; k < MOST_KINDS; k++) {
		const struct most_row *row = most_of_kind(k);

		ok(row && row->kind == (enum most_kind)k && most_of_name(row->name) == row,
		   "%s is found by number and by name", row->name);
	}
	ok(!most_of_kind(0) && !most_of_kind(MOST_KINDS) && !most_of_kind(-1),
	   "unknown kinds are not found");
	ok(!most_of_name("max") && !most_of_name(""), "unknown names are not found");
}

static void check_values(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		const struct most_row *row = most_of_kind(good[i].kind);
		struct err err = {0};
		int64_t value = -7;
		char text[40];

		is_int(most_parse(row, good[i].text, &value, &err), 0, "%s = %s is accepted %s",
		       row->name, good[i].text, err.text);
		is_int(value, good[i].value, "its value is right");
		most_print(row, value, text, sizeof(text));
		is_str(text, good[i].printed ? good[i].printed : good[i].text, "its text is right");
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct most_row *row = most_of_kind(bad[i].kind);
		struct err err = {0};
		int64_t value = -7;

		ok(most_parse(row, bad[i].text, &value, &err) < 0 && value == -7,
		   "%s = '%s' is refused", row->name, bad[i].text);
		has_str(err.text, bad[i].says, "the message has the reason");
	}
}

static void check_sets(void)
{
	struct most none = {0}, some = {0}, other = {0};

	ok(most_get(&none, MOST_RUNNING) == INT64_MAX && !most_has(&none, MOST_RUNNING),
	   "an unset limit limits nothing");
	most_put(&some, MOST_RUNNING, 0);
	ok(most_has(&some, MOST_RUNNING) && most_get(&some, MOST_RUNNING) == 0, "0 is a limit");
	ok(!most_equal(&none, &some) && most_equal(&some, &some),
	   "a limit of 0 is not the same as none");
	most_put(&other, MOST_RUNNING, 1);
	ok(!most_equal(&some, &other), "a limit is not the same as another");
	is_int(most_burst(&none), INT64_MAX, "without a rate there is no burst limit");
	most_put(&some, MOST_SUBMIT_RATE, 600);
	is_int(most_burst(&some), 600, "the default burst is the rate of an hour");
	most_put(&some, MOST_SUBMIT_BURST, 5);
	is_int(most_burst(&some), 5, "a burst that is set holds");
}

int main(void)
{
	check_table();
	check_values();
	check_sets();
	return done();
}
