/*
 * Writes random weights and tokens in the formats of llm.c and llama2.c, for programs whose speed
 * is of interest and whose text is not. Equal arguments give equal files on every host.
 *
 *   gpt2_files gpt2 FILE LAYERS HEADS CHANNELS CONTEXT VOCABULARY    checkpoint, version 3
 *   gpt2_files tokens FILE COUNT VOCABULARY                          data file, version 1
 *   gpt2_files llama FILE LAYERS HEADS DIM HIDDEN CONTEXT VOCABULARY
 *   gpt2_files tokenizer FILE VOCABULARY                             of llama2.c
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_WORDS = 256, PADDING = 128, CHUNK = 1 << 14, MAX_NUMBERS = 6 };

static const char *path;
static FILE *out;

static void fail(const char *what)
{
    fprintf(stderr, "gpt2_files: %s: %s\n", path, what);
    exit(2);
}

static void put(const void *p, size_t bytes)
{
    if (fwrite(p, 1, bytes, out) != bytes)
        fail("cannot be written");
}

/* SplitMix64. */
static uint64_t next_random(void)
{
    static uint64_t state = 1;
    uint64_t z = state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* n weights around middle, uniform within sqrt(3) * deviation. */
static void put_weights(uint64_t n, float middle, float deviation)
{
    static float chunk[CHUNK];
    const float step = 2 * 1.7320508f * deviation / 65536;

    while (n > 0) {
        const size_t now = n < CHUNK ? (size_t)n : CHUNK;
        for (size_t i = 0; i < now; i++)
            chunk[i] = middle + step * ((float)(next_random() >> 48) - 32768);
        put(chunk, now * sizeof(chunk[0]));
        n -= now;
    }
}

/* The deviation with which GPT-2 is initialised (Radford 2019). */
static const float usual = 0.02f;

static void put_gpt2(const uint64_t *v)
{
    const uint64_t layers = v[0], channels = v[2], context = v[3], vocabulary = v[4];
    const uint64_t padded = (vocabulary + PADDING - 1) / PADDING * PADDING;
    const uint64_t square = layers * channels * channels, row = layers * channels;
    int32_t header[HEADER_WORDS] = {20240326,          3,
                                    (int32_t)context,  (int32_t)vocabulary,
                                    (int32_t)layers,   (int32_t)v[1],
                                    (int32_t)channels, (int32_t)padded};

    put(header, sizeof(header));
    put_weights(padded * channels, 0, usual);
    put_weights(context * channels, 0, usual);
    put_weights(row, 1, 0); /* first normalisation */
    put_weights(row, 0, 0);
    put_weights(3 * square, 0, usual); /* attention */
    put_weights(3 * row, 0, 0);
    put_weights(square, 0, usual);
    put_weights(row, 0, 0);
    put_weights(row, 1, 0); /* second normalisation */
    put_weights(row, 0, 0);
    put_weights(4 * square, 0, usual); /* feed-forward */
    put_weights(4 * row, 0, 0);
    put_weights(4 * square, 0, usual);
    put_weights(row, 0, 0);
    put_weights(channels, 1, 0); /* last normalisation */
    put_weights(channels, 0, 0);
}

static void put_tokens(const uint64_t *v)
{
    const int32_t header[HEADER_WORDS] = {20240520, 1, (int32_t)v[0]};

    put(header, sizeof(header));
    for (uint64_t i = 0; i < v[0]; i++) {
        const uint16_t token = (uint16_t)(next_random() % v[1]);
        put(&token, sizeof(token));
    }
}

/* Cosines or sines of the rotary embedding. */
static void put_rotations(uint64_t context, uint64_t head, double (*f)(double))
{
    for (uint64_t at = 0; at < context; at++)
        for (uint64_t i = 0; i < head / 2; i++) {
            const float w = (float)f((double)at * pow(10000, -2 * (double)i / (double)head));
            put(&w, sizeof(w));
        }
}

static void put_llama(const uint64_t *v)
{
    const uint64_t layers = v[0], heads = v[1], dim = v[2], hidden = v[3], context = v[4];
    const int32_t header[] = {(int32_t)dim,   (int32_t)hidden, (int32_t)layers, (int32_t)heads,
                              (int32_t)heads, (int32_t)v[5],   (int32_t)context};

    put(header, sizeof(header));
    put_weights(v[5] * dim, 0, usual);
    put_weights(layers * dim, 1, 0);
    put_weights(4 * layers * dim * dim, 0, usual);
    put_weights(layers * dim, 1, 0);
    put_weights(3 * layers * dim * hidden, 0, usual);
    put_weights(dim, 1, 0);
    put_rotations(context, dim / heads, cos);
    put_rotations(context, dim / heads, sin);
}

/* Token i is the text " i". */
static void put_tokenizer(const uint64_t *v)
{
    const uint32_t longest = 12;

    put(&longest, sizeof(longest));
    for (uint64_t i = 0; i < v[0]; i++) {
        const float score = -(float)i;
        char text[24];
        const int32_t bytes = snprintf(text, sizeof(text), " %u", (unsigned)i);
        put(&score, sizeof(score));
        put(&bytes, sizeof(bytes));
        put(text, (size_t)bytes);
    }
}

static const struct {
    const char *name;
    int numbers;
    void (*write)(const uint64_t *v);
} kinds[] = {{"gpt2", 5, put_gpt2},
             {"tokens", 2, put_tokens},
             {"llama", 6, put_llama},
             {"tokenizer", 1, put_tokenizer}};

int main(int argc, char **argv)
{
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        uint64_t numbers[MAX_NUMBERS];
        if (argc < 3 || strcmp(argv[1], kinds[k].name) != 0 || argc != 3 + kinds[k].numbers)
            continue;
        path = argv[2];
        for (int i = 3; i < argc; i++) {
            char *end;
            numbers[i - 3] = strtoull(argv[i], &end, 10);
            if (*end != '\0' || numbers[i - 3] == 0 || numbers[i - 3] > 1 << 24)
                fail("numbers are from 1 to 16777216");
        }
        out = fopen(path, "wb");
        if (out == NULL)
            fail("cannot be written");
        kinds[k].write(numbers);
        if (fclose(out) != 0)
            fail("cannot be written");
        return 0;
    }
    fprintf(stderr, "usage: gpt2_files gpt2 FILE LAYERS HEADS CHANNELS CONTEXT VOCABULARY\n"
                    "       gpt2_files tokens FILE COUNT VOCABULARY\n"
                    "       gpt2_files llama FILE LAYERS HEADS DIM HIDDEN CONTEXT VOCABULARY\n"
                    "       gpt2_files tokenizer FILE VOCABULARY\n");
    return 2;
}
