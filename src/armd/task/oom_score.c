/* Reads and sets oom_score_adj in /proc. */
#include "armd/task/oom_score.h"

#include "util/mem.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* When memory is short, the kernel must kill a task and not a shepherd. */
bool oom_score_set(int score)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	char text[16];
	ssize_t n;

	if (fd < 0)
		return false;
	n = write(fd, text, (size_t)snprintf(text, sizeof(text), "%d", score));
	close(fd);
	return n > 0;
}

int oom_score_get(void)
{
	CLEANUP_FILE FILE *file = fopen("/proc/self/oom_score_adj", "re");
	int score = -1001;

	if (file && fscanf(file, "%d", &score) != 1)
		score = -1001;
	return score;
}
