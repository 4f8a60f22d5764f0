/* The places of the ranks as the key PMI_process_mapping says them. */
#pragma once

#include <armada/mpi.h>
#include <stdbool.h>

/*
 * "(vector,(0,2,4))": 4 ranks on each of 2 nodes from node 0 on; a client repeats the list until all
 * ranks have a node. False if the nodes are unknown or the text does not fit; MPICH then compares the
 * names of the hosts.
 */
bool mapping_text(const struct armada_mpi_block *blocks, size_t count, char *ret_text, size_t size);
