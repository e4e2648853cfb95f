/*
 * Timelines, read with a separate decoder: the protobuf is complete, tracks and slices are
 * consistent, and the contents agree with the run.
 */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/tool/cli_child.h"

enum { TRACKS = 4096, EVENTS = 1 << 17, NAME = 64 };

/* A field of a message. */
typedef struct {
    unsigned number, wire;
    uint64_t value;      /* of a varint, or 64 bits */
    const uint8_t *data; /* of bytes; value: how many */
} field_t;

typedef struct {
    char name[NAME];
    uint64_t parent;
    bool group, counter;
} track_t;

typedef struct {
    uint64_t time, track;
    unsigned type; /* 1 begin, 2 end, 4 value */
    double value;
    char name[NAME];
} event_t;

static track_t tracks[TRACKS];
static event_t events[EVENTS];
static size_t n_tracks, n_events;

static uint64_t take_varint(const uint8_t **at, const uint8_t *end)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        assert_true(*at < end);
        uint8_t byte = *(*at)++;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            assert_true(byte != 0 || shift == 0); /* the shortest form */
            return v;
        }
    }
    fail_msg("a varint of more than 64 bits");
    return 0;
}

/* The next field of [*at, end); false at the end. */
static bool take_field(const uint8_t **at, const uint8_t *end, field_t *f)
{
    if (*at == end)
        return false;
    uint64_t key = take_varint(at, end);
    *f = (field_t){.number = (unsigned)(key >> 3), .wire = (unsigned)(key & 7)};
    assert_true(f->number > 0);
    switch (f->wire) {
    case 0:
        f->value = take_varint(at, end);
        break;
    case 1:
        assert_true(end - *at >= 8);
        memcpy(&f->value, *at, 8);
        *at += 8;
        break;
    case 2:
        f->value = take_varint(at, end);
        assert_true(f->value <= (uint64_t)(end - *at));
        f->data = *at;
        *at += f->value;
        break;
    default:
        fail_msg("field %u has wire type %u", f->number, f->wire);
    }
    return true;
}

static void take_name(const field_t *f, char name[NAME])
{
    size_t n = f->value < NAME - 1 ? f->value : NAME - 1;
    assert_int_equal(f->wire, 2);
    memcpy(name, f->data, n);
    name[n] = '\0';
}

static void take_track(const field_t *packet)
{
    const uint8_t *at = packet->data, *end = at + packet->value;
    track_t t = {.name = ""};
    uint64_t uuid = 0;
    for (field_t f; take_field(&at, end, &f);) {
        if (f.number == 1)
            uuid = f.value;
        else if (f.number == 2)
            take_name(&f, t.name);
        else if (f.number == 5)
            t.parent = f.value;
        else if (f.number == 3) {
            const uint8_t *p = f.data, *p_end = p + f.value;
            t.group = true;
            for (field_t g; take_field(&p, p_end, &g);) {
                if (g.number == 6)
                    take_name(&g, t.name);
            }
        } else if (f.number == 8)
            t.counter = true;
    }
    assert_true(uuid > 0 && uuid < TRACKS && tracks[uuid].name[0] == '\0');
    assert_true(t.group || tracks[t.parent].group);
    tracks[uuid] = t;
    n_tracks = uuid;
}

static void take_event(uint64_t time, const field_t *packet)
{
    const uint8_t *at = packet->data, *end = at + packet->value;
    assert_true(n_events < EVENTS);
    event_t *e = &events[n_events++];
    *e = (event_t){.time = time};
    for (field_t f; take_field(&at, end, &f);) {
        if (f.number == 9)
            e->type = (unsigned)f.value;
        else if (f.number == 11)
            e->track = f.value;
        else if (f.number == 23)
            take_name(&f, e->name);
        else if (f.number == 44)
            memcpy(&e->value, &f.value, sizeof(e->value));
    }
    /* On a track that was described before, of the right kind. */
    assert_true(e->track < TRACKS && tracks[e->track].name[0] != '\0');
    assert_true(tracks[e->track].counter == (e->type == 4) && !tracks[e->track].group);
}

static void read_timeline(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    char *text = cli_read(path);
    const uint8_t *at = (const uint8_t *)text, *end = at + st.st_size;
    n_tracks = n_events = 0;
    memset(tracks, 0, sizeof(tracks));
    for (field_t packet; take_field(&at, end, &packet);) {
        uint64_t time = UINT64_MAX;
        const uint8_t *p = packet.data, *p_end = p + packet.value;
        assert_true(packet.number == 1 && packet.wire == 2);
        for (field_t f; take_field(&p, p_end, &f);) {
            if (f.number == 8)
                time = f.value;
            else if (f.number == 60)
                take_track(&f);
            else if (f.number == 11)
                take_event(time, &f);
        }
    }
    free(text);
}

