#include "frontend/tool/run/results/run_timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/io/option_value.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/report/perfetto_writer.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

/* Drawing stops once the file exceeds this size. */
#define BYTES_MAX (UINT64_C(256) << 20)

/* Counters of an SM in addition to its warp states. */
enum { SM_IPC, SM_WARPS, SM_MEMORY, SM_LINES, SM_PACKETS, SM_EXTRA };
static const struct {
    const char *name, *unit;
} sm_counters[SM_EXTRA] = {{"instructions per cycle", "warp instructions"},
                           {"resident warps", "warps"},
                           {"queue: memory instructions", "instructions"},
                           {"queue: L1 lines in flight", "lines"},
                           {"queue: packets to the crossbar", "packets"}};
enum { SM_TRACKS = SM_EXTRA + STATE_COUNT };

enum {
    PART_L2,
    PART_HITS,
    PART_READ,
    PART_WRITE,
    PART_REQUESTS,
    PART_LINES,
    PART_DRAM_READS,
    PART_DRAM_WRITES,
    PART_TRACKS
};
static const struct {
    const char *name, *unit;
} partition_counters[PART_TRACKS] = {
    {"L2: sectors per cycle", "sectors"},     {"L2: share of hits", "1"},
    {"DRAM: bytes read per cycle", "bytes"},  {"DRAM: bytes written per cycle", "bytes"},
    {"queue: requests at the L2", "packets"}, {"queue: L2 lines in flight", "lines"},
    {"queue: DRAM reads", "requests"},        {"queue: DRAM writes", "requests"}};

/* The last drawn value of a counter; its track is created at the first value other than 0. */
typedef struct {
    uint64_t track;
    double last;
} curve_t;

typedef struct {
    uint64_t group;
    uint64_t slot[SM_MAX_STAYS]; /* tracks of blocks */
    curve_t curve[SM_TRACKS];
} sm_tracks_t;

typedef struct {
    uint64_t group;
    curve_t curve[PART_TRACKS];
} partition_tracks_t;

struct run_timeline {
    out_file_t file;
    perfetto_t perfetto;
    uint64_t chip, launches; /* the group, and its track */
    curve_t state[STATE_COUNT];
    sm_tracks_t *sm; /* owned */
    partition_tracks_t *partition;
    bool full;
    bool worked; /* streams were drawn */
};

rb_code_t run_timeline_open(run_timeline_t **out, const char *path, rb_err_t *err)
{
    run_timeline_t *t = rb_calloc(1, sizeof(*t));
    rb_code_t rc = out_file_open_path(&t->file, path, err);
    if (rc != RB_OK) {
        free(t);
        return rc;
    }
    perfetto_begin(&t->perfetto, t->file.out);
    t->chip = perfetto_group(&t->perfetto, "chip");
    t->launches = perfetto_track(&t->perfetto, t->chip, "launches", 0);
    *out = t;
    return RB_OK;
}

/* A track of a stream: operations of one stream that overlap have several. */
typedef struct {
    uint64_t stream, track;
    cycle_t end; /* of its last slice */
    unsigned lane;
} lane_t;

/* The first track of the stream that is free at this time, or a new one. */
static lane_t *free_lane(run_timeline_t *t, uint64_t group, lane_t **lanes, size_t *n, size_t *cap,
                         uint64_t stream, cycle_t at)
{
    unsigned lane = 0;
    for (size_t i = 0; i < *n; i++) {
        if ((*lanes)[i].stream != stream)
            continue;
        if ((*lanes)[i].end <= at)
            return &(*lanes)[i];
        lane++;
    }
    char name[64];
    rb_grow(lanes, cap, *n + 1, sizeof(**lanes));
    snprintf(name, sizeof(name), lane == 0 ? "stream %llu" : "stream %llu (%u)",
             (unsigned long long)stream, lane + 1);
    (*lanes)[*n] = (lane_t){
        .stream = stream, .track = perfetto_track(&t->perfetto, group, name, *n), .lane = lane};
    return &(*lanes)[(*n)++];
}

