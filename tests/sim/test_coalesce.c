#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "sim/sm/memory/coalesce.h"

enum { FULL = -1 };

static lane_addrs_t lanes_of_list(const uint64_t *addr, unsigned n, unsigned width)
{
    uint64_t rec[33] = {addr_header(ADDR_LIST, n, 0)};
    memcpy(rec + 1, addr, n * sizeof(*addr));
    lane_addrs_t lanes;
    coalesce_decode(rec, width, &lanes);
    return lanes;
}

/* Tiles of all shapes as one record of rows: the lanes of a list. */
static void rows_are_decoded_as_lists_are(void **state)
{
    (void)state;
    for (unsigned row = 2; row <= 16; row++) {
        for (int64_t distance = -1000; distance <= 1000; distance += 250) {
            uint64_t addr[32], rec[33];
            for (unsigned l = 0; l < 32; l++)
                addr[l] = 0x10000 + l / row * (uint64_t)distance + l % row * 12;
            assert_int_equal(addr_pack(addr, 32, rec), 3);
            lane_addrs_t got, list = lanes_of_list(addr, 32, 4);
            coalesce_decode(rec, 4, &got);
            assert_int_equal(got.n, 32);
            assert_int_equal(got.lo, list.lo);
            assert_int_equal(got.hi, list.hi);
            assert_memory_equal(got.addr, addr, sizeof(addr));
            assert_int_equal(coalesce_first(rec), addr[0]);
        }
    }
}

static unsigned sectors_of(const coalesced_t *c)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < c->n; i++)
        n += (unsigned)__builtin_popcount(c->line[i].sectors);
    return n;
}

/* Reference: marks every touched byte of a small memory. */
static unsigned reference_sectors(const uint64_t *addr, unsigned n, unsigned width)
{
    enum { BYTES = 1 << 16 };
    static uint8_t touched[BYTES / SECTOR_BYTES];
    memset(touched, 0, sizeof(touched));
    for (unsigned i = 0; i < n; i++) {
        for (unsigned b = 0; b < width; b++)
            touched[(addr[i] + b) % BYTES / SECTOR_BYTES] = 1;
    }
    unsigned sectors = 0;
    for (unsigned i = 0; i < sizeof(touched); i++)
        sectors += touched[i];
    return sectors;
}

/* Khairy et al. 2018, figure 4 (TITAN V): C[(i / s) * 32 + i % s], L1 accesses per warp. A
 * coalescer of groups of eight threads would give 6.67 and 6.40 at strides 12 and 20. */
static void the_published_stride_pattern_coalesces_over_the_whole_warp(void **state)
{
    (void)state;
    static const struct {
        unsigned stride;
        double accesses;
    } row[] = {{1, 32}, {2, 16},   {4, 8},  {8, 4}, {12, 17.0 / 3},
               {16, 4}, {20, 5.2}, {24, 4}, {32, 4}};
    for (size_t r = 0; r < sizeof(row) / sizeof(row[0]); r++) {
        unsigned s = row[r].stride, total = 0, warps = 15 * 16; /* a multiple of every period */
        for (unsigned w = 0; w < warps; w++) {
            uint64_t addr[32];
            for (unsigned l = 0; l < 32; l++) {
                uint64_t i = w * 32 + l;
                addr[l] = (i / s * 32 + i % s) * 4;
            }
            lane_addrs_t lanes = lanes_of_list(addr, 32, 4);
            coalesced_t c;
            coalesce_lines(&lanes, 4, COALESCE_LOAD, &c);
            total += sectors_of(&c);
        }
        /* The values were read off a chart. */
        assert_true(fabs((double)total / warps - row[r].accesses) < 0.06);
    }
}

static void random_accesses_touch_the_sectors_that_their_bytes_lie_in(void **state)
{
    (void)state;
    uint64_t rng = 88172645463325252u;
    for (int round = 0; round < 3000; round++) {
        uint64_t addr[32];
        unsigned width = 1u << round % 5, n = 1 + (unsigned)(round * 7 % 32);
        uint64_t range = round % 3 == 0 ? 256 : 60000;
        for (unsigned i = 0; i < n; i++) {
            rng ^= rng << 13;
            rng ^= rng >> 7;
            rng ^= rng << 17;
            addr[i] = rng % range;
            if (round % 2 == 0)
                addr[i] -= addr[i] % width;
        }
        lane_addrs_t lanes = lanes_of_list(addr, n, width);
        for (int mode = COALESCE_LOAD; mode <= COALESCE_STORE; mode++) {
            coalesced_t c;
            coalesce_lines(&lanes, width, (coalesce_mode_t)mode, &c);
            assert_int_equal(sectors_of(&c), reference_sectors(addr, n, width));
        }
    }
}

