/* Input: a write-ahead log. The scan must return a possible result for any contents. */
#include "../plugins/state/sqlite/walscan.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("wal", MFD_CLOEXEC);
	struct wal_scan scan;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || wal_scan(fd, &scan))
		abort();
	if (scan.committed > scan.frames || scan.torn > scan.frames - scan.committed)
		abort();
	if (scan.damaged && (scan.bad_offset >= size || scan.bad_frame > scan.frames))
		abort();
	if (scan.bad_frame && scan.committed >= scan.bad_frame)
		abort();
	close(fd);
	return 0;
}
