/* The datagrams that the launcher, which keeps root, takes from the network process. */
#include "armd/pipe/pipe.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pipe_msg m;
	static uint8_t bytes[PIPE_DATAGRAM];

	/* What decodes is encoded to the same bytes: there is one way to say a thing. */
	for (int from_launcher = 0; from_launcher < 2; from_launcher++)
		if (pipe_decode(data, size, from_launcher, &m) &&
		    (pipe_encode(&m, bytes) != size || memcmp(bytes, data, size) != 0))
			abort();
	return 0;
}
