#include "tap/tap.h"
#include "util/splitmix.h"

#include <inttypes.h>
#include <stdio.h>

int main(void)
{
	uint64_t state = 1234567;
	char text[64];

	/* values of the authors' program */
	snprintf(text, sizeof(text), "%" PRIu64, splitmix_next(&state));
	is_str(text, "6457827717110365317", "the first number of a seed");
	snprintf(text, sizeof(text), "%" PRIu64, splitmix_next(&state));
	is_str(text, "3203168211198807973", "the second number of a seed");
	is_int(splitmix_mix(0), 0, "0 is mapped to 0");
	return done();
}
