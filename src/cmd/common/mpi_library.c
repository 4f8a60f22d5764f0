/*
 * Finds the MPI library of a program (mpi_library.h).
 *
 * Input: the name of a program. Its file is found as exec would find it, and read, never executed: the
 * names of its libraries are in the dynamic section of an ELF file (elf(5)). Output: which MPI library is
 * among them. A program that is not on this machine, or of another word size or byte order, has none; nor
 * have programs that load MPI later, such as interpreters, or through a library of their own.
 */
#include "cmd/common/mpi_library.h"

#include "util/mem.h"
#include "util/units.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

/* Bounds for files that are not programs at all. */
enum { SEGMENTS_MAX = 256, ENTRIES_MAX = 4096 };

/* The versions of the names that MPICH and its relatives have agreed on, and that of Open MPI since 2017. */
enum { MPICH_VERSION = 12, OPEN_MPI_LEAST = 20 };

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

/*
 * The library of a name such as libmpich.so.12, libmpifort.so.12, libmpi_cxx.so.40: by the name for MPICH,
 * else by the number after ".so.".
 */
static enum mpi_library library_of(const char *name)
{
	const char *so = strstr(name, ".so");
	int64_t version;

	if (strncmp(name, "libmpi", 6) != 0 || !so)
		return MPI_LIBRARY_NONE;
	if (strncmp(name, "libmpich", 8) == 0)
		return MPI_LIBRARY_MPICH;
	if (strncmp(so, ".so.", 4) != 0 || parse_int(so + 4, 0, INT32_MAX, &version, NULL) < 0)
		return MPI_LIBRARY_OTHER;
	return version == MPICH_VERSION    ? MPI_LIBRARY_MPICH
	       : version >= OPEN_MPI_LEAST ? MPI_LIBRARY_OPEN_MPI
					   : MPI_LIBRARY_OTHER;
}

/* The whole name at this place of the file; false if it is longer or there is none. */
static bool read_name(const struct image *im, uint64_t at, char ret_name[MPI_LIBRARY_NAME])
{
	ssize_t n = at <= INT64_MAX ? pread(im->fd, ret_name, MPI_LIBRARY_NAME, (off_t)at) : -1;

	return n > 0 && memchr(ret_name, '\0', (size_t)n);
}

static enum mpi_library look(const struct image *im, const ElfW(Phdr) * dynamic,
			     char ret_name[MPI_LIBRARY_NAME])
{
	size_t count = dynamic->p_filesz / sizeof(ElfW(Dyn));
	CLEANUP_FREE ElfW(Dyn) *list = NULL;
	enum mpi_library library = MPI_LIBRARY_NONE;
	uint64_t names = 0;
	bool found = false;

	if (count > ENTRIES_MAX)
		return library;
	list = xcalloc(count + 1, sizeof(*list));
	if (!read_at(im->fd, list, count * sizeof(*list), dynamic->p_offset))
		return library;
	for (size_t i = 0; i < count; i++)
		if (list[i].d_tag == DT_STRTAB)
			found = find_place(im, list[i].d_un.d_ptr, &names);
	for (size_t i = 0; found && i < count && list[i].d_tag != DT_NULL && !library; i++)
		if (list[i].d_tag == DT_NEEDED &&
		    read_name(im, names + list[i].d_un.d_val, ret_name))
			library = library_of(ret_name);
	return library;
}

static enum mpi_library library_in(const char *path, char ret_name[MPI_LIBRARY_NAME])
{
	struct image im = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
	enum mpi_library library = MPI_LIBRARY_NONE;

	if (im.fd < 0)
		return library;
	if (read_head(&im))
		for (size_t i = 0; i < im.count && !library; i++)
			if (im.segments[i].p_type == PT_DYNAMIC)
				library = look(&im, &im.segments[i], ret_name);
	close(im.fd);
	return library;
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

enum mpi_library mpi_library_of(const char *program, const char *dir,
				char ret_name[MPI_LIBRARY_NAME])
{
	char path[PATH_MAX];

	if (is_launcher(program) || !find_file(program, dir, path))
		return MPI_LIBRARY_NONE;
	return library_in(path, ret_name);
}
