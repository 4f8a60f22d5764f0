/*
 * Converts signals between names and numbers, and parses the value of --signal (signals.h). Input:
 * a text such as "USR1", "RTMIN+3" or "B:TERM@60". Output: numbers, or an error with the accepted
 * form. The C library has the list of names; real-time signals are counted from the kernel's first
 * one.
 */
#include "util/signals.h"

#include "util/units.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* As numbered by the kernel; the C library reserves the first two. */
enum { RT_FIRST = 34, RT_LAST = SIGNALS_LAST };

/* The name of a signal; NULL: none. The C library calls SIGIO POLL. */
static const char *name_of(int sig)
{
	return sig == SIGIO ? "IO" : sigabbrev_np(sig);
}

/* The signal of a name or alias; 0: none. */
static int find_name(const char *name)
{
	if (strcasecmp(name, "IOT") == 0)
		return SIGABRT;
	if (strcasecmp(name, "POLL") == 0)
		return SIGIO;
	for (int sig = 1; sig < RT_FIRST; sig++)
		if (name_of(sig) && strcasecmp(name_of(sig), name) == 0)
			return sig;
	return 0;
}

static int refuse(const char *text, struct err *err)
{
	return err_set(
		err, -EINVAL,
		"'%s' is not a signal; write a name such as USR1 or TERM, or a number from 1 to %d",
		text, SIGNALS_LAST);
}

/* RTMIN, RTMIN+n, RTMAX, RTMAX-n. */
static int parse_real_time(const char *name, int *ret_signal)
{
	bool from_first = strncasecmp(name, "RTMIN", 5) == 0;
	struct err ignored;
	int64_t n = 0;

	if (!from_first && strncasecmp(name, "RTMAX", 5) != 0)
		return -EINVAL;
	name += 5;
	if (*name && (*name != (from_first ? '+' : '-') ||
		      parse_int(name + 1, 0, RT_LAST - RT_FIRST, &n, &ignored) < 0))
		return -EINVAL;
	*ret_signal = from_first ? RT_FIRST + (int)n : RT_LAST - (int)n;
	return 0;
}

int signal_parse(const char *text, int *ret_signal, struct err *err)
{
	const char *name = strncasecmp(text, "SIG", 3) == 0 ? text + 3 : text;
	int named = find_name(name);
	int64_t number;

	if (named) {
		*ret_signal = named;
		return 0;
	}
	if (parse_real_time(name, ret_signal) == 0)
		return 0;
	if (strspn(text, "0123456789") != strlen(text) ||
	    parse_int(text, 1, SIGNALS_LAST, &number, err) < 0)
		return refuse(text, err);
	*ret_signal = (int)number;
	return 0;
}

static int parse_named(const char *text, struct signal_wish *wish, struct err *err)
{
	const char *at = strchr(text, '@');
	char name[SIGNAL_NAME + 4];
	size_t len = at ? (size_t)(at - text) : strlen(text);
	int rc;

	if (len >= sizeof(name))
		return refuse(text, err);
	memcpy(name, text, len);
	name[len] = '\0';
	rc = signal_parse(name, &wish->signal, err);
	if (rc == 0 && at)
		rc = parse_int(at + 1, 1, SIGNAL_BEFORE_MAX_S, &wish->before_s, err);
	return rc < 0 && at ? err_prefix(err, rc, "%s", text) : rc;
}

int signal_parse_wish(const char *text, struct signal_wish *ret_wish, struct err *err)
{
	struct signal_wish wish = {0};
	int rc = 0;

	if (strncasecmp(text, "R:", 2) == 0)
		return err_set(
			err, -EINVAL,
			"'%s': R: is for reservations, which Armada does not have; B: signals "
			"only the script",
			text);
	if (strncasecmp(text, "B:", 2) == 0) {
		wish.script_only = true;
		text += 2;
	}
	if (*text || !wish.script_only)
		rc = parse_named(text, &wish, err);
	if (rc == 0)
		*ret_wish = wish;
	return rc;
}

void signal_format(int sig, char ret_name[SIGNAL_NAME])
{
	const char *name = name_of(sig);

	if (name)
		snprintf(ret_name, SIGNAL_NAME, "%s", name);
	else if (sig >= RT_FIRST && sig <= RT_LAST)
		snprintf(ret_name, SIGNAL_NAME, sig == RT_FIRST ? "RTMIN" : "RTMIN+%d",
			 sig - RT_FIRST);
	else
		snprintf(ret_name, SIGNAL_NAME, "%d", sig);
}