static void affine_records_and_lists_of_the_same_addresses_agree(void **state)
{
    (void)state;
    static const int32_t strides[] = {0, 1, 2, 4, 8, 12, 16, 32, -4, 128, 4096};
    for (size_t s = 0; s < sizeof(strides) / sizeof(strides[0]); s++) {
        for (unsigned width = 4; width <= 16; width *= 2) {
            uint64_t addr[32], rec[2] = {addr_header(ADDR_AFFINE, 32, strides[s]), 0x100040};
            for (unsigned l = 0; l < 32; l++)
                addr[l] = rec[1] + (uint64_t)((int64_t)l * strides[s]);
            lane_addrs_t affine, list = lanes_of_list(addr, 32, width);
            coalesce_decode(rec, width, &affine);
            unsigned ideal_a, ideal_l;
            assert_int_equal(
                coalesce_bank_passes(&affine, (uint32_t)FULL, width, 32, PASS_GROUPS, &ideal_a),
                coalesce_bank_passes(&list, (uint32_t)FULL, width, 32, PASS_GROUPS, &ideal_l));
            assert_int_equal(ideal_a, ideal_l);
            coalesced_t a, l;
            coalesce_lines(&affine, width, COALESCE_STORE, &a);
            coalesce_lines(&list, width, COALESCE_STORE, &l);
            assert_int_equal(a.n, l.n);
            assert_int_equal(sectors_of(&a), sectors_of(&l));
        }
    }
}

static void a_store_knows_its_bytes_and_which_sectors_are_whole(void **state)
{
    (void)state;
    uint64_t rec[2] = {addr_header(ADDR_AFFINE, 12, 4), 128 + 24};
    lane_addrs_t lanes;
    coalesced_t c;
    coalesce_decode(rec, 4, &lanes);
    coalesce_lines(&lanes, 4, COALESCE_STORE, &c); /* bytes 24 .. 72 of the line */
    assert_int_equal(c.n, 1);
    assert_int_equal(c.line[0].line, 128);
    assert_int_equal(c.line[0].sectors, 7);
    assert_int_equal(c.line[0].full, 2);
    assert_int_equal(c.line[0].bytes[0], 0xff000000u);
    assert_int_equal(c.line[0].bytes[1], 0xffffffffu);
    assert_int_equal(c.line[0].bytes[2], 0x000000ffu);
}

static void strides_through_shared_memory_conflict_as_often_as_they_share_banks(void **state)
{
    (void)state;
    for (int32_t words = 1; words <= 32; words++) {
        uint64_t rec[2] = {addr_header(ADDR_AFFINE, 32, words * 4), 0};
        lane_addrs_t lanes;
        unsigned ideal;
        coalesce_decode(rec, 4, &lanes);
        /* Lanes l and l + 32 / gcd(words, 32) fall into one bank. */
        assert_int_equal(coalesce_bank_passes(&lanes, (uint32_t)FULL, 4, 32, PASS_GROUPS, &ideal),
                         words & -words);
        assert_int_equal(ideal, 1);
    }
}

static void wide_accesses_pass_by_half_and_quarter_warps(void **state)
{
    (void)state;
    for (unsigned width = 4; width <= 16; width *= 2) {
        uint64_t rec[2] = {addr_header(ADDR_AFFINE, 32, (int32_t)width), 0x1000};
        lane_addrs_t lanes;
        unsigned ideal;
        coalesce_decode(rec, width, &lanes);
        assert_int_equal(
            coalesce_bank_passes(&lanes, (uint32_t)FULL, width, 32, PASS_GROUPS, &ideal),
            width / 4);
        assert_int_equal(ideal, width / 4);
    }
}

/* Passes of a load from shared memory in which lane l of the mask reads addr(l). */
static unsigned load_passes(uint32_t mask, unsigned width, uint64_t (*addr)(unsigned lane),
                            unsigned *ideal)
{
    uint64_t list[32];
    unsigned n = 0;
    for (unsigned l = 0; l < 32; l++)
        if (mask >> l & 1)
            list[n++] = addr(l);
    lane_addrs_t lanes = lanes_of_list(list, n, width);
    return coalesce_bank_passes(&lanes, mask, width, 32, PASS_PAIRS, ideal);
}

static uint64_t own_16(unsigned lane)
{
    return lane * 16;
}

static uint64_t pairs_16(unsigned lane)
{
    return lane / 2 * 16;
}

