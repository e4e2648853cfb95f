#include <stdlib.h>
#include <string.h>

#include "sim/core/files/sha256.h"
#include "sim/core/files/sha256_blocks.h"
#include "tests/support/test.h"

/* Vectors: FIPS 180-4 examples and NIST CAVP SHA256ShortMsg. */
static const struct {
    const char *message, *digest;
} vectors[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
     "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
     "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
};

static void the_fips_vectors_are_reproduced(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        sha256_t s;
        char text[SHA256_TEXT];
        sha256_init(&s);
        sha256_update(&s, vectors[i].message, strlen(vectors[i].message));
        sha256_final_text(&s, text);
        assert_string_equal(text, vectors[i].digest);
    }
}

static void a_million_letters_a_hash_to_the_fips_value(void **state)
{
    (void)state;
    sha256_t s;
    char chunk[1000], text[SHA256_TEXT];
    memset(chunk, 'a', sizeof(chunk));
    sha256_init(&s);
    for (int i = 0; i < 1000; i++)
        sha256_update(&s, chunk, sizeof(chunk));
    sha256_final_text(&s, text);
    assert_string_equal(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void any_split_of_a_message_gives_the_same_digest(void **state)
{
    (void)state;
    uint8_t message[200], whole[SHA256_BYTES], split[SHA256_BYTES];
    for (size_t i = 0; i < sizeof(message); i++)
        message[i] = (uint8_t)(i * 37);
    for (size_t n = 0; n <= sizeof(message); n++) {
        sha256_t s;
        sha256_init(&s);
        sha256_update(&s, message, n);
        sha256_final(&s, whole);
        for (size_t cut = 0; cut <= n; cut += 7) {
            sha256_init(&s);
            sha256_update(&s, message, cut);
            sha256_update(&s, NULL, 0);
            sha256_update(&s, message + cut, n - cut);
            sha256_final(&s, split);
            assert_memory_equal(whole, split, SHA256_BYTES);
        }
    }
}

/* The version with SHA instructions of the processor against the portable one. */
static void the_processors_instructions_agree_with_the_portable_code(void **state)
{
    (void)state;
    enum { BLOCKS = 33, BLOCK = 64, TRIALS = 200 };
    static uint8_t data[BLOCKS * BLOCK + 3];
    const sha256_blocks_fn native = sha256_blocks_native();
    uint64_t random = 1;
    if (native == NULL)
        skip();
    for (int trial = 0; trial < TRIALS; trial++) {
        uint32_t mine[8], theirs[8];
        for (size_t i = 0; i < sizeof(data); i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            data[i] = (uint8_t)(random >> 56);
        }
        memcpy(mine, data, sizeof(mine));
        memcpy(theirs, data, sizeof(theirs));
        /* Any number of blocks, at any alignment. */
        native(mine, data + trial % 4, (size_t)trial % (BLOCKS + 1));
        sha256_blocks_portable(theirs, data + trial % 4, (size_t)trial % (BLOCKS + 1));
        assert_memory_equal(mine, theirs, sizeof(mine));
    }
}

static void the_portable_code_reproduces_a_fips_vector(void **state)
{
    (void)state;
    static const uint32_t digest[8] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                       0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
    uint8_t block[64] = {'a', 'b', 'c', 0x80, [63] = 24};
    sha256_t s;
    sha256_init(&s);
    sha256_blocks_portable(s.state, block, 1);
    assert_memory_equal(s.state, digest, sizeof(digest));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fips_vectors_are_reproduced),
        cmocka_unit_test(a_million_letters_a_hash_to_the_fips_value),
        cmocka_unit_test(any_split_of_a_message_gives_the_same_digest),
        cmocka_unit_test(the_processors_instructions_agree_with_the_portable_code),
        cmocka_unit_test(the_portable_code_reproduces_a_fips_vector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