/* Checks that slices of a track begin and end alternately, in order of time; returns their
 * number and total time. */
static size_t check_slices(uint64_t track, uint64_t *busy)
{
    size_t n = 0;
    uint64_t last = 0;
    bool open = false;
    for (size_t i = 0; i < n_events; i++) {
        const event_t *e = &events[i];
        if (e->track != track)
            continue;
        assert_true(e->time >= last && e->time != UINT64_MAX);
        assert_true(e->type == (open ? 2 : 1));
        n += e->type == 1;
        *busy += open ? e->time - last : 0;
        open = !open;
        last = e->time;
    }
    assert_false(open);
    return n;
}

/* The integral of a counter over time; it must end at 0. */
static double integral(const char *group, const char *name)
{
    double sum = 0.0, value = 0.0;
    uint64_t since = 0;
    for (size_t i = 0; i < n_events; i++) {
        const event_t *e = &events[i];
        const track_t *t = &tracks[e->track];
        if (!t->counter || strcmp(t->name, name) != 0 || strcmp(tracks[t->parent].name, group) != 0)
            continue;
        assert_true(e->time >= since);
        sum += value * (double)(e->time - since);
        value = e->value;
        since = e->time;
    }
    assert_true(value == 0.0);
    return sum;
}

/* A number of stats.csv. */
static double statistic(const char *folder, const char *path)
{
    char name[128], key[64];
    snprintf(name, sizeof(name), "%s/stats.csv", folder);
    snprintf(key, sizeof(key), "\n%s,", path);
    char *text = cli_read(name), *at = strstr(text, key);
    assert_non_null(at);
    double v = strtod(at + strlen(key), NULL);
    free(text);
    return v;
}

static void expect_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9 * fabs(b)))
        fail_msg("%.17g is not %.17g", a, b);
}

static void a_timeline_shows_what_the_run_did(void **state)
{
    (void)state;
    cli_make_many(TRACE, 2);
    expect(0, NULL,
           WORDS("run", "many", "-s", "sm.count=7", "-o", "run", "--timeline", "t",
                 "--timeline-range", "step=100"));
    read_timeline("t");
    size_t blocks = 0, launches = 0, sms = 0;
    uint64_t stays = 0, cycles = 0;
    double insts = 0.0;
    for (uint64_t u = 1; u <= n_tracks; u++) {
        const track_t *t = &tracks[u];
        if (strncmp(t->name, "slot ", 5) == 0)
            blocks += check_slices(u, &stays);
        else if (strcmp(t->name, "launches") == 0)
            launches += check_slices(u, &cycles);
        if (t->group && strncmp(t->name, "SM ", 3) == 0) {
            insts += integral(t->name, "instructions per cycle");
            sms++;
        }
    }
    assert_int_equal(sms, 7);
    assert_int_equal(launches, 2);
    assert_true((double)cycles == statistic("run", "totals.cycles"));
    assert_true((double)blocks == statistic("run", "sm.blocks"));
    assert_true(stays > 0);
    expect_near(insts, statistic("run", "sm.warp_insts"));
    expect_near(integral("chip", "selected"), statistic("run", "sm.state_selected"));
    expect_near(integral("chip", "long_scoreboard"), statistic("run", "sm.state_long_scoreboard"));
    double read = 0.0, sectors = 0.0;
    for (uint64_t u = 1; u <= n_tracks; u++) {
        if (!tracks[u].group || strncmp(tracks[u].name, "memory partition", 16) != 0)
            continue;
        read += integral(tracks[u].name, "DRAM: bytes read per cycle");
        sectors += integral(tracks[u].name, "L2: sectors per cycle");
    }
    /* Only until the launches end: write-backs may come after that. */
    expect_near(read, 32.0 * statistic("run", "dram.read_sectors"));
    expect_near(sectors,
                statistic("run", "l2.read_sectors") + statistic("run", "l2.write_sectors"));
}