/* Lanes 0 and 2, 1 and 3, 4 and 6, ... read the same. */
static uint64_t crossed_16(unsigned lane)
{
    return (lane / 4 * 2 + lane % 2) * 16;
}

static uint64_t halves_16(unsigned lane)
{
    return lane % 16 * 16;
}

static uint64_t all_the_same(unsigned lane)
{
    (void)lane;
    return 48;
}

static uint64_t pairs_that_conflict(unsigned lane)
{
    return lane / 2 * 128;
}

/* NVIDIA, forums.developer.nvidia.com/t/77228: four passes for 128 bits, and two if lanes i and i^1
 * (or i and i^2) agree; for 64 bits half as many. */
static void wide_loads_of_lanes_that_agree_pass_together(void **state)
{
    (void)state;
    static const struct {
        uint64_t (*addr)(unsigned lane);
        unsigned passes[2], ideal[2]; /* of 64 and of 128 bits */
    } row[] = {
        {own_16, {4, 4}, {2, 4}}, /* 64 bits: every second pair of banks twice in each half warp */
        {pairs_16, {2, 2}, {1, 2}},
        {crossed_16, {2, 2}, {1, 2}},
        {halves_16, {4, 4}, {2, 4}},
        {all_the_same, {1, 2}, {1, 2}},
        {pairs_that_conflict, {16, 16}, {1, 2}},
    };
    for (size_t r = 0; r < sizeof(row) / sizeof(row[0]); r++)
        for (unsigned w = 0; w < 2; w++) {
            unsigned ideal;
            assert_int_equal(load_passes(UINT32_MAX, 8u << w, row[r].addr, &ideal),
                             row[r].passes[w]);
            assert_int_equal(ideal, row[r].ideal[w]);
        }
}

/* Lanes whose partner is not active agree with it; one pair that differs keeps all groups apart. */
static void only_active_lanes_decide_whether_groups_pass_together(void **state)
{
    (void)state;
    unsigned ideal;
    assert_int_equal(load_passes(0x55555555, 16, own_16, &ideal), 4); /* two of two passes each */
    assert_int_equal(ideal, 2);
    assert_int_equal(load_passes(0x33333333, 16, own_16, &ideal), 4); /* i ^ 2 is not active */
    assert_int_equal(ideal, 2);
    assert_int_equal(load_passes(0x33333337, 16, own_16, &ideal), 4);
    assert_int_equal(ideal, 4);
    assert_int_equal(load_passes(0x0000ffff, 16, pairs_16, &ideal), 1);
    assert_int_equal(load_passes(0x0000ffff, 16, own_16, &ideal), 2);
    assert_int_equal(load_passes(0x000000ff, 16, own_16, &ideal), 1);
    assert_int_equal(load_passes(0x80000001, 8, own_16, &ideal), 1);
    assert_int_equal(load_passes(1, 16, own_16, &ideal), 1);
}

/* Records without a list of addresses: all lanes one address, and consecutive addresses. */
static void affine_wide_loads_agree_with_lists(void **state)
{
    (void)state;
    static const uint32_t masks[] = {UINT32_MAX, 0x55555555, 0x33333333, 0xffff, 0xf, 0x80000001};
    for (size_t m = 0; m < sizeof(masks) / sizeof(masks[0]); m++)
        for (unsigned width = 4; width <= 16; width *= 2)
            for (int32_t stride = 0; stride <= 32; stride += (int32_t)width) {
                const unsigned n = (unsigned)__builtin_popcount(masks[m]);
                uint64_t rec[2] = {addr_header(ADDR_AFFINE, n, stride), 0x1000}, addr[32];
                unsigned ideal_a, ideal_l;
                lane_addrs_t affine;
                for (unsigned i = 0; i < n; i++)
                    addr[i] = rec[1] + i * (uint64_t)stride;
                coalesce_decode(rec, width, &affine);
                lane_addrs_t list = lanes_of_list(addr, n, width);
                assert_int_equal(
                    coalesce_bank_passes(&affine, masks[m], width, 32, PASS_PAIRS, &ideal_a),
                    coalesce_bank_passes(&list, masks[m], width, 32, PASS_PAIRS, &ideal_l));
                assert_int_equal(ideal_a, ideal_l);
            }
}

