/*
 * The GPU that a program is shown: what it may ask the CUDA runtime about, as the configuration of
 * the run has it. It travels from rubato to the runtime in the program as a line of text:
 * "arch=70 clock_khz=1380000 ... name=V100".
 */
#ifndef RUBATO_SHOWN_DEVICE_H
#define RUBATO_SHOWN_DEVICE_H

#include "sim/core/err.h"
#include "sim/gpu/gpu_params.h"

/* N(field, least, most) */
#define SHOWN_DEVICE_NUMBERS(N)                                                                    \
    N(arch, 70, 99)            /* compute capability times ten */                                  \
    N(clock_khz, 1, INT32_MAX) /* of the SMs */                                                    \
    N(sms, 1, 65536)                                                                               \
    N(sub_cores, 1, 64) /* of an SM, and so the next eight */                                      \
    N(warps, 1, 65536)                                                                             \
    N(blocks, 1, 65536)                                                                            \
    N(registers, 1, INT32_MAX)                                                                     \
    N(register_unit, 1, INT32_MAX)                                                                 \
    N(shared, 0, INT32_MAX)          /* bytes: the largest carve-out */                            \
    N(shared_unit, 1, INT32_MAX)     /* bytes */                                                   \
    N(shared_reserved, 0, INT32_MAX) /* bytes of each block */                                     \
    N(l1_enabled, 0, 1)                                                                            \
    N(fp64_ratio, 1, INT32_MAX)  /* results a cycle, single to double precision */                 \
    N(l2, 0, INT64_MAX)          /* bytes */                                                       \
    N(memory, 1, INT64_MAX)      /* bytes */                                                       \
    N(memory_khz, 1, INT64_MAX)  /* as CUDA has it: two transfers a cycle */                       \
    N(memory_bits, 1, INT64_MAX) /* width of the bus */

#define SHOWN_DEVICE_FIELD_(field, least, most) uint64_t field;
typedef struct {
    SHOWN_DEVICE_NUMBERS(SHOWN_DEVICE_FIELD_)
    char name[PARAM_TEXT_MAX];
} shown_device_t;

enum { SHOWN_DEVICE_TEXT = 1024 };

/* What a resolved configuration shows. */
void shown_device_of(const gpu_spec_t *spec, shown_device_t *d);

void shown_device_write(const shown_device_t *d, char text[SHOWN_DEVICE_TEXT]);

/* Reads what shown_device_write() wrote. RB_CONFIG: it is something else. */
RB_CHECKED rb_code_t shown_device_read(shown_device_t *d, const char *text, rb_err_t *err);

/* Threads that a block may have at most. */
uint32_t shown_device_threads(const shown_device_t *d);

/* Bytes of shared memory that a block may have at most; that it may have without asking for more
 * than CUDA gives every kernel. */
uint64_t shown_device_block_shared(const shown_device_t *d);
uint64_t shown_device_plain_shared(const shown_device_t *d);

/*
 * Blocks of a kernel that an SM holds at once; 0: not one. threads: of a block, at most
 * shown_device_threads(); regs: of a thread; shared: bytes of a block.
 */
uint32_t shown_device_blocks(const shown_device_t *d, uint32_t threads, uint32_t regs,
                             uint64_t shared);

#endif
