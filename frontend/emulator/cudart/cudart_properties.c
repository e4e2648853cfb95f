/*
 * The properties and attributes of the emulated device. Values of the run's configuration come from
 * there; the others are the same for the whole generation ("CUDA C++ Programming Guide", technical
 * specifications of compute capability 7.x).
 */
#include <string.h>

#include "frontend/emulator/cudart/cudart_state.h"

/* Major version of the runtime that this library replaces; it decides the layout of structures. */
#ifndef RUBATO_CUDART_MAJOR
#error "RUBATO_CUDART_MAJOR is set by the build"
#endif

CUDART_EXPORT cuda_error_t cudaGetDeviceCount(int *n);
CUDART_EXPORT cuda_error_t cudaGetDevice(int *device);
CUDART_EXPORT cuda_error_t cudaSetDevice(int device);
CUDART_EXPORT cuda_error_t cudaChooseDevice(int *device, const void *properties);
CUDART_EXPORT cuda_error_t cudaRuntimeGetVersion(int *version);
CUDART_EXPORT cuda_error_t cudaDriverGetVersion(int *version);
CUDART_EXPORT cuda_error_t cudaDeviceGetAttribute(int *value, int attribute, int device);
CUDART_EXPORT cuda_error_t cudaGetDeviceProperties(void *properties, int device);
CUDART_EXPORT cuda_error_t cudaGetDeviceProperties_v2(void *properties, int device);

cuda_error_t cudaGetDeviceCount(int *n)
{
    if (n != NULL)
        *n = 1;
    return cudart_fail_if(n == NULL);
}

cuda_error_t cudaGetDevice(int *device)
{
    if (device != NULL)
        *device = 0;
    return cudart_fail_if(device == NULL);
}

/* Since CUDA 12, this call creates the context. */
cuda_error_t cudaSetDevice(int device)
{
    cudart_state_t *s = RUBATO_CUDART_MAJOR >= 12 ? cudart_enter_context() : cudart_enter();

    return cudart_leave(s, device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE);
}

