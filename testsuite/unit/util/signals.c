/*
 * Signals as users write them (USR1, SIGUSR1, 10), and the value of --signal with its prefix and
 * its time.
 */
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
			has_str(err.text, "write a name such as USR1",
				"the error shows a valid name");
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
	is_int(bad, 0, "the name of every number is parsed as that number");
	signal_format(SIGUSR1, name);
	is_str(name, "USR1", "a name has no prefix SIG");
	signal_format(32, name);
	is_str(name, "32", "a number without a name is written as a number");
}

static void test_wishes(void)
{
	struct signal_wish w = {0};
	struct err err;

	ok(signal_parse_wish("USR1@120", &w, &err) == 0 && w.signal == SIGUSR1 &&
		   w.before_s == 120 && !w.script_only,
	   "a signal with a time");
	ok(signal_parse_wish("B:USR2", &w, &err) == 0 && w.signal == SIGUSR2 && w.before_s == 0 &&
		   w.script_only,
	   "a signal for the script only, without a time");
	ok(signal_parse_wish("b:", &w, &err) == 0 && w.signal == 0 && w.script_only,
	   "no signal, and SIGTERM to the script only");
	ok(signal_parse_wish("10@65535", &w, &err) == 0 && w.before_s == 65535,
	   "the longest time is accepted");
	w = (struct signal_wish){.signal = 7};
	ok(signal_parse_wish("USR1@0", &w, &err) < 0 && w.signal == 7, "a time of 0 is refused");
	ok(signal_parse_wish("USR1@65536", &w, &err) < 0, "a time that is too long is refused");
	ok(signal_parse_wish("USR1@", &w, &err) < 0, "a missing number is refused");
	ok(signal_parse_wish("@10", &w, &err) < 0, "a missing signal is refused");
	ok(signal_parse_wish("", &w, &err) < 0, "an empty text is refused");
	ok(signal_parse_wish("B:B:", &w, &err) < 0, "a prefix given twice is refused");
	ok(signal_parse_wish("R:USR1@60", &w, &err) < 0, "the prefix R: is refused");
	has_str(err.text, "B: signals only the script", "the error names the known prefix");
	ok(signal_parse_wish("USR1USR1USR1USR1USR1USR1USR1@60", &w, &err) < 0,
	   "a name that is too long is refused");
}

int main(void)
{
	test_names();
	test_round();
	test_wishes();
	return done();
}