void run_timeline_work(run_timeline_t *t, const stream_graph_t *g, const stream_op_time_t *times,
                       const char *(*name_of)(void *ctx, uint64_t launch), void *ctx)
{
    const uint64_t group = perfetto_group(&t->perfetto, "streams");
    lane_t *lanes = NULL;
    size_t n = 0, cap = 0;
    for (size_t i = 0; i < g->n; i++) {
        const stream_op_t *op = &g->ops[i];
        if (!times[i].ran)
            continue;
        char name[300], note[64];
        if (op->kind == STREAM_OP_LAUNCH)
            snprintf(name, sizeof(name), "%llu: %s", (unsigned long long)op->launch,
                     name_of(ctx, op->launch));
        else
            snprintf(name, sizeof(name), "%s", stream_op_name((stream_op_kind_t)op->kind));
        snprintf(note, sizeof(note), "operation %zu%s", i + 1,
                 times[i].critical ? ", on the critical path" : "");
        lane_t *lane = free_lane(t, group, &lanes, &n, &cap, op->stream, times[i].start);
        perfetto_slice_begin(&t->perfetto, lane->track, times[i].start, name, note);
        perfetto_slice_end(&t->perfetto, lane->track, times[i].end);
        lane->end = times[i].end;
    }
    free(lanes);
    t->worked = true;
}

rb_code_t run_timeline_finish(run_timeline_t *t, rb_err_t *err)
{
    if (t == NULL)
        return RB_OK;
    if (t->sm == NULL && !t->worked)
        rb_warn("%s: the timeline is empty: nothing was simulated in --timeline-range",
                t->file.path);
    return out_file_close(&t->file, RB_OK, err);
}

void run_timeline_free(run_timeline_t *t)
{
    if (t == NULL)
        return;
    out_file_abandon(&t->file);
    free(t->sm);
    free(t->partition);
    free(t);
}

/* Parses "3-5", "3" or "3-", a range; counts may have prefixes. */
static rb_code_t read_bounds(const char *word, char *text, uint64_t least, uint64_t *from,
                             uint64_t *to, rb_err_t *err)
{
    char *dash = strchr(text, '-');
    if (dash != NULL)
        *dash = '\0';
    RB_TRY(option_count(word, text, least, UINT64_MAX, from, err));
    *to = dash == NULL ? *from : UINT64_MAX;
    if (dash != NULL && dash[1] != '\0')
        RB_TRY(option_count(word, dash + 1, *from, UINT64_MAX, to, err));
    return RB_OK;
}

static rb_code_t read_part(char *part, chip_view_plan_t *out, rb_err_t *err)
{
    uint64_t most;
    char *value = strchr(part, '=');
    if (value == NULL)
        return rb_fail(err, RB_USAGE,
                       "--timeline-range: '%.60s' is not WORD=VALUE: launch=3-5, cycles=0-20k or "
                       "step=500",
                       part);
    *value++ = '\0';
    if (strcmp(part, "launch") == 0)
        return read_bounds("timeline-range launch", value, 1, &out->first_launch, &out->last_launch,
                           err);
    if (strcmp(part, "cycles") == 0) {
        RB_TRY(read_bounds("timeline-range cycles", value, 0, &out->from, &out->to, err));
        if (out->to > out->from)
            return RB_OK;
        return rb_fail(err, RB_USAGE, "--timeline-range: cycles=FROM-TO, such as cycles=0-20k");
    }
    if (strcmp(part, "step") == 0) {
        most = UINT32_MAX;
        return option_count("timeline-range step", value, 1, most, &out->interval, err);
    }
    return rb_fail(err, RB_USAGE,
                   "--timeline-range: unknown word '%.60s'; use launch, cycles or step", part);
}

rb_code_t run_timeline_range(const char *text, chip_view_plan_t *out, rb_err_t *err)
{
    enum { STEP = 1000 };
    char *copy = rb_strdup(text != NULL ? text : ""), *rest = copy;
    rb_code_t rc = RB_OK;
    *out = (chip_view_plan_t){.interval = STEP, .last_launch = UINT64_MAX, .to = CYCLE_NEVER};
    for (char *part; rc == RB_OK && (part = strsep(&rest, ",")) != NULL;) {
        if (text != NULL)
            rc = read_part(part, out, err);
    }
    free(copy);
    return rc;
}

