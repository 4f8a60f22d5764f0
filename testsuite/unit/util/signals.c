/* Signals as people write them. */
#include "tap/tap.h"
#include "util/signals.h"

#include <signal.h>
#include <string.h>

static void test_names(void)
{
	static const struct {
		const char *text;
		int want; /* 0: refused */
	} cases[] = {
		{"USR1", SIGUSR1},
		{"SIGUSR1", SIGUSR1},
		{"sigusr1", SIGUSR1},
		{"usr1", SIGUSR1},
		{"10", 10},
		{"TERM", SIGTERM},
		{"64", 64},
		{"1", 1},
		{"IOT", SIGABRT},
		{"POLL", SIGIO},
		{"RTMIN", 34},
		{"rtmin+3", 37},
		{"RTMAX", 64},
		{"SIGRTMAX-1", 63},
		{"RTMIN+30", 64},
		{"0", 0},
		{"65", 0},
		{"-1", 0},
		{"+9", 0},
		{"", 0},
		{"SIG", 0},
		{"USR3", 0},
		{"RTMIN+31", 0},
		{"RTMIN-1", 0},
		{"RTMIN+", 0},
		{"SIG10", 0},
		{"USR1 ", 0},
		{"99999999999", 0},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {{0}};
		int sig = 0, rc = signal_parse(cases[i].text, &sig, &err);

		is_int(sig, cases[i].want, "\"%s\"", cases[i].text);
		if (rc < 0)
			has_str(err.text, "write a name as USR1", "and says what would do");
	}
}

static void test_round(void)
{
	char name[SIGNAL_NAME];
	int bad = 0, sig;
	struct err err;

	for (int i = 1; i <= SIGNALS_LAST; i++) {
		signal_format(i, name);
		bad += signal_parse(name, &sig, &err) < 0 || sig != i;
	}
	is_int(bad, 0, "every number's name is read back");
	signal_format(SIGUSR1, name);
	is_str(name, "USR1", "a name has no SIG");
	signal_format(32, name);
	is_str(name, "32", "a number without a name is itself");
}

static void test_wishes(void)
{
	struct signal_wish w = {0};
	struct err err;

	ok(signal_parse_wish("USR1@120", &w, &err) == 0 && w.signal == SIGUSR1 &&
		   w.before_s == 120 && !w.script_only,
	   "a signal and its time");
	ok(signal_parse_wish("B:USR2", &w, &err) == 0 && w.signal == SIGUSR2 && w.before_s == 0 &&
		   w.script_only,
	   "for the script alone, the time not said");
	ok(signal_parse_wish("b:", &w, &err) == 0 && w.signal == 0 && w.script_only,
	   "no warning, but the script alone");
	ok(signal_parse_wish("10@65535", &w, &err) == 0 && w.before_s == 65535, "the longest time");
	w = (struct signal_wish){.signal = 7};
	ok(signal_parse_wish("USR1@0", &w, &err) < 0 && w.signal == 7, "not at the limit itself");
	ok(signal_parse_wish("USR1@65536", &w, &err) < 0, "not longer before it");
	ok(signal_parse_wish("USR1@", &w, &err) < 0, "not without a number");
	ok(signal_parse_wish("@10", &w, &err) < 0, "not without a signal");
	ok(signal_parse_wish("", &w, &err) < 0, "not nothing");
	ok(signal_parse_wish("B:B:", &w, &err) < 0, "not twice");
	ok(signal_parse_wish("R:USR1@60", &w, &err) < 0, "no reservations");
	has_str(err.text, "B: is for the script alone", "and says what there is");
	ok(signal_parse_wish("USR1USR1USR1USR1USR1USR1USR1@60", &w, &err) < 0, "no long names");
}

int main(void)
{
	test_names();
	test_round();
	test_wishes();
	return done();
}
