#include "tests/support/test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/mem/mem_params.h"
#include "sim/parts/addr_map.h"

static uint64_t rng_state = 88172645463325252u;

static uint64_t rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return rng_state;
}

/* n(x) mod p(x) over GF(2), by long division. */
static uint32_t remainder_gf2(uint64_t n, uint32_t p, int degree)
{
    for (int bit = 63; bit >= degree; bit--) {
        if (n >> bit & 1)
            n ^= (uint64_t)p << (bit - degree);
    }
    return (uint32_t)n;
}

static void ipoly_equals_its_definition_bit_by_bit(void **state)
{
    (void)state;
    const struct {
        uint32_t slices, polynomial;
        int degree;
    } known[] = {{16, 19, 4}, {32, 37, 5}, {64, 67, 6}, {128, 131, 7}};
    for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
        addr_map_t m;
        addr_map_init(&m, known[k].slices / 2, known[k].slices, 256, HASH_IPOLY);
        for (int bit = 0; bit < 64; bit++)
            assert_int_equal(
                addr_map_slice(&m, UINT64_C(1) << bit),
                remainder_gf2((UINT64_C(1) << bit) / 256, known[k].polynomial, known[k].degree));
        for (int i = 0; i < 2000; i++) {
            uint64_t a = rng();
            assert_int_equal(addr_map_slice(&m, a),
                             remainder_gf2(a / 256, known[k].polynomial, known[k].degree));
        }
    }
}

/* The memory modules of a V100 as listed in Jain 2019: for each bit of the module number, from
 * the lowest on, the address bits whose XOR it is; 0 ends a list. */
static const uint8_t module_bits[5][12] = {
    {10, 13, 17, 19, 24, 25, 26, 29, 30, 32, 33}, {11, 13, 15, 23, 24, 26, 27, 29, 30, 31},
    {12, 15, 16, 18, 20, 21, 23, 26, 28, 29, 30}, {13, 19, 20, 22, 25, 27, 28, 29},
    {15, 18, 22, 23, 26, 29, 30, 31, 32, 33},
};

static uint32_t module_of(uint64_t a)
{
    uint32_t module = 0;
    for (uint32_t m = 0; m < 5; m++)
        for (const uint8_t *bit = module_bits[m]; *bit != 0; bit++)
            module ^= (uint32_t)(a >> *bit & 1) << m;
    return module;
}

static void a_gv100_has_the_modules_of_a_v100(void **state)
{
    (void)state;
    addr_map_t m;
    addr_map_init(&m, 64, 64, 512, HASH_GV100);
    for (uint32_t bit = 0; bit < 64; bit++)
        assert_int_equal(addr_map_slice(&m, UINT64_C(1) << bit) >> 1,
                         module_of(UINT64_C(1) << bit));
    for (int i = 0; i < 5000; i++) {
        const uint64_t a = rng();
        const uint32_t slice = addr_map_slice(&m, a), local_slice = addr_map_slice(&m, a ^ 512);
        assert_int_equal(slice >> 1, module_of(a));
        assert_int_equal(local_slice, slice ^ 1); /* the other half of the KiB */
        assert_int_equal(addr_map_global(&m, slice, addr_map_slice_local(&m, a)), a);
    }
}

/* In 16 KiB, half of the modules have one KiB each; in 64 KiB, every slice has two blocks. */
static void a_gv100_spreads_64_kib_evenly(void **state)
{
    (void)state;
    addr_map_t m;
    addr_map_init(&m, 64, 64, 512, HASH_GV100);
    for (int run = 0; run < 50; run++) {
        const uint64_t first = (rng() >> 24) * 65536;
        uint8_t blocks[64] = {0};
        uint64_t locals[64][2];
        for (uint64_t b = 0; b < 128; b++) {
            const uint64_t a = first + b * 512;
            const uint32_t slice = addr_map_slice(&m, a);
            assert_true(blocks[slice] < (b < 32 ? 1 : 2));
            locals[slice][blocks[slice]++] = addr_map_slice_local(&m, a);
        }
        for (uint32_t s = 0; s < 64; s++)
            assert_int_equal(locals[s][0] ^ locals[s][1], 512); /* side by side */
    }
}

/* A polynomial is irreducible if x generates a field: then no aligned stride hits only one
 * slice. */
static void power_of_two_strides_reach_every_slice_of_a_power_of_two(void **state)
{
    (void)state;
    for (uint32_t bits = 1; bits <= 10; bits++) {
        addr_map_t m;
        addr_map_init(&m, 1u << (bits - 1), 1u << bits, 256, HASH_IPOLY);
        for (uint32_t shift = 0; shift + bits + 8 <= 64; shift++) {
            uint8_t seen[1024] = {0};
            for (uint64_t i = 0; i < m.slices; i++) {
                uint32_t slice = addr_map_slice(&m, i << (shift + 8));
                assert_true(slice < m.slices);
                assert_int_equal(seen[slice]++, 0);
            }
        }
    }
}

static void every_aligned_run_of_blocks_visits_each_slice_once(void **state)
{
    (void)state;
    const uint32_t counts[] = {1, 2, 3, 12, 16, 22, 24, 44, 48, 64, 80, 96};
    for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
        for (uint32_t hash = HASH_NONE; hash <= HASH_IPOLY; hash++) {
            addr_map_t m;
            addr_map_init(&m, 1, counts[k], 512, hash);
            for (int run = 0; run < 50; run++) {
                uint64_t first = rng() % (UINT64_C(1) << 40) * m.slices;
                uint8_t seen[1024] = {0};
                for (uint64_t i = 0; i < m.slices; i++)
                    assert_int_equal(seen[addr_map_slice(&m, (first + i) * 512)]++, 0);
            }
        }
    }
}

