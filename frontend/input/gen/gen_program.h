/*
 * The interface of a kind of workload, and an instance of it: the program whose launches the source
 * delivers. For the files of this folder.
 */
#ifndef RUBATO_GEN_PROGRAM_H
#define RUBATO_GEN_PROGRAM_H

#include "frontend/input/gen/gen.h"
#include "frontend/input/gen/gen_kernel.h"

enum { GEN_MAX_PARAMS = 8, GEN_MAX_COPIES = 12 };

typedef struct gen_program gen_program_t;

typedef struct {
    const char *name, *summary;
    gen_param_t param[GEN_MAX_PARAMS];  /* ends with name NULL; the first is the size */
    const gen_kernel_t *const *kernels; /* all kernels that it launches; ends with NULL */

    /*
     * One of these gives the size at which the largest launch has at least that many blocks. None:
     * it cannot be told.
     */
    uint32_t per_block;  /* a block is for this much of the size, or */
    uint32_t block_side; /* the grid is square, a block this much of its side, or */
    uint64_t (*size_of_blocks)(const uint64_t *value, uint64_t blocks);

    /* Checks what ranges cannot express, lays out memory, sets n_launches and what launch()
     * needs. */
    rb_code_t (*prepare)(gen_program_t *g, rb_err_t *err);

    /* Fills in kernel, shape and arguments of launch id (1 ..); the other members are already
     * set. */
    void (*launch)(const gen_program_t *g, uint64_t id, gen_launch_t *out);
} gen_kind_t;

struct gen_program {
    const gen_kind_t *kind;
    uint64_t value[GEN_MAX_PARAMS]; /* of the kind's parameters */
    uint64_t seed;
    unsigned arch;
    uint64_t n_launches;
    uint64_t top;                     /* end of the used device memory, as an address */
    uint64_t array[GEN_MAX_COPIES];   /* addresses of the kind's arrays, for launch() */
    memcpy_op_t copy[GEN_MAX_COPIES]; /* before launch 1 */
    size_t n_copies;
    void *data; /* owned, one allocation */
};

/* The kind of that name; NULL: there is none. */
const gen_kind_t *gen_find_kind(const char *name);

/* RB_USAGE unless a size or a number of blocks may be given, and the code be of that architecture. */
RB_CHECKED rb_code_t gen_check_spec(const gen_spec_t *spec, rb_err_t *err);

/* Whether a number of blocks gives the size. */
bool gen_has_blocks(const gen_kind_t *kind);

/* Allocates device memory with the layout of cudaMalloc(). */
uint64_t gen_alloc(gen_program_t *g, uint64_t bytes);

/* Like gen_alloc(), for an array that is copied from the host before the first launch. */
uint64_t gen_input(gen_program_t *g, uint64_t bytes);

/* Checks the spec against the kind's table and prepares *g; RB_USAGE. Frees nothing. */
RB_CHECKED rb_code_t gen_program_init(gen_program_t *g, const gen_spec_t *spec, rb_err_t *err);

/* Completes launch id. */
void gen_program_launch(const gen_program_t *g, uint64_t id, gen_launch_t *out);

/* All kinds, in the order of the list: gen_kind_NAME, each in the file of its kernels. */
#define GEN_KINDS(X)                                                                               \
    X(vecadd)                                                                                      \
    X(relu)                                                                                        \
    X(matmul)                                                                                      \
    X(transpose)                                                                                   \
    X(sgemm)                                                                                       \
    X(softmax)                                                                                     \
    X(reduction)                                                                                   \
    X(stencil)                                                                                     \
    X(spmv)                                                                                        \
    X(bfs)                                                                                         \
    X(sssp)                                                                                        \
    X(mst)                                                                                         \
    X(resnet)                                                                                      \
    X(train)                                                                                       \
    X(segments)                                                                                    \
    X(matvec)                                                                                      \
    X(lookups)                                                                                     \
    X(solver)                                                                                      \
    X(decode)

#define GEN_KIND_EXTERN_(name) extern const gen_kind_t gen_kind_##name;
GEN_KINDS(GEN_KIND_EXTERN_)

/* Ends with NULL. */
extern const gen_kind_t *const gen_kinds[];

/* Number of blocks of per_block elements for n elements. */
static inline uint32_t gen_blocks(uint64_t n, uint64_t per_block)
{
    return (uint32_t)((n + per_block - 1) / per_block);
}

/* A one-dimensional launch of kernel over n elements. */
static inline void gen_shape_1d(gen_launch_t *l, const gen_kernel_t *kernel, uint64_t n,
                                uint32_t block)
{
    l->kernel = kernel;
    l->grid[0] = gen_blocks(n, block);
    l->block[0] = block;
}

/* Smallest x with x * x >= n. */
uint64_t gen_square_side(uint64_t n);

#endif