static void the_decoder_of_others_reads_it_too(void **state)
{
    (void)state;
    if (system("command -v protoc >/dev/null 2>&1") != 0) {
        print_message("protoc is not installed\n");
        skip();
    }
    expect(0, NULL, WORDS("run", TRACE, "-s", "sm.count=8", "--timeline", "raw.trace"));
    assert_int_equal(system("protoc --decode_raw <raw.trace >raw.txt"), 0);
    char *text = cli_read("raw.txt");
    assert_non_null(strstr(text, "\"SM 7\""));
    assert_non_null(strstr(text, "\"memory partition 0\""));
    assert_non_null(strstr(text, "\"long_scoreboard\""));
    free(text);
}

static void a_timeline_changes_nothing_and_threads_do_not_show(void **state)
{
    (void)state;
    cli_make_many(TRACE, 2);
    expect(0, NULL, WORDS("run", "many", "-o", "without"));
    expect(0, NULL,
           WORDS("run", "many", "-o", "one", "--timeline", "t1", "--timeline-range", "step=64",
                 "--threads", "1"));
    expect(0, NULL,
           WORDS("run", "many", "-o", "three", "--timeline", "t3", "--timeline-range", "step=64",
                 "--threads", "3", "--debug-window", "1"));
    cli_same_file("without", "one", "launches.csv");
    cli_same_file("without", "three", "launches.csv");
    struct stat a, b;
    assert_int_equal(stat("t1", &a), 0);
    assert_int_equal(stat("t3", &b), 0);
    assert_int_equal(a.st_size, b.st_size);
    char *x = cli_read("t1"), *y = cli_read("t3");
    assert_memory_equal(x, y, (size_t)a.st_size);
    free(x);
    free(y);
}

static void a_range_is_all_that_is_drawn(void **state)
{
    (void)state;
    cli_make_many(TRACE, 3);
    expect(0, NULL,
           WORDS("run", "many", "--timeline", "t", "--timeline-range",
                 "launch=2,cycles=5k-5500,step=100"));
    read_timeline("t");
    uint64_t cycles = 0, first = UINT64_MAX;
    for (uint64_t u = 1; u <= n_tracks; u++) {
        if (strcmp(tracks[u].name, "launches") == 0)
            assert_int_equal(check_slices(u, &cycles), 1);
    }
    assert_int_equal(cycles, 500);
    for (size_t i = 0; i < n_events; i++) {
        if (strncmp(events[i].name, "2: ", 3) == 0)
            first = events[i].time;
    }
    for (size_t i = 0; i < n_events; i++)
        assert_true(events[i].type != 4 ||
                    (events[i].time >= first && events[i].time <= first + 500));
    /* A range that no launch reaches. */
    expect(0, "e: the timeline is empty",
           WORDS("run", "many", "--timeline", "e", "--timeline-range", "cycles=1G-2G"));
    read_timeline("e");
    assert_int_equal(n_events, 0);
}

/* A step longer than a launch ends with it. */
static void long_steps_do_not_move_the_next_launch(void **state)
{
    (void)state;
    cli_make_many(TRACE, 2);
    expect(0, NULL, WORDS("run", "many", "-o", "plain"));
    expect(0, NULL,
           WORDS("run", "many", "-o", "long", "--stats-interval", "100k", "--timeline", "t",
                 "--timeline-range", "step=50k"));
    cli_same_file("plain", "long", "launches.csv");
}

static void bad_ranges_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *range, *message;
    } bad[] = {{"launch=0", "launch"},      {"cycles=7-7", "cycles=FROM-TO"},
               {"cycles=9", "FROM-TO"},     {"step=0", "step"},
               {"launch=5-3", "launch"},    {"lunch=3", "unknown word 'lunch'"},
               {"3", "not WORD=VALUE"},     {"cycles=a-b", "cycles"},
               {"step=99999999999", "step"}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        expect(2, bad[i].message,
               WORDS("run", TRACE, "--timeline", "bad", "--timeline-range", bad[i].range));
    assert_false(cli_exists("bad"));
    expect(2, "needs --timeline", WORDS("run", TRACE, "--timeline-range", "step=3"));
    expect(2, "--resume", WORDS("run", TRACE, "-o", "r", "--resume", "--timeline", "t"));
    assert_false(cli_exists("r"));
    expect(1, "none/t", WORDS("run", TRACE, "-o", "r", "--timeline", "none/t"));
    assert_false(cli_exists("r"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timeline_shows_what_the_run_did),
        cmocka_unit_test(the_decoder_of_others_reads_it_too),
        cmocka_unit_test(a_timeline_changes_nothing_and_threads_do_not_show),
        cmocka_unit_test(a_range_is_all_that_is_drawn),
        cmocka_unit_test(long_steps_do_not_move_the_next_launch),
        cmocka_unit_test(bad_ranges_are_refused),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
