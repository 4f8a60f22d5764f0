/* Input: a datagram of the network process to the launcher, which runs as root. */
#include "armd/pipe/pipe.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pipe_msg m;
	static uint8_t bytes[PIPE_DATAGRAM];

	/* An accepted datagram must be encoded to the same bytes. */
	for (int from_launcher = 0; from_launcher < 2; from_launcher++)
		if (pipe_decode(data, size, from_launcher, &m) &&
		    (pipe_encode(&m, bytes) != size || memcmp(bytes, data, size) != 0))
			abort();
	return 0;
}