/* Draws a value if it has changed. */
static void draw(run_timeline_t *t, curve_t *c, uint64_t group, const char *name, const char *unit,
                 uint64_t rank, uint64_t time, double value)
{
    if (value == c->last)
        return;
    if (c->track == 0)
        c->track = perfetto_counter(&t->perfetto, group, name, unit, rank);
    perfetto_value(&t->perfetto, c->track, time, value);
    c->last = value;
}

static const char *state_name(unsigned state)
{
    static const size_t prefix = sizeof("state_") - 1;
    return sm_stat_defs[state].name + prefix;
}

static void make_groups(run_timeline_t *t, const chip_view_t *v)
{
    char name[32];
    if (t->sm != NULL)
        return;
    t->sm = rb_calloc(v->n_sms, sizeof(*t->sm));
    t->partition = rb_calloc(v->n_partitions, sizeof(*t->partition));
    for (uint32_t i = 0; i < v->n_sms; i++) {
        snprintf(name, sizeof(name), "SM %u", i);
        t->sm[i].group = perfetto_group(&t->perfetto, name);
    }
    for (uint32_t i = 0; i < v->n_partitions; i++) {
        snprintf(name, sizeof(name), "memory partition %u", i);
        t->partition[i].group = perfetto_group(&t->perfetto, name);
    }
}

static void draw_stay(run_timeline_t *t, sm_tracks_t *sm, const sm_stay_t *s, cycle_t end,
                      const char *note)
{
    char name[32];
    uint64_t *track = &sm->slot[s->slot];
    if (*track == 0) {
        snprintf(name, sizeof(name), "slot %u", s->slot);
        *track = perfetto_track(&t->perfetto, sm->group, name, s->slot);
    }
    snprintf(name, sizeof(name), "block %llu", (unsigned long long)s->block);
    perfetto_slice_begin(&t->perfetto, *track, s->start, name, note);
    perfetto_slice_end(&t->perfetto, *track, end);
}

/* Rates hold from the beginning of the view on; queues have their values at its end. */
static void draw_sm(run_timeline_t *t, const chip_view_t *v, uint32_t i)
{
    const sm_view_t *view = &v->sm[i];
    const uint64_t *states = (const uint64_t *)&view->did;
    const double cycles = (double)(v->to - v->from);
    const cycle_t from = v->start + v->from, to = v->start + v->to;
    const double values[SM_EXTRA] = {[SM_IPC] = (double)view->did.warp_insts / cycles,
                                     [SM_WARPS] = view->holds.warps,
                                     [SM_MEMORY] = view->holds.memory,
                                     [SM_LINES] = view->holds.lines,
                                     [SM_PACKETS] = view->holds.packets_out};
    sm_tracks_t *sm = &t->sm[i];
    for (size_t k = 0; k < view->n_ended; k++)
        draw_stay(t, sm, &view->ended[k], view->ended[k].end, NULL);
    for (size_t k = 0; k < view->n_resident; k++)
        draw_stay(t, sm, &view->resident[k], to, "continues after the end of the range");
    for (unsigned k = 0; k < SM_EXTRA; k++)
        draw(t, &sm->curve[k], sm->group, sm_counters[k].name, sm_counters[k].unit,
             SM_MAX_STAYS + k, k == SM_IPC ? from : to, values[k]);
    for (unsigned s = STATE_NO_WARP + 1; s < STATE_COUNT; s++)
        draw(t, &sm->curve[SM_EXTRA + s], sm->group, state_name(s), "warps",
             SM_MAX_STAYS + SM_EXTRA + s, from, (double)states[s] / cycles);
}

