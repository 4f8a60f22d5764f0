/* Reads a range of ports (port_range.h). */
#include "conf/port_range.h"

#include "util/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int port_range_parse(const char *text, struct port_range *ret, struct err *err)
{
	size_t digits = strcspn(text, "-");
	const char *dash = text[digits] ? text + digits : NULL;
	char low[6];
	int64_t first, last;

	snprintf(low, sizeof(low), "%.*s", (int)digits, text);
	if (digits >= sizeof(low) || parse_int(low, 1024, 65535, &first, NULL) < 0 ||
	    parse_int(dash ? dash + 1 : low, 1024, 65535, &last, NULL) < 0 || first > last)
		return err_set(err, -EINVAL,
			       "'%.64s' is not a range of ports: expected two numbers from 1024 to "
			       "65535, such as \"60000-61000\"",
			       text);
	*ret = (struct port_range){(uint16_t)first, (uint16_t)last};
	return 0;
}