/* Law: passing together never takes longer, and without it the groups of a store pass alone. */
static void passing_together_is_never_slower(void **state)
{
    (void)state;
    uint64_t rng = 88172645463325252u;
    for (int round = 0; round < 20000; round++) {
        uint64_t addr[32];
        const unsigned width = round % 2 == 0 ? 8 : 16, share = 1u + (unsigned)round / 2 % 4;
        for (unsigned i = 0; i < 32; i++) {
            rng ^= rng << 13;
            rng ^= rng >> 7;
            rng ^= rng << 17;
            addr[i] = i % 4 >= share ? addr[i - share] : rng % 64 * width;
        }
        lane_addrs_t lanes = lanes_of_list(addr, 32, width);
        unsigned ideal, alone;
        const unsigned together =
            coalesce_bank_passes(&lanes, UINT32_MAX, width, 32, PASS_PAIRS, &ideal);
        const unsigned groups =
            coalesce_bank_passes(&lanes, UINT32_MAX, width, 32, PASS_GROUPS, &alone);
        assert_true(together <= groups && together >= ideal);
        assert_int_equal(alone, width / 4);
        assert_int_equal(ideal, share == 1 || share == 2 ? alone / 2 : ideal);
    }
}

static void atomics_count_lanes_and_the_most_wanted_word(void **state)
{
    (void)state;
    uint64_t addr[8] = {0, 4, 4, 4, 128, 132, 132, 8};
    lane_addrs_t lanes = lanes_of_list(addr, 8, 4);
    coalesced_t c;
    coalesce_lines(&lanes, 4, COALESCE_ATOMIC, &c);
    assert_int_equal(c.n, 2);
    assert_int_equal(c.line[0].lanes, 5);
    assert_int_equal(c.line[0].conflict, 3);
    assert_int_equal(c.line[1].lanes, 3);
    assert_int_equal(c.line[1].conflict, 2);
}

static void equal_local_offsets_of_a_warp_share_a_line(void **state)
{
    (void)state;
    uint64_t rec[2] = {addr_header(ADDR_AFFINE, 32, 0), 0x7f0000000040};
    lane_addrs_t lanes;
    coalesced_t c;
    coalesce_decode(rec, 4, &lanes);
    coalesce_local(&lanes, (uint32_t)FULL, 4, COALESCE_STORE, 1 << 20, 0x7f0000000000, &c);
    assert_int_equal(c.n, 1);
    assert_int_equal(c.line[0].line, (1 << 20) + 0x40 / 4 * 128);
    assert_int_equal(c.line[0].full, 15);
}

/* The largest number of lines of an instruction: each lane accesses five separate words. */
static void scattered_unaligned_local_accesses_find_room_for_every_line(void **state)
{
    (void)state;
    const uint64_t base = 1 << 20, window = 0x7f0000000000;
    uint64_t rec[2] = {addr_header(ADDR_AFFINE, 32, 64), window + 2};
    lane_addrs_t lanes;
    coalesced_t c;
    coalesce_decode(rec, 16, &lanes);
    coalesce_local(&lanes, (uint32_t)FULL, 16, COALESCE_STORE, base, window, &c);
    assert_int_equal(c.n, COALESCE_MAX_LINES);
    for (uint32_t lane = 0; lane < 32; lane++) {
        for (uint32_t word = 0; word < 5; word++) {
            const line_access_t *l = &c.line[5 * lane + word];
            uint32_t bytes = 0;
            assert_int_equal(l->line, base + (16 * lane + word) * LINE_BYTES);
            assert_int_equal(l->sectors, 1 << lane / 8);
            for (int s = 0; s < SECTORS_PER_LINE; s++)
                bytes += (uint32_t)__builtin_popcount(l->bytes[s]);
            assert_int_equal(bytes, word == 0 || word == 4 ? 2 : 4);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_decoded_as_lists_are),
        cmocka_unit_test(the_published_stride_pattern_coalesces_over_the_whole_warp),
        cmocka_unit_test(random_accesses_touch_the_sectors_that_their_bytes_lie_in),
        cmocka_unit_test(affine_records_and_lists_of_the_same_addresses_agree),
        cmocka_unit_test(a_store_knows_its_bytes_and_which_sectors_are_whole),
        cmocka_unit_test(strides_through_shared_memory_conflict_as_often_as_they_share_banks),
        cmocka_unit_test(wide_accesses_pass_by_half_and_quarter_warps),
        cmocka_unit_test(wide_loads_of_lanes_that_agree_pass_together),
        cmocka_unit_test(only_active_lanes_decide_whether_groups_pass_together),
        cmocka_unit_test(affine_wide_loads_agree_with_lists),
        cmocka_unit_test(passing_together_is_never_slower),
        cmocka_unit_test(atomics_count_lanes_and_the_most_wanted_word),
        cmocka_unit_test(equal_local_offsets_of_a_warp_share_a_line),
        cmocka_unit_test(scattered_unaligned_local_accesses_find_room_for_every_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
