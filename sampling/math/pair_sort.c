#include "sampling/math/pair_sort.h"

#include <string.h>

enum { DIGIT = 11, BUCKETS = 1 << DIGIT, PASSES = (64 + DIGIT - 1) / DIGIT, RUN = 16 };

/* Below this size the histograms of the radix sort cost more than merging. */
enum { RADIX_LEAST = 4096 };

uint64_t sort_key(double x)
{
    uint64_t bits;
    x += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &x, sizeof(bits));
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

double sort_value(uint64_t key)
{
    double x;
    uint64_t bits = key >> 63 ? key & ~(1ull << 63) : ~key;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* Keys and the rows that go with them. */
typedef struct {
    uint64_t *key;
    uint32_t *row;
} pairs_t;

static void swap(pairs_t *a, pairs_t *b)
{
    pairs_t was = *a;
    *a = *b;
    *b = was;
}

static void insertion_sort(uint64_t *key, uint32_t *row, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t k = key[i];
        uint32_t r = row[i];
        size_t j = i;
        for (; j > 0 && key[j - 1] > k; j--) {
            key[j] = key[j - 1];
            row[j] = row[j - 1];
        }
        key[j] = k;
        row[j] = r;
    }
}

/* Merges [0, half) and [half, n) into key_to and row_to. */
static void merge(const uint64_t *key, const uint32_t *row, size_t half, size_t n, uint64_t *key_to,
                  uint32_t *row_to)
{
    for (size_t a = 0, b = half, i = 0; i < n; i++) {
        size_t from = b == n || (a < half && key[a] <= key[b]) ? a++ : b++;
        key_to[i] = key[from];
        row_to[i] = row[from];
    }
}

/* Sorts a, using b as scratch; returns the one that has the result. */
static pairs_t merge_sort(pairs_t a, pairs_t b, size_t n)
{
    for (size_t i = 0; i < n; i += RUN)
        insertion_sort(a.key + i, a.row + i, n - i < RUN ? n - i : RUN);
    for (size_t width = RUN; width < n; width *= 2) {
        for (size_t i = 0; i < n; i += 2 * width) {
            size_t both = n - i < 2 * width ? n - i : 2 * width;
            merge(a.key + i, a.row + i, both < width ? both : width, both, b.key + i, b.row + i);
        }
        swap(&a, &b);
    }
    return a;
}

/* The same. */
static pairs_t radix_sort(pairs_t a, pairs_t b, size_t n)
{
    size_t count[PASSES][BUCKETS] = {0};
    for (size_t i = 0; i < n; i++) {
        for (unsigned pass = 0; pass < PASSES; pass++)
            count[pass][(a.key[i] >> (pass * DIGIT)) & (BUCKETS - 1)]++;
    }
    for (unsigned pass = 0; pass < PASSES; pass++) {
        unsigned shift = pass * DIGIT;
        size_t *at = count[pass];
        if (at[(a.key[0] >> shift) & (BUCKETS - 1)] == n)
            continue; /* the same digit everywhere; common, because times are small integers */
        for (size_t k = 0, sum = 0; k < BUCKETS; k++) {
            size_t here = at[k];
            at[k] = sum;
            sum += here;
        }
        for (size_t i = 0; i < n; i++) {
            size_t to = at[(a.key[i] >> shift) & (BUCKETS - 1)]++;
            b.key[to] = a.key[i];
            b.row[to] = a.row[i];
        }
        swap(&a, &b);
    }
    return a;
}

void pair_sort(uint64_t *key, uint32_t *row, size_t n, uint64_t *key_scratch, uint32_t *row_scratch)
{
    const pairs_t home = {key, row}, scratch = {key_scratch, row_scratch};
    const pairs_t sorted =
        n < RADIX_LEAST ? merge_sort(home, scratch, n) : radix_sort(home, scratch, n);
    if (sorted.key != key) {
        memcpy(key, sorted.key, n * sizeof(*key));
        memcpy(row, sorted.row, n * sizeof(*row));
    }
}
