/* Sizes of the tables of an SM, shared by its rooms. */
#ifndef RUBATO_SM_LIMITS_H
#define RUBATO_SM_LIMITS_H

enum {
    SM_MAX_SUB_CORES = 8,
    SM_MAX_WARPS = 128,
    SM_MAX_BLOCKS = 64,
    SM_BARRIERS = 16,
    SM_MAX_LAUNCHES = 256, /* known to the chip at the same time */
    NO_INDEX = 0xffff,
};

#endif
