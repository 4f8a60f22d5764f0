/*
 * A warning about MPI programs (mpi_warning.h).
 *
 * Input: the name of a program. Its file is found as exec would find it, and read, never executed: the
 * names of its libraries are in the dynamic section of an ELF file (elf(5)). Output: at most one line on
 * stderr. A program that is not on this machine, or of another word size or byte order, gives none; nor
 * do programs that load MPI later, such as interpreters.
 */
#include "cmd/common/mpi_warning.h"

#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

/* Bounds for files that are not programs at all. */
enum { SEGMENTS_MAX = 256, ENTRIES_MAX = 4096 };

#define MPI_PREFIX "libmpi"
/* libmpi.so, libmpich.so, libmpifort.so, libmpi_cxx.so: all begin so */
enum { PREFIX_LEN = sizeof(MPI_PREFIX) - 1 };

struct image {
	int fd;
	size_t count;
	ElfW(Phdr) segments[SEGMENTS_MAX];
};

static bool read_at(int fd, void *out, size_t size, uint64_t at)
{
	return at <= INT64_MAX && pread(fd, out, size, (off_t)at) == (ssize_t)size;
}

static bool read_head(struct image *im)
{
	const unsigned char own = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	const unsigned char order =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	ElfW(Ehdr) head;

	if (!read_at(im->fd, &head, sizeof(head), 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
	    head.e_ident[EI_CLASS] != own || head.e_ident[EI_DATA] != order ||
	    head.e_phentsize != sizeof(im->segments[0]) || head.e_phnum > SEGMENTS_MAX)
		return false;
	im->count = head.e_phnum;
	return read_at(im->fd, im->segments, im->count * sizeof(im->segments[0]), head.e_phoff);
}

/* The place in the file of an address in memory. */
static bool find_place(const struct image *im, uint64_t address, uint64_t *ret_at)
{
	for (size_t i = 0; i < im->count; i++) {
		const ElfW(Phdr) *p = &im->segments[i];

		if (p->p_type != PT_LOAD || address < p->p_vaddr ||
		    address - p->p_vaddr >= p->p_filesz)
			continue;
		*ret_at = p->p_offset + (address - p->p_vaddr);
		return true;
	}
	return false;
}

static bool needs_mpi(const struct image *im, const ElfW(Phdr) * dynamic)
{
	size_t count = dynamic->p_filesz / sizeof(ElfW(Dyn));
	CLEANUP_FREE ElfW(Dyn) *list = NULL;
	uint64_t names = 0;
	char name[PREFIX_LEN];
	bool found = false;

	if (count > ENTRIES_MAX)
		return false;
	list = xcalloc(count + 1, sizeof(*list));
	if (!read_at(im->fd, list, count * sizeof(*list), dynamic->p_offset))
		return false;
	for (size_t i = 0; i < count; i++)
		if (list[i].d_tag == DT_STRTAB)
			found = find_place(im, list[i].d_un.d_ptr, &names);
	for (size_t i = 0; found && i < count && list[i].d_tag != DT_NULL; i++)
		if (list[i].d_tag == DT_NEEDED &&
		    read_at(im->fd, name, sizeof(name), names + list[i].d_un.d_val) &&
		    memcmp(name, MPI_PREFIX, PREFIX_LEN) == 0)
			return true;
	return false;
}

static bool is_mpi_program(const char *path)
{
	struct image im = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
	bool is = false;

	if (im.fd < 0)
		return false;
	if (read_head(&im))
		for (size_t i = 0; i < im.count && !is; i++)
			is = im.segments[i].p_type == PT_DYNAMIC && needs_mpi(&im, &im.segments[i]);
	close(im.fd);
	return is;
}

/* The file that exec would run, in `ret_path`; false: none that can be named here. */
static bool find_file(const char *program, const char *dir, char ret_path[PATH_MAX])
{
	const char *list = getenv("PATH");
	size_t len;

	if (strchr(program, '/'))
		return snprintf(ret_path, PATH_MAX, "%s%s%s", dir && *program != '/' ? dir : "",
				dir && *program != '/' ? "/" : "", program) < PATH_MAX;
	for (; list && *list; list += len + (list[len] == ':')) {
		len = strcspn(list, ":");
		if (len && len < PATH_MAX &&
		    snprintf(ret_path, PATH_MAX, "%.*s/%s", (int)len, list, program) < PATH_MAX &&
		    access(ret_path, X_OK) == 0)
			return true;
	}
	return false;
}

/* mpirun and mpiexec may be linked with MPI, too. */
static bool is_launcher(const char *program)
{
	const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;

	return strncmp(name, "mpirun", 6) == 0 || strncmp(name, "mpiexec", 7) == 0 ||
	       strcmp(name, "orterun") == 0 || strcmp(name, "prterun") == 0;
}

void mpi_warning(const struct command *cmd, const char *program, const char *dir, uint32_t tasks)
{
	char path[PATH_MAX];

	if (tasks > 1 && !is_launcher(program) && find_file(program, dir, path) &&
	    is_mpi_program(path))
		command_warn(
			cmd,
			"%s uses MPI, but each of the %u tasks runs it by itself, as rank 0 of "
			"1; start it with mpirun in a script",
			program, tasks);
}
