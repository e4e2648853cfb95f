/*
 * The emulated GPU as a program sees it: the properties that the CUDA runtime reports, from the
 * configuration of the run. rubato passes them to the runtime in the program as a line of text:
 * "arch=70 clock_khz=1380000 ... name=V100".
 */
#ifndef RUBATO_SHOWN_DEVICE_H
#define RUBATO_SHOWN_DEVICE_H

#include "sim/core/err.h"
#include "sim/gpu/gpu_params.h"

/* N(field, least, most) */
#define SHOWN_DEVICE_NUMBERS(N)                                                                    \
    N(arch, 70, 99)            /* compute capability times ten */                                  \
    N(clock_khz, 1, INT32_MAX) /* SM clock */                                                      \
    N(sms, 1, 65536)                                                                               \
    N(sub_cores, 1, 64) /* per SM, like the next eight */                                          \
    N(warps, 1, 65536)                                                                             \
    N(blocks, 1, 65536)                                                                            \
    N(registers, 1, INT32_MAX)                                                                     \
    N(register_unit, 1, INT32_MAX)                                                                 \
    N(shared, 0, INT32_MAX)          /* bytes; the largest carve-out */                            \
    N(shared_unit, 1, INT32_MAX)     /* bytes */                                                   \
    N(shared_reserved, 0, INT32_MAX) /* bytes per block */                                         \
    N(l1_enabled, 0, 1)                                                                            \
    N(fp64_ratio, 1, INT32_MAX)  /* results per cycle, FP32 to FP64 */                             \
    N(l2, 0, INT64_MAX)          /* bytes */                                                       \
    N(memory, 1, INT64_MAX)      /* bytes */                                                       \
    N(memory_khz, 1, INT64_MAX)  /* as in CUDA: two transfers per cycle */                         \
    N(memory_bits, 1, INT64_MAX) /* bus width */

#define SHOWN_DEVICE_FIELD_(field, least, most) uint64_t field;
typedef struct {
    SHOWN_DEVICE_NUMBERS(SHOWN_DEVICE_FIELD_)
    char name[PARAM_TEXT_MAX];
} shown_device_t;

/* Architectures whose code can be executed, each with a GPU that a program sees. */
enum { SHOWN_DEVICE_ARCHS = 4 };
extern const unsigned shown_device_archs[SHOWN_DEVICE_ARCHS];

/* Index of the architecture whose GPU executes code for arch (0: the first one). */
unsigned shown_device_of_arch(unsigned arch);

enum { SHOWN_DEVICE_TEXT = 1024 };

/* Fills in *d from a resolved configuration. */
void shown_device_of(const gpu_spec_t *spec, shown_device_t *d);

void shown_device_write(const shown_device_t *d, char text[SHOWN_DEVICE_TEXT]);

/* Parses the output of shown_device_write(). RB_CONFIG for any other text. */
RB_CHECKED rb_code_t shown_device_read(shown_device_t *d, const char *text, rb_err_t *err);

/* Maximum threads per block. */
uint32_t shown_device_threads(const shown_device_t *d);

/* Maximum bytes of shared memory per block, with and without opt-in. */
uint64_t shown_device_block_shared(const shown_device_t *d);
uint64_t shown_device_plain_shared(const shown_device_t *d);

/*
 * Blocks of a kernel that an SM holds at once; 0: not even one. threads: per block, at most
 * shown_device_threads(); regs: per thread; shared: bytes per block.
 */
uint32_t shown_device_blocks(const shown_device_t *d, uint32_t threads, uint32_t regs,
                             uint64_t shared);

#endif