static void draw_partition(run_timeline_t *t, const chip_view_t *v, uint32_t i)
{
    const partition_view_t *view = &v->partition[i];
    const l2_stats_t *l2 = &view->l2;
    const double cycles = (double)(v->to - v->from);
    const uint64_t sectors =
        l2->read_sectors + l2->write_sectors + l2->atomic_sectors + l2->red_sectors;
    const uint64_t hits = l2->read_hits + l2->write_hits + l2->atomic_hits + l2->red_hits;
    const double values[PART_TRACKS] = {
        [PART_L2] = (double)sectors / cycles,
        [PART_HITS] = stats_ratio(hits, sectors),
        [PART_READ] = (double)(view->dram.read_sectors * SECTOR_BYTES) / cycles,
        [PART_WRITE] = (double)(view->dram.write_sectors * SECTOR_BYTES) / cycles,
        [PART_REQUESTS] = view->holds.requests,
        [PART_LINES] = view->holds.lines,
        [PART_DRAM_READS] = view->holds.dram_reads,
        [PART_DRAM_WRITES] = view->holds.dram_writes};
    partition_tracks_t *p = &t->partition[i];
    for (unsigned k = 0; k < PART_TRACKS; k++)
        draw(t, &p->curve[k], p->group, partition_counters[k].name, partition_counters[k].unit, k,
             v->start + (k < PART_REQUESTS ? v->from : v->to), values[k]);
}

/* Draws the number of warps of the chip by state. */
static void draw_states(run_timeline_t *t, const chip_view_t *v)
{
    for (unsigned s = STATE_NO_WARP + 1; s < STATE_COUNT; s++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < v->n_sms; i++)
            sum += ((const uint64_t *)&v->sm[i].did)[s];
        draw(t, &t->state[s], t->chip, state_name(s), "warps", s, v->start + v->from,
             (double)sum / (double)(v->to - v->from));
    }
}

static void draw_zeros(run_timeline_t *t, curve_t *c, size_t n, cycle_t time)
{
    for (size_t i = 0; i < n; i++) {
        if (c[i].track != 0)
            draw(t, &c[i], 0, NULL, NULL, 0, time, 0.0);
    }
}

/* Sets all curves to 0 between launches and outside the range. */
static void end_curves(run_timeline_t *t, const chip_view_t *v, cycle_t time)
{
    draw_zeros(t, t->state, STATE_COUNT, time);
    for (uint32_t i = 0; i < v->n_sms; i++)
        draw_zeros(t, t->sm[i].curve, SM_TRACKS, time);
    for (uint32_t i = 0; i < v->n_partitions; i++)
        draw_zeros(t, t->partition[i].curve, PART_TRACKS, time);
}

static void begin_launch(run_timeline_t *t, const chip_view_t *v)
{
    const launch_info_t *l = v->launch;
    char name[256], note[160];
    int n = snprintf(name, sizeof(name), "%llu: ", (unsigned long long)l->id);
    format_kernel(name + n, sizeof(name) - (size_t)n, l->name);
    snprintf(note, sizeof(note), "grid %u x %u x %u, block %u x %u x %u", l->grid[0], l->grid[1],
             l->grid[2], l->block[0], l->block[1], l->block[2]);
    perfetto_slice_begin(&t->perfetto, t->launches, v->start + v->from, name, note);
}

void run_timeline_view(run_timeline_t *t, const chip_view_t *v)
{
    if (t->full)
        return;
    make_groups(t, v);
    if (v->first)
        begin_launch(t, v);
    draw_states(t, v);
    for (uint32_t i = 0; i < v->n_sms; i++)
        draw_sm(t, v, i);
    for (uint32_t i = 0; i < v->n_partitions; i++)
        draw_partition(t, v, i);
    t->full = t->perfetto.bytes > BYTES_MAX;
    if (v->last || t->full) {
        end_curves(t, v, v->start + v->to);
        perfetto_slice_end(&t->perfetto, t->launches, v->start + v->to);
    }
    if (t->full)
        rb_warn("the timeline ends at cycle %llu of launch %llu: it has %llu MiB; "
                "--timeline-range selects what is drawn, a larger step draws less",
                (unsigned long long)v->to, (unsigned long long)v->launch->id,
                (unsigned long long)(BYTES_MAX >> 20));
}
