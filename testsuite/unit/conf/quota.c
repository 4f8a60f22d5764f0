/*
 * The table of absolute limits (max_running, submit_rate, ...): its rows, values as text,
 * refused values with their errors, and the difference between no limit and a limit of 0.
 */
#include "conf/quota.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

static const struct {
	enum quota_kind kind;
	const char *text;
	int64_t value;
	const char *printed; /* NULL: the same */
} good[] = {
	{QUOTA_RUNNING, "10", 10, NULL},
	{QUOTA_WAITING, "0", 0, NULL},
	{QUOTA_CPU, "2.5", 2500, NULL},
	{QUOTA_CPU, "500m", 500, "0.5"},
	{QUOTA_MEMORY, "16G", INT64_C(16) << 30, NULL},
	{QUOTA_MEMORY, "1.5K", 1536, "1536"},
	{QUOTA_MEMORY, "20000G", INT64_C(20000) << 30, NULL},
	{QUOTA_GPU, "4", 4, NULL},
	{QUOTA_SUBMIT_RATE, "100/h", 100, NULL},
	{QUOTA_SUBMIT_RATE, "10/m", 600, NULL},
	{QUOTA_SUBMIT_RATE, "2/s", 7200, NULL},
	{QUOTA_SUBMIT_RATE, "3600/h", 3600, "1/s"},
	{QUOTA_SUBMIT_RATE, "0/s", 0, "0/h"},
	{QUOTA_SUBMIT_RATE, "1000000000/h", 1000000000, NULL},
	{QUOTA_SUBMIT_BURST, "50", 50, NULL},
};

static const struct {
	enum quota_kind kind;
	const char *text, *says;
} bad[] = {
	{QUOTA_RUNNING, "-1", "-1 is out of range: expected 0 to 1000000000000"},
	{QUOTA_RUNNING, "ten", "'ten' is not a whole number"},
	{QUOTA_RUNNING, "", "is not a whole number"},
	{QUOTA_CPU, "x", "expected a number of cpus"},
	{QUOTA_CPU, "2000000000000", "is out of range: expected 0 to 1000000000"},
	{QUOTA_MEMORY, "-1G", "expected a size"},
	{QUOTA_MEMORY, "2048T", "2048T is out of range: expected 0 to 1024T"},
	{QUOTA_SUBMIT_RATE, "100", "expected jobs by time such as 100/h, 10/m or 2/s"},
	{QUOTA_SUBMIT_RATE, "100/d", "expected jobs by time"},
	{QUOTA_SUBMIT_RATE, "/h", "expected jobs by time"},
	{QUOTA_SUBMIT_RATE, "1/", "expected jobs by time"},
	{QUOTA_SUBMIT_RATE, "-1/h", "expected jobs by time"},
	{QUOTA_SUBMIT_RATE, "1.5/h", "expected jobs by time"},
	{QUOTA_SUBMIT_RATE, "99999999999999999999999999/h", "expected jobs by time"},
	{QUOTA_SUBMIT_RATE, "1000000000/s", "is out of range: expected 0/h to 1000000000/h"},
};

static void check_table(void)
{
	for (int k = 1; k < QUOTA_KINDS; k++) {
		const struct quota_row *row = quota_of_kind(k);

		ok(row && row->kind == (enum quota_kind)k && quota_of_name(row->name) == row,
		   "%s is found by number and by name", row->name);
	}
	ok(!quota_of_kind(0) && !quota_of_kind(QUOTA_KINDS) && !quota_of_kind(-1),
	   "unknown kinds are not found");
	ok(!quota_of_name("max") && !quota_of_name(""), "unknown names are not found");
}

static void check_values(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		const struct quota_row *row = quota_of_kind(good[i].kind);
		struct err err = {0};
		int64_t value = -7;
		char text[40];

		is_int(quota_parse(row, good[i].text, &value, &err), 0, "%s = %s is accepted %s",
		       row->name, good[i].text, err.text);
		is_int(value, good[i].value, "its value is right");
		quota_print(row, value, text, sizeof(text));
		is_str(text, good[i].printed ? good[i].printed : good[i].text, "its text is right");
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct quota_row *row = quota_of_kind(bad[i].kind);
		struct err err = {0};
		int64_t value = -7;

		ok(quota_parse(row, bad[i].text, &value, &err) < 0 && value == -7,
		   "%s = '%s' is refused", row->name, bad[i].text);
		has_str(err.text, bad[i].says, "the message has the reason");
	}
}

static void check_sets(void)
{
	struct quota none = {0}, some = {0}, other = {0};

	ok(quota_get(&none, QUOTA_RUNNING) == INT64_MAX && !quota_has(&none, QUOTA_RUNNING),
	   "an unset limit limits nothing");
	quota_put(&some, QUOTA_RUNNING, 0);
	ok(quota_has(&some, QUOTA_RUNNING) && quota_get(&some, QUOTA_RUNNING) == 0, "0 is a limit");
	ok(!quota_equal(&none, &some) && quota_equal(&some, &some),
	   "a limit of 0 is not the same as none");
	quota_put(&other, QUOTA_RUNNING, 1);
	ok(!quota_equal(&some, &other), "a limit is not the same as another");
	is_int(quota_burst(&none), INT64_MAX, "without a rate there is no burst limit");
	quota_put(&some, QUOTA_SUBMIT_RATE, 600);
	is_int(quota_burst(&some), 600, "the default burst is the rate of an hour");
	quota_put(&some, QUOTA_SUBMIT_BURST, 5);
	is_int(quota_burst(&some), 5, "a burst that is set holds");
}

int main(void)
{
	check_table();
	check_values();
	check_sets();
	return done();
}
