/*
 * Computes tables from the clock values of card_kit, or from the clock reads of the same program in
 * a simulation (rubato run --clock-reads). Plain C11, no dependencies: cc -o card_tables card_tables.c
 *
 *   card_tables FOLDER [--clocks FILE]
 *
 * Reads FOLDER/card.csv, launches.csv, and clocks.csv or FILE. Writes FOLDER/measured.csv, a row per
 * test and point with the median of the repeats, and FOLDER/card_TEST.csv for each curve.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 64, LINE = 512, PATH = 4096 };

/* A row of launches.csv with the time that its clocks say. */
typedef struct {
    unsigned long long launch;
    char test[TEXT], kind[TEXT], unit[TEXT];
    double x, amount;
    int repeat;
    double cycles;
} launch_t;

typedef struct {
    unsigned long long launch, block, warp, read;
    long long clock;
} clock_row_t;

typedef struct {
    FILE *file;
    const char *path;
    unsigned long line;
    clock_row_t row; /* the next row */
    bool more;
} clock_file_t;

static void fail(const char *path, unsigned long line, const char *what)
{
    if (line > 0)
        fprintf(stderr, "card_tables: %s:%lu: %s\n", path, line, what);
    else
        fprintf(stderr, "card_tables: %s: %s\n", path, what);
    exit(2);
}

static FILE *open_in(const char *folder, const char *name, const char *mode, char path[PATH])
{
    const int n = snprintf(path, PATH, "%s/%s", folder, name);
    FILE *f = n < PATH ? fopen(path, mode) : NULL;

    if (f == NULL)
        fail(path, 0, mode[0] == 'r' ? "cannot be read; card_kit writes it" : "cannot be written");
    return f;
}

/* Reads a line without its end; false after the last. */
static bool read_line(FILE *f, const char *path, unsigned long *line, char text[LINE])
{
    if (fgets(text, LINE, f) == NULL) {
        if (ferror(f))
            fail(path, *line, "cannot be read");
        return false;
    }
    ++*line;
    const size_t n = strcspn(text, "\r\n");
    if (text[n] == '\0' && !feof(f))
        fail(path, *line, "the line is too long");
    text[n] = '\0';
    return true;
}

/* --- clocks -------------------------------------------------------------------------------- */

static void next_clock(clock_file_t *c)
{
    char text[LINE], rest;
    const clock_row_t last = c->row;
    const bool first = !c->more;

    c->more = read_line(c->file, c->path, &c->line, text);
    if (!c->more)
        return;
    clock_row_t *r = &c->row;
    if (sscanf(text, "%llu,%llu,%llu,%llu,%lld%c", &r->launch, &r->block, &r->warp, &r->read,
               &r->clock, &rest) != 5)
        fail(c->path, c->line, "expected launch,block,warp,read,clock");
    if (!first && r->launch < last.launch)
        fail(c->path, c->line, "the launches are not in order");
}

static void open_clocks(clock_file_t *c, const char *path)
{
    char text[LINE];

    *c = (clock_file_t){.path = path, .file = fopen(path, "r")};
    if (c->file == NULL)
        fail(path, 0, "cannot be read");
    if (!read_line(c->file, path, &c->line, text) ||
        strcmp(text, "launch,block,warp,read,clock") != 0)
        fail(path, 1, "expected the columns launch,block,warp,read,clock");
    next_clock(c);
}

/* The last two reads of a warp. */
static bool warp_times(clock_file_t *c, unsigned long long launch, long long *first,
                       long long *last)
{
    const unsigned long long block = c->row.block, warp = c->row.warp;
    int n = 0;

    while (c->more && c->row.launch == launch && c->row.block == block && c->row.warp == warp) {
        *first = *last;
        *last = c->row.clock;
        n++;
        next_clock(c);
    }
    return n >= 2;
}

/* From the first to the last read of the warps of a block. */
typedef struct {
    long long begin, end;
} block_t;