/* Many at once take other tables. Runs of near addresses, and jumps of all bits. */
static void many_addresses_have_the_slices_of_each(void **state)
{
    (void)state;
    enum { N = 4096 };
    static uint64_t addr[N], local[N];
    static uint32_t slice[N];
    const uint32_t counts[] = {1, 64, 2, 12, 16, 24, 96, 1024};
    for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
        for (uint32_t hash = HASH_NONE; hash <= (k == 1 ? HASH_GV100 : HASH_IPOLY); hash++) {
            addr_map_t m;
            addr_map_init(&m, 1, counts[k], 256u << k, hash);
            for (size_t i = 0; i < N; i++)
                addr[i] = i % 8 == 0 ? rng() >> rng() % 40 : addr[i - 1] + rng() % 8192;
            addr_map_slices(&m, addr, slice, local, N);
            for (size_t i = 0; i < N; i++) {
                assert_int_equal(slice[i], addr_map_slice(&m, addr[i]));
                assert_int_equal(local[i], addr_map_slice_local(&m, addr[i]));
            }
        }
    }
}

/* Blocks at a stride, counted per slice: none gets much more than its share. */
static void strides_are_spread_over_any_number_of_slices(void **state)
{
    (void)state;
    const uint32_t counts[] = {24, 44, 48};
    for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
        addr_map_t m;
        addr_map_init(&m, counts[k] / 2, counts[k], 256, HASH_IPOLY);
        for (uint64_t stride = 1; stride <= 65536; stride *= 2) {
            for (int times = 0; times < 2; times++) {
                const uint32_t n = 100 * m.slices;
                uint64_t step = stride * 256 * (times == 0 ? 1 : m.slices);
                uint32_t count[1024] = {0}, most = 0;
                for (uint64_t i = 0; i < n; i++)
                    count[addr_map_slice(&m, i * step)]++;
                for (uint32_t s = 0; s < m.slices; s++)
                    most = most > count[s] ? most : count[s];
                if (most * m.slices > n * 3 / 2)
                    fail_msg("%u slices, step %llu: one slice gets %u of %u", m.slices,
                             (unsigned long long)step, most, n);
            }
        }
    }
}

static void without_hash_blocks_go_round_robin(void **state)
{
    (void)state;
    addr_map_t m;
    addr_map_init(&m, 12, 24, 1024, HASH_NONE);
    for (uint64_t i = 0; i < 10000; i++)
        assert_int_equal(addr_map_slice(&m, i * 1024 + i % 1024), i % 24);
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void local_addresses_are_dense_and_never_shared(void **state)
{
    (void)state;
    const uint32_t counts[] = {2, 24, 44, 64};
    for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
        addr_map_t m;
        addr_map_init(&m, counts[k] / 2, counts[k], 256, HASH_IPOLY);
        const uint64_t lines = 300 * (uint64_t)m.slices * 2; /* 300 blocks of two lines each */
        for (uint32_t partition = 0; partition < m.partitions; partition += 5) {
            uint64_t *local = malloc(lines * sizeof(*local));
            size_t n = 0;
            for (uint64_t i = 0; i < lines; i++) {
                if (addr_map_slice(&m, i * 128) / m.slices_per_partition == partition)
                    local[n++] = addr_map_local(&m, i * 128);
            }
            assert_int_equal(n, lines / m.partitions);
            qsort(local, n, sizeof(*local), compare);
            for (size_t i = 0; i < n; i++)
                assert_int_equal(local[i], i * 128);
            free(local);
        }
    }
}

static void global_address_is_the_inverse_for_any_address(void **state)
{
    (void)state;
    const uint32_t counts[] = {1, 3, 24, 44, 64, 1000, 1024};
    for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
        for (uint32_t hash = HASH_NONE; hash <= HASH_IPOLY; hash++) {
            addr_map_t m;
            addr_map_init(&m, 1, counts[k], 128, hash);
            for (int i = 0; i < 5000; i++) {
                uint64_t a = i < 10 ? UINT64_MAX - (uint64_t)i : rng() >> rng() % 64;
                uint32_t slice = addr_map_slice(&m, a);
                uint64_t local = addr_map_slice_local(&m, a);
                assert_true(slice < m.slices);
                assert_int_equal(addr_map_global(&m, slice, local), a);
                uint32_t nth = slice % m.slices_per_partition;
                assert_int_equal(addr_map_local(&m, a), addr_map_partition_local(&m, nth, local));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ipoly_equals_its_definition_bit_by_bit),
        cmocka_unit_test(a_gv100_has_the_modules_of_a_v100),
        cmocka_unit_test(a_gv100_spreads_64_kib_evenly),
        cmocka_unit_test(power_of_two_strides_reach_every_slice_of_a_power_of_two),
        cmocka_unit_test(every_aligned_run_of_blocks_visits_each_slice_once),
        cmocka_unit_test(many_addresses_have_the_slices_of_each),
        cmocka_unit_test(strides_are_spread_over_any_number_of_slices),
        cmocka_unit_test(without_hash_blocks_go_round_robin),
        cmocka_unit_test(local_addresses_are_dense_and_never_shared),
        cmocka_unit_test(global_address_is_the_inverse_for_any_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