cuda_error_t cudaChooseDevice(int *device, const void *properties)
{
    if (device == NULL || properties == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *device = 0;
    return CUDA_SUCCESS;
}

/* Reports the latest version with this binary interface: programs check for a minimum. */
cuda_error_t cudaRuntimeGetVersion(int *version)
{
    static const int last_minor[] = {[10] = 2, [11] = 8, [12] = 9, [13] = 0};

    if (version == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *version = RUBATO_CUDART_MAJOR * 1000 + last_minor[RUBATO_CUDART_MAJOR] * 10;
    return CUDA_SUCCESS;
}

cuda_error_t cudaDriverGetVersion(int *version)
{
    return cudaRuntimeGetVersion(version);
}

/* --- struct cudaDeviceProp ------------------------------------------------------------------- */

#if RUBATO_CUDART_MAJOR >= 13
#define UNTIL_12(member)
#else
#define UNTIL_12(member) int member;
#endif
#if RUBATO_CUDART_MAJOR >= 11
#define FROM_11(type, member) type member;
#else
#define FROM_11(type, member)
#endif

typedef struct {
    char name[256];
    char uuid[16], luid[8];
    unsigned luid_mask;
    size_t memory, block_shared;
    int block_registers, warp_size;
    size_t pitch;
    int block_threads, block_size[3], grid_size[3];
    UNTIL_12(clock_khz)
    size_t constant_memory;
    int major, minor;
    size_t texture_alignment, texture_pitch_alignment;
    UNTIL_12(overlap)
    int sms;
    UNTIL_12(timeout)
    int integrated, maps_host;
    UNTIL_12(compute_mode)
    int texture_1d, texture_1d_mipmap;
    UNTIL_12(texture_1d_linear)
    int texture_2d[2], texture_2d_mipmap[2], texture_2d_linear[3], texture_2d_gather[2];
    int texture_3d[3], texture_3d_other[3], texture_cube;
    int texture_1d_layered[2], texture_2d_layered[3], texture_cube_layered[2];
    int surface_1d, surface_2d[2], surface_3d[3];
    int surface_1d_layered[2], surface_2d_layered[3], surface_cube, surface_cube_layered[2];
    size_t surface_alignment;
    int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc;
    int copy_engines, unified_addressing;
    UNTIL_12(memory_khz)
    int memory_bits, l2;
    FROM_11(int, l2_persisting)
    int threads;
    int stream_priorities, global_l1, local_l1;
    size_t shared;
    int registers, managed_memory, multi_gpu_board, multi_gpu_group, host_atomics;
    UNTIL_12(fp64_ratio)
    int pageable_memory, concurrent_managed, preemption, registered_pointers;
    int cooperative_launch;
    UNTIL_12(cooperative_launch_of_many)
    size_t block_shared_optin;
    int pageable_by_host_tables, managed_from_host;
    FROM_11(int, blocks)
    FROM_11(int, l2_window)
    FROM_11(size_t, shared_reserved)
#if RUBATO_CUDART_MAJOR >= 12
    int registered_memory, sparse_arrays, registered_read_only, timeline_semaphores, memory_pools;
    int others[71];
#endif
} properties_t;

/* From the toolkits' headers: the size, and one member after most differences. */
#if RUBATO_CUDART_MAJOR >= 13
_Static_assert(sizeof(properties_t) == 1008 && offsetof(properties_t, block_shared_optin) == 672,
               "cudaDeviceProp of CUDA 13");
#elif RUBATO_CUDART_MAJOR == 12
_Static_assert(sizeof(properties_t) == 1032 && offsetof(properties_t, block_shared_optin) == 696,
               "cudaDeviceProp of CUDA 12");
#elif RUBATO_CUDART_MAJOR == 11
_Static_assert(sizeof(properties_t) == 728 && offsetof(properties_t, block_shared_optin) == 696,
               "cudaDeviceProp of CUDA 11");
#else
_Static_assert(sizeof(properties_t) == 712 && offsetof(properties_t, block_shared_optin) == 696,
               "cudaDeviceProp of CUDA 10");
#endif

/* --- what there is to know ------------------------------------------------------------------- */

/* A property, an attribute (enum cudaDeviceAttr), or both. */
typedef struct {
    int attribute;        /* 0: not an attribute */
    size_t offset, bytes; /* of the property; bytes 0: not a property */
    uint64_t value;
} fact_t;

typedef void (*fact_fn)(void *ctx, const fact_t *fact);

#define MEMBER(member) offsetof(properties_t, member), sizeof(((properties_t *)0)->member)
#define BOTH(attribute, member, value)                                                             \
    {                                                                                              \
        attribute, MEMBER(member), value                                                           \
    }
#define ATTRIBUTE(attribute, value)                                                                \
    {                                                                                              \
        attribute, 0, 0, value                                                                     \
    }
#if RUBATO_CUDART_MAJOR >= 13
#define BOTH_UNTIL_12(attribute, member, value) ATTRIBUTE(attribute, value)
#else
#define BOTH_UNTIL_12(attribute, member, value) BOTH(attribute, member, value)
#endif
#if RUBATO_CUDART_MAJOR >= 11
#define BOTH_FROM_11(attribute, member, value) BOTH(attribute, member, value)
#else
#define BOTH_FROM_11(attribute, member, value) ATTRIBUTE(attribute, value)
#endif

static void visit(const fact_t *facts, size_t n, fact_fn fn, void *ctx)
{
    for (size_t i = 0; i < n; i++)
        fn(ctx, &facts[i]);
}

/* Values from the configuration. */
static void visit_configured(const shown_device_t *d, fact_fn fn, void *ctx)
{
    const uint64_t threads = shown_device_threads(d);
    const fact_t facts[] = {
        {0, MEMBER(memory), d->memory},
        BOTH(1, block_threads, threads),
        BOTH(2, block_size[0], threads),
        BOTH(3, block_size[1], threads),
        BOTH(8, block_shared, shown_device_plain_shared(d)),
        BOTH(12, block_registers, d->registers),
        BOTH_UNTIL_12(13, clock_khz, d->clock_khz),
        BOTH(16, sms, d->sms),
        BOTH_UNTIL_12(36, memory_khz, d->memory_khz),
        BOTH(37, memory_bits, d->memory_bits),
        BOTH(38, l2, d->l2),
        BOTH(39, threads, d->warps * 32),
        BOTH(75, major, d->arch / 10),
        BOTH(76, minor, d->arch % 10),
        BOTH(79, global_l1, d->l1_enabled),
        BOTH(81, shared, d->shared),
        BOTH(82, registers, d->registers),
        BOTH_UNTIL_12(87, fp64_ratio, d->fp64_ratio),
        BOTH(97, block_shared_optin, shown_device_block_shared(d)),
        BOTH_FROM_11(106, blocks, d->blocks),
        BOTH_FROM_11(111, shared_reserved, d->shared_reserved),
    };

    visit(facts, sizeof(facts) / sizeof(facts[0]), fn, ctx);
}

/* Values for all of compute capability 7.x, and the abilities of this runtime. */
static void visit_general(fact_fn fn, void *ctx)
{
    static const fact_t facts[] = {
        BOTH(4, block_size[2], 64),
        BOTH(5, grid_size[0], INT32_MAX),
        BOTH(6, grid_size[1], 65535),
        BOTH(7, grid_size[2], 65535),
        BOTH(9, constant_memory, 64 << 10),
        BOTH(10, warp_size, 32),
        BOTH(11, pitch, INT32_MAX),
        BOTH(14, texture_alignment, 512),
        BOTH_UNTIL_12(15, overlap, 1),
        BOTH(19, maps_host, 1),
        BOTH(30, surface_alignment, 512),
        BOTH(31, concurrent_kernels, 1),
        BOTH(40, copy_engines, 3),
        BOTH(41, unified_addressing, 1),
        BOTH(51, texture_pitch_alignment, 32),
        BOTH(78, stream_priorities, 1),
        BOTH(80, local_l1, 1),
        BOTH(83, managed_memory, 1),
        BOTH(90, preemption, 1),
        BOTH(95, cooperative_launch, 1),
#if RUBATO_CUDART_MAJOR >= 12
        BOTH(115, memory_pools, 1),
#else
        ATTRIBUTE(115, 1),
#endif
    };

    visit(facts, sizeof(facts) / sizeof(facts[0]), fn, ctx);
}

/* Maximum sizes of textures and surfaces. */
static void visit_textures(fact_fn fn, void *ctx)
{
    static const fact_t facts[] = {
        BOTH(21, texture_1d, 131072),
        BOTH(22, texture_2d[0], 131072),
        BOTH(23, texture_2d[1], 65536),
        BOTH(24, texture_3d[0], 16384),
        BOTH(25, texture_3d[1], 16384),
        BOTH(26, texture_3d[2], 16384),
        BOTH(27, texture_2d_layered[0], 32768),
        BOTH(28, texture_2d_layered[1], 32768),
        BOTH(29, texture_2d_layered[2], 2048),
        BOTH(42, texture_1d_layered[0], 32768),
        BOTH(43, texture_1d_layered[1], 2048),
        BOTH(45, texture_2d_gather[0], 32768),
        BOTH(46, texture_2d_gather[1], 32768),
        BOTH(47, texture_3d_other[0], 8192),
        BOTH(48, texture_3d_other[1], 8192),
        BOTH(49, texture_3d_other[2], 32768),
        BOTH(52, texture_cube, 32768),
        BOTH(53, texture_cube_layered[0], 32768),
        BOTH(54, texture_cube_layered[1], 2046),
        BOTH(55, surface_1d, 32768),
        BOTH(56, surface_2d[0], 131072),
        BOTH(57, surface_2d[1], 65536),
        BOTH(58, surface_3d[0], 16384),
        BOTH(59, surface_3d[1], 16384),
        BOTH(60, surface_3d[2], 16384),
        BOTH(61, surface_1d_layered[0], 32768),
        BOTH(62, surface_1d_layered[1], 2048),
        BOTH(63, surface_2d_layered[0], 32768),
        BOTH(64, surface_2d_layered[1], 32768),
        BOTH(65, surface_2d_layered[2], 2048),
        BOTH(66, surface_cube, 32768),
        BOTH(67, surface_cube_layered[0], 32768),
        BOTH(68, surface_cube_layered[1], 2046),
        BOTH_UNTIL_12(69, texture_1d_linear, 1 << 28),
        BOTH(70, texture_2d_linear[0], 131072),
        BOTH(71, texture_2d_linear[1], 65000),
        BOTH(72, texture_2d_linear[2], 2097120),
        BOTH(73, texture_2d_mipmap[0], 32768),
        BOTH(74, texture_2d_mipmap[1], 32768),
        BOTH(77, texture_1d_mipmap, 32768),
    };

    visit(facts, sizeof(facts) / sizeof(facts[0]), fn, ctx);
}

static void visit_all(const shown_device_t *d, fact_fn fn, void *ctx)
{
    visit_configured(d, fn, ctx);
    visit_general(fn, ctx);
    visit_textures(fn, ctx);
}

/* --- asking ---------------------------------------------------------------------------------- */

static int as_int(uint64_t value)
{
    return value > INT32_MAX ? INT32_MAX : (int)value;
}

static void put_property(void *ctx, const fact_t *fact)
{
    char *at = (char *)ctx + fact->offset;
    int number = as_int(fact->value);

    if (fact->bytes == sizeof(fact->value))
        memcpy(at, &fact->value, sizeof(fact->value));
    else if (fact->bytes == sizeof(number))
        memcpy(at, &number, sizeof(number));
}

cuda_error_t cudaGetDeviceProperties(void *properties, int device)
{
    cudart_state_t *s = cudart_enter();

    if (device != 0 || properties == NULL)
        return cudart_leave(s, properties == NULL ? CUDA_ERROR_INVALID_VALUE
                                                  : CUDA_ERROR_INVALID_DEVICE);
    const shown_device_t *d = cudart_device(s);
    memset(properties, 0, sizeof(properties_t));
    memcpy(properties, d->name, sizeof(d->name));
    visit_all(d, put_property, properties);
    return cudart_leave(s, CUDA_SUCCESS);
}

/* The name from CUDA 12 on. */
cuda_error_t cudaGetDeviceProperties_v2(void *properties, int device)
{
    return cudaGetDeviceProperties(properties, device);
}

typedef struct {
    int attribute, value;
} wanted_t;

static void take_attribute(void *ctx, const fact_t *fact)
{
    wanted_t *wanted = ctx;

    if (fact->attribute == wanted->attribute)
        wanted->value = as_int(fact->value);
}

/* Features that do not exist are 0. */
cuda_error_t cudaDeviceGetAttribute(int *value, int attribute, int device)
{
    enum { LAST_ATTRIBUTE = 150 }; /* of the newest version, approximately */
    cudart_state_t *s = cudart_enter();
    wanted_t wanted = {.attribute = attribute};

    if (device != 0)
        return cudart_leave(s, CUDA_ERROR_INVALID_DEVICE);
    if (attribute <= 0 || attribute > LAST_ATTRIBUTE || value == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    visit_all(cudart_device(s), take_attribute, &wanted);
    *value = wanted.value;
    return cudart_leave(s, CUDA_SUCCESS);
}
