/* Traces of programs with several streams keep the order of the work. */
#include <string.h>

#include "tests/support/cli_child.h"
#include "tests/support/test.h"

#define PROGRAM RUBATO_CUDA_PROGRAM
#define CUBIN   RUBATO_ROOT "/traces/cubin/vecadd.sm70.cubin", "70"

/* The operations of cuda_program_streams.c. The host's waits have no stream. */
static const char *const operations[] = {
    "\"copy to the device\", \"stream\": 1, \"priority\": 0, \"bytes\": 4096, \"waits\": []",
    "\"launch\", \"stream\": 1, \"priority\": 0, \"launch\": 1, \"waits\": [1]",
    "\"launch\", \"stream\": 2, \"priority\": 0, \"launch\": 2, \"waits\": []",
    "\"launch\", \"stream\": 3, \"priority\": -1, \"launch\": 3, \"waits\": [2]",
    "\"launch\", \"stream\": 0, \"priority\": 0, \"launch\": 4, \"waits\": [2, 3]",
    "\"wait of the host\", \"waits\": [5, 4]",
    "\"launch\", \"stream\": 2, \"priority\": 0, \"launch\": 5, \"waits\": [6]",
    /* the graph: a fork and a join */
    "\"launch\", \"stream\": 1, \"priority\": 0, \"launch\": 6, \"waits\": [6]",
    "\"launch\", \"stream\": 1, \"priority\": 0, \"launch\": 7, \"waits\": [8]",
    "\"launch\", \"stream\": 1, \"priority\": 0, \"launch\": 8, \"waits\": [8]",
    "\"launch\", \"stream\": 1, \"priority\": 0, \"launch\": 9, \"waits\": [10, 9]",
    "\"memory set\", \"stream\": 1, \"priority\": 0, \"bytes\": 4096, \"waits\": [11]",
    /* the copy in the default stream waits for the streams that block, and the host for it */
    "\"copy to the host\", \"stream\": 0, \"priority\": 0, \"bytes\": 4096, \"waits\": [6, 12, 7]",
    "\"wait of the host\", \"waits\": [13, 6]",
};
enum { OPERATIONS = sizeof(operations) / sizeof(operations[0]) };

/* Puts every object on one line. */
static void join_lines(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        if (*from != '\n') {
            *to++ = *from;
            continue;
        }
        while (from[1] == ' ')
            from++;
        if (to > text && to[-1] == ',')
            *to++ = ' ';
    }
    *to = '\0';
}

static void check_graph(const char *trace)
{
    char *text = cli_run_as(&rubato, 0, NULL, WORDS("info", "--json", trace));
    join_lines(text);
    const char *at = strstr(text, "\"operations\"");
    assert_non_null(at);
    for (size_t i = 0; i < OPERATIONS; i++) {
        at = strstr(at, "{\"kind\": ");
        if (at == NULL || strncmp(at + 9, operations[i], strlen(operations[i])) != 0)
            fail_msg("operation %zu is '%.120s', not '%s'", i + 1, at == NULL ? "missing" : at,
                     operations[i]);
        at++;
    }
    assert_null(strstr(at, "{\"kind\": "));
    free(text);
}

static void the_order_of_streams_is_recorded(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("record", "-o", "s.rbt", "--", PROGRAM, CUBIN, "streams"));
    check_graph("s.rbt");
    char *text = cli_run_as(&rubato, 0, NULL, WORDS("info", "s.rbt"));
    assert_non_null(strstr(text, "4 streams of the program: 9 launches, 1 to the device"));
    assert_non_null(strstr(text, "up to 2 launches can run at the same time"));
    free(text);
    expect(0, NULL, WORDS("trace", "verify", "s.rbt"));
}

static void conversion_and_slices_keep_it(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("convert", "s.rbt", "copy.rbt"));
    check_graph("copy.rbt");
    expect(0, NULL, WORDS("trace", "slice", "--launches", "3-5", "-o", "part.rbt", "s.rbt"));
    check_graph("part.rbt");
}

/* A trace of one stream has no graph, and the version of the format that older readers know. */
static void one_stream_is_as_before(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("record", "-o", "one.rbt", "--", PROGRAM, CUBIN, "add", "1000", "3"));
    char *text = cli_run_as(&rubato, 0, NULL, WORDS("info", "--json", "one.rbt"));
    assert_null(strstr(text, "\"graph\""));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_streams_is_recorded),
        cmocka_unit_test(conversion_and_slices_keep_it),
        cmocka_unit_test(one_stream_is_as_before),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