static block_t block_times(clock_file_t *c, unsigned long long launch)
{
    const unsigned long long block = c->row.block;
    block_t b = {.begin = INT64_MAX, .end = INT64_MIN};

    while (c->more && c->row.launch == launch && c->row.block == block) {
        long long first = 0, last = 0;

        if (!warp_times(c, launch, &first, &last))
            fail(c->path, c->line, "a warp has fewer than two reads");
        if (last < first)
            fail(c->path, c->line, "the clock runs backwards");
        b.begin = first < b.begin ? first : b.begin;
        b.end = last > b.end ? last : b.end;
    }
    return b;
}

/* Blocks of a launch in the order of the file; *n: how many. */
static block_t *read_blocks(clock_file_t *c, unsigned long long launch, size_t *n)
{
    block_t *blocks = NULL;
    size_t cap = 0;

    *n = 0;
    while (c->more && c->row.launch < launch)
        next_clock(c);
    while (c->more && c->row.launch == launch) {
        if (*n == cap) {
            cap = cap == 0 ? 64 : 2 * cap;
            blocks = realloc(blocks, cap * sizeof(*blocks));
            if (blocks == NULL)
                fail(c->path, c->line, "out of memory");
        }
        blocks[(*n)++] = block_times(c, launch);
    }
    if (*n == 0) {
        fprintf(stderr, "card_tables: %s: no clocks of launch %llu\n", c->path, launch);
        exit(2);
    }
    return blocks;
}

/*
 * Cycles of a launch: the mean of its blocks; for turns, the mean from the end of a block to the begin
 * of the next. SMs have clocks of their own, but each takes part once in both means of a turn.
 */
static double launch_cycles(clock_file_t *c, unsigned long long launch, bool turn)
{
    double sum = 0;
    size_t n;
    block_t *blocks = read_blocks(c, launch, &n);

    if (turn && n % 2 != 0)
        fail(c->path, c->line, "the launch before has an odd number of blocks");
    for (size_t i = 0; i < n; i++) {
        if (!turn)
            sum += (double)(blocks[i].end - blocks[i].begin) / (double)n;
        else
            sum += (double)(i < n / 2 ? -blocks[i].end : blocks[i].begin) / (double)(n / 2);
    }
    free(blocks);
    return sum;
}

/* --- launches ------------------------------------------------------------------------------ */

static launch_t *read_launches(const char *folder, clock_file_t *clocks, size_t *n)
{
    char path[PATH], text[LINE], rest;
    FILE *f = open_in(folder, "launches.csv", "r", path);
    unsigned long line = 0;
    launch_t *list = NULL;
    size_t cap = 0;

    *n = 0;
    if (!read_line(f, path, &line, text) ||
        strcmp(text, "launch,test,kind,x,repeat,amount,unit") != 0)
        fail(path, 1, "expected the columns launch,test,kind,x,repeat,amount,unit");
    while (read_line(f, path, &line, text)) {
        launch_t l = {0};

        if (sscanf(text, "%llu,%63[a-z0-9_],%63[a-z],%lf,%d,%lf,%63[^,]%c", &l.launch, l.test,
                   l.kind, &l.x, &l.repeat, &l.amount, l.unit, &rest) != 7)
            fail(path, line, "is not a row of a launch");
        if (*n > 0 && l.launch <= list[*n - 1].launch)
            fail(path, line, "the launches are not in order");
        l.cycles = launch_cycles(clocks, l.launch, strcmp(l.kind, "turn") == 0);
        if (*n == cap) {
            cap = cap == 0 ? 64 : 2 * cap;
            list = realloc(list, cap * sizeof(*list));
            if (list == NULL)
                fail(path, line, "out of memory");
        }
        list[(*n)++] = l;
    }
    fclose(f);
    return list;
}

/* --- values -------------------------------------------------------------------------------- */

static bool same_point(const launch_t *a, const launch_t *b)
{
    return strcmp(a->test, b->test) == 0 && !(a->x < b->x) && !(a->x > b->x);
}

