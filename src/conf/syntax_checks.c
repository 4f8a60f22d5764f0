/*
 * Checks the syntax of texts in armada.conf: names, users, paths, addresses, labels and others
 * (syntax_checks.h). Input: one text. Output: 0, or -EINVAL with the accepted form. Rows of
 * conf/tables.c and of conf/queue_table.h refer to these functions.
 */
#include "conf/syntax_checks.h"

#include "conf/permit.h"
#include "conf/port_range.h"
#include "conf/quantity.h"
#include "conf/taint.h"
#include "util/rlimits.h"
#include "util/units.h"
#include "util/utf8.h"
#include "util/visible.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { NAME_LEN = 253, ACCOUNT_LEN = 64 };

static bool is_name(const char *s, size_t len)
{
	if (!len || len > NAME_LEN || s[0] == '-' || s[0] == '.')
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("-_.", s[i]))
			return false;
	return true;
}

int check_text(const char *text, struct err *err)
{
	return *text ? 0 : err_set(err, -EINVAL, "may not be empty");
}

int check_name(const char *text, struct err *err)
{
	if (is_name(text, strlen(text)))
		return 0;
	return err_set(err, -EINVAL,
		       "'%.64s' is not a name: expected letters, digits, dash, dot and underscore",
		       text);
}

int check_user(const char *text, struct err *err)
{
	/* User directories often allow more than POSIX: user@realm, DOMAIN\user. */
	if (*text && strlen(text) <= NAME_LEN && !strpbrk(text, " :/,") && *text != '-')
		return 0;
	return err_set(err, -EINVAL, "'%.64s' is not the name of a user or group", text);
}

int check_account(const char *text, struct err *err)
{
	size_t len = strlen(text);

	if (is_name(text, len) && len <= ACCOUNT_LEN && strcmp(text, "none") != 0)
		return 0;
	return err_set(err, -EINVAL,
		       "'%.64s' is not the name of an account: expected letters, digits, dash, dot "
		       "and underscore, at most %d, and not the word none",
		       text, ACCOUNT_LEN);
}

/* Of a job: "team", or "example.org/team". */
int check_label_key(const char *text, struct err *err)
{
	const char *slash = strchr(text, '/'), *name = slash ? slash + 1 : text;

	if (is_name(name, strlen(name)) && strlen(text) <= NAME_LEN &&
	    (!slash || is_name(text, (size_t)(slash - text))))
		return 0;
	return err_set(err, -EINVAL,
		       "'%.64s' is not the key of a label: expected letters, digits, dash, dot and "
		       "underscore, perhaps after a prefix and a slash, at most %d in all",
		       text, NAME_LEN);
}

int check_label_value(const char *text, struct err *err)
{
	size_t len = strlen(text), at = 0;

	while (at < len && (isalnum((unsigned char)text[at]) || strchr("-_./:@+", text[at])))
		at++;
	if (at == len && len <= NAME_LEN)
		return 0;
	return err_set(err, -EINVAL,
		       "'%.64s' is not the value of a label: expected letters, digits and any of "
		       "- _ . / : @ +, at most %d",
		       text, NAME_LEN);
}

int check_path(const char *text, struct err *err)
{
	if (*text == '/' && strlen(text) < 4096)
		return 0;
	return err_set(err, -EINVAL, "'%.64s': expected a path that begins with /", text);
}

/* "host:port", "[v6]:port" or "/path"; the path of a Unix socket has at most 107 bytes. */
int check_address(const char *text, struct err *err)
{
	const char *colon = strrchr(text, ':');
	int64_t port;

	if (*text == '/') {
		if (strlen(text) < 108)
			return 0;
		return err_set(err, -EINVAL,
			       "'%.120s' is longer than the 107 bytes of a socket's path", text);
	}
	if (colon && parse_int(colon + 1, 1, 65535, &port, NULL) == 0) {
		size_t len = (size_t)(colon - text);

		if (is_name(text, len))
			return 0;
		if (len > 2 && text[0] == '[' && text[len - 1] == ']' &&
		    strspn(text + 1, "0123456789abcdefABCDEF:.%") == len - 2)
			return 0;
	}
	return err_set(err, -EINVAL,
		       "'%.64s' is not an address: expected \"host:port\" or the path of a socket",
		       text);
}

int check_ports(const char *text, struct err *err)
{
	struct port_range ports;

	return port_range_parse(text, &ports, err);
}

int check_propagate(const char *text, struct err *err)
{
	uint32_t set;

	return rlimit_parse(text, &set, err);
}

int check_resource_unit(const char *text, struct err *err)
{
	if (strcmp(text, "count") == 0 || strcmp(text, "size") == 0)
		return 0;
	return err_set(err, -EINVAL, "'%.64s': expected count or size", text);
}

int check_groups(const char *text, struct err *err)
{
	if (strcmp(text, "both") == 0 || strcmp(text, "controller") == 0)
		return 0;
	return err_set(err, -EINVAL, "'%.64s': expected both or controller", text);
}

int check_cpu_containment(const char *text, struct err *err)
{
	if (strcmp(text, "bind") == 0 || strcmp(text, "quota") == 0 || strcmp(text, "weight") == 0)
		return 0;
	return err_set(err, -EINVAL, "'%.64s': expected bind, quota or weight", text);
}

int check_taint(const char *text, struct err *err)
{
	struct taint_words words;

	return taint_parse(text, &words, err);
}

int check_permission(const char *text, struct err *err)
{
	struct permit permit;

	return permit_parse(text, &permit, err);
}

int check_submit_rate(const char *text, struct err *err)
{
	int64_t rate;

	return quota_parse(quota_of_kind(QUOTA_SUBMIT_RATE), text, &rate, err);
}

int check_amount(const char *text, struct err *err)
{
	struct amount a;

	return amount_parse(text, &a, err);
}

int check_share(const char *text, struct err *err)
{
	struct share s;

	return share_parse(text, &s, err);
}

int check_label(const char *text, struct err *err)
{
	const char *eq = strchr(text, '=');

	if (eq && is_name(text, (size_t)(eq - text)) && strlen(eq + 1) <= NAME_LEN)
		return 0;
	return err_set(err, -EINVAL, "'%.64s' is not a label: expected \"key=value\"", text);
}

int check_printable(const char *text, struct err *err)
{
	for (const unsigned char *p = (const unsigned char *)text; *p;) {
		uint32_t code;
		size_t n = utf8_char(p, UTF8_MAX, &code);

		if (!n || visible_is_control(code))
			return err_set(err, -EINVAL,
				       "the text holds the byte 0x%02x: expected "
				       "UTF-8 without control characters",
				       *p);
		if (visible_is_hidden(code))
			return err_set(err, -EINVAL,
				       "the text holds the invisible character U+%04" PRIX32
				       ": expected UTF-8 without formatting characters",
				       code);
		p += n;
	}
	return 0;
}
