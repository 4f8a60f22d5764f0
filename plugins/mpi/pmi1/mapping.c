/* Makes the text of PMI_process_mapping (mapping.h). A list of equal blocks becomes one block. */
#include "mapping.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool all_equal(const struct armada_mpi_block *blocks, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (memcmp(&blocks[i], &blocks[0], sizeof(blocks[0])) != 0)
			return false;
	return true;
}

bool mapping_text(const struct armada_mpi_block *blocks, size_t count, char *ret_text, size_t size)
{
	size_t len;

	if (count == 0)
		return false;
	if (all_equal(blocks, count))
		count = 1;
	len = (size_t)snprintf(ret_text, size, "(vector");
	for (size_t i = 0; i < count && len < size; i++)
		len += (size_t)snprintf(ret_text + len, size - len,
					",(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", blocks[i].node,
					blocks[i].nodes, blocks[i].ranks);
	if (len < size)
		len += (size_t)snprintf(ret_text + len, size - len, ")");
	return len < size;
}