/* The value of a repeat that begins at l; *used: its number of launches. */
static double value_of(const launch_t *l, size_t left, size_t *used)
{
    const bool turn = strcmp(l->kind, "turn") == 0, chip = strcmp(l->kind, "chip") == 0;

    *used = turn || chip ? 1 : 2;
    if (turn)
        return l->cycles;
    if (chip)
        return l->amount / l->cycles;
    if (left < 2 || !same_point(l, l + 1) || l[1].repeat != l->repeat)
        fail("launches.csv", 0, "a launch lacks the second one of its pair");
    const double amount = l[1].amount - l->amount, cycles = l[1].cycles - l->cycles;
    const bool slope = strcmp(l->kind, "slope") == 0;

    if (!(amount > 0) || !(cycles > 0)) {
        fprintf(stderr, "card_tables: %s: the longer launch %llu took no longer\n", l->test,
                l[1].launch);
        exit(2);
    }
    return slope ? cycles / amount : amount / cycles;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

typedef struct {
    char card[TEXT], clock_khz[TEXT], driver[TEXT];
} card_t;

static void read_card(const char *folder, card_t *card)
{
    char path[PATH], text[LINE];
    FILE *f = open_in(folder, "card.csv", "r", path);
    unsigned long line = 0;

    *card = (card_t){.card = "unknown", .clock_khz = "0", .driver = "0"};
    while (read_line(f, path, &line, text)) {
        char key[TEXT], value[TEXT];

        if (sscanf(text, "%63[^,],%63[^,\"]", key, value) != 2)
            fail(path, line, "expected key,value");
        if (strcmp(key, "card") == 0)
            strcpy(card->card, value);
        else if (strcmp(key, "clock_khz") == 0)
            strcpy(card->clock_khz, value);
        else if (strcmp(key, "driver") == 0)
            strcpy(card->driver, value);
    }
    fclose(f);
}

/* A file of its own for each curve, which 'rubato validate --published' reads. */
static void write_curve(const char *folder, const launch_t *l, double value, const char *last_test)
{
    char name[TEXT + 16], path[PATH];
    const bool begins = strcmp(l->test, last_test) != 0;

    if (!(l->x > 0))
        return;
    snprintf(name, sizeof(name), "card_%s.csv", l->test);
    FILE *f = open_in(folder, name, begins ? "w" : "a", path);
    if (begins)
        fputs("x,value\n", f);
    fprintf(f, "%.17g,%.17g\n", l->x, value);
    if (fclose(f) != 0)
        fail(path, 0, "cannot be written");
}

static void write_tables(const char *folder, const card_t *card, const launch_t *list, size_t n)
{
    char path[PATH];
    FILE *f = open_in(folder, "measured.csv", "w", path);
    double *values = calloc(n + 1, sizeof(*values));

    fputs("card,clock_mhz,driver,test,x,value,unit,repeats,low,high\n", f);
    for (size_t i = 0, used; i < n && values != NULL;) {
        const launch_t *l = &list[i];
        size_t k = 0;

        for (; i < n && same_point(l, &list[i]); i += used)
            values[k++] = value_of(&list[i], n - i, &used);
        qsort(values, k, sizeof(*values), by_value);
        const double median = k % 2 == 1 ? values[k / 2] : (values[k / 2 - 1] + values[k / 2]) / 2;
        fprintf(f, "%s,%.3f,%s,%s,%.17g,%.6g,%s,%zu,%.6g,%.6g\n", card->card,
                atof(card->clock_khz) / 1000, card->driver, l->test, l->x, median, l->unit, k,
                values[0], values[k - 1]);
        write_curve(folder, l, median, l > list ? l[-1].test : "");
    }
    if (values == NULL || fclose(f) != 0)
        fail(path, 0, "cannot be written");
    free(values);
}

int main(int argc, char **argv)
{
    char path[PATH];
    clock_file_t clocks;
    card_t card;
    size_t n;

    if (argc != 2 && !(argc == 4 && strcmp(argv[2], "--clocks") == 0)) {
        fputs("usage: card_tables FOLDER [--clocks FILE]\n", stderr);
        return 2;
    }
    snprintf(path, sizeof(path), "%s/clocks.csv", argv[1]);
    read_card(argv[1], &card);
    open_clocks(&clocks, argc == 4 ? argv[3] : path);
    launch_t *list = read_launches(argv[1], &clocks, &n);
    fclose(clocks.file);
    write_tables(argv[1], &card, list, n);
    free(list);
    return 0;
}
