/*
 * CRC-32C (Castagnoli), as in RFC 3720: crc32c(0, "123456789", 9) is 0xe3069283. A long text may be given
 * in pieces; crc is then the result of the previous call.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

uint32_t crc32c(uint32_t crc, const void *data, size_t len);
/* The same without the processor's instruction. */
uint32_t crc32c_table(uint32_t crc, const void *data, size_t len);
