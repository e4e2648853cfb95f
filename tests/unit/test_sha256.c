#include <stdlib.h>
#include <string.h>

#include "sim/core/sha256.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fips_vectors_are_reproduced),
        cmocka_unit_test(a_million_letters_a_hash_to_the_fips_value),
        cmocka_unit_test(any_split_of_a_message_gives_the_same_digest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
