#include "frontend/tool/cli/run/run_options.h"
#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/cli/options/shared_options.h"
#include "frontend/tool/cli/run/sampler_help.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/record/recorded_launches.h"
#include "frontend/tool/io/option_value.h"
#include "frontend/tool/library/open_trace.h"
#include "frontend/tool/run/progress_line.h"
#include "frontend/tool/run/results/run_timeline.h"
#include "frontend/tool/run/run_streams.h"

static rb_code_t read_warmup(run_options_t *o, const char *value, rb_err_t *err)
{
    static const char *const modes[] = {"auto", "keep", "flush", "functional", NULL};
    static const char *const settings[] = {"warmup.mode=auto", "warmup.mode=keep",
                                           "warmup.mode=flush", "warmup.mode=functional"};
    unsigned mode;
    RB_TRY(option_word("warmup", value, modes, &mode, err));
    text_list_add(&o->setup.sets, settings[mode]);
    return RB_OK;
}

/* "2/8". */
static rb_code_t read_part(run_options_t *o, const char *value, rb_err_t *err)
{
    enum { PARTS_MAX = 100000 };
    char text[32];
    const char *slash = strchr(value, '/');
    if (slash == NULL || (size_t)(slash - value) >= sizeof(text))
        return rb_fail(err, RB_USAGE, "--part: '%.60s' is not K/N such as 2/8", value);
    memcpy(text, value, (size_t)(slash - value));
    text[slash - value] = '\0';
    RB_TRY(option_count("part", slash + 1, 1, PARTS_MAX, &o->parts, err));
    return option_count("part", text, 1, o->parts, &o->part, err);
}

static rb_code_t read_option(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    run_options_t *o = ctx;
    bool known;
    RB_TRY(program_option(&o->program, id, value, &known, err));
    o->about_program = o->about_program || (known && id != CLI_MAX_INSTS);
    if (known || setup_option(&o->setup, id, value))
        return RB_OK;
    switch (id) {
    case CLI_FLUSH:
        text_list_add(&o->setup.sets, "warmup.mode=flush");
        return RB_OK;
    case CLI_WARMUP:
        return read_warmup(o, value, err);
    case CLI_PLAN:
        return option_once(&o->sampling.plan, "plan", value, err);
    case CLI_SAMPLE:
        RB_TRY(sample_option(&o->samples, value, err));
        o->sampling.sample = o->samples;
        return RB_OK;
    case CLI_PROFILE:
        return option_once(&o->sampling.profile, "profile", value, err);
    case CLI_CHANGE_FROM:
        return option_once(&o->sampling.base, "change-from", value, err);
    case CLI_CHANGE_BOUND:
        o->bounds_change = true;
        return option_share("change-bound", value, &o->sampling.change_bound, err);
    case CLI_KEEP_WALKS:
        o->keep_walks = true;
        return RB_OK;
    case CLI_SEED:
        return option_count("seed", value, 0, UINT64_MAX, &o->sampling.seed, err);
    case CLI_OUTPUT:
        o->folder = value;
        return RB_OK;
    case CLI_LAUNCHES:
        o->launches = value;
        o->sampling.selected = true;
        return RB_OK;
    case CLI_JSON:
        o->json = true;
        return RB_OK;
    case CLI_RESUME:
        o->mode = FOLDER_RESUME;
        return RB_OK;
    case CLI_FORCE:
        o->mode = FOLDER_FORCE;
        return RB_OK;
    case CLI_DEBUG_WINDOW:
        o->window = value;
        return RB_OK;
    case CLI_THREADS:
        return option_count("threads", value, 1, SETUP_THREADS_MAX, &o->threads, err);
    case CLI_PROGRESS:
        return option_word("progress", value, progress_when_words, &o->progress, err);
    case CLI_ISOLATED:
        o->isolated = true;
        return RB_OK;
    case CLI_CYCLES:
        return option_count("cycles", value, 1, UINT64_MAX / 2, &o->limit.cycles, err);
    case CLI_PART:
        return read_part(o, value, err);
    case CLI_MERGE:
        text_list_add(&o->merge, value);
        return RB_OK;
    case CLI_TIMELINE:
        o->timeline = value;
        return RB_OK;
    case CLI_TIMELINE_RANGE:
        o->timeline_range = value;
        return RB_OK;
    case CLI_STREAMS:
        free(o->shares);
        return run_streams_parse(value, &o->shares, &o->n_shares, err);
    case CLI_DETECTORS:
        o->detectors = true;
        return RB_OK;
    case CLI_PER_INSTRUCTION:
        o->per_instruction = true;
        return RB_OK;
    case CLI_CLOCK_READS:
        o->clock_reads = true;
        return RB_OK;
    case CLI_STATS_FORMAT:
        return option_word("stats-format", value, cli_stats_format_words, &o->format, err);
    case CLI_STATS_INTERVAL:
        return option_count("stats-interval", value, 1, UINT64_MAX, &o->stats_interval, err);
    case CLI_CHECKPOINT_INTERVAL:
        return option_seconds("checkpoint-interval", value, &o->checkpoint_interval, err);
    default:
        return rb_fail(err, RB_USAGE, "option not known to run");
    }
}

/* Checks --plan, samplers that choose launches, and related options. */
static rb_code_t check_sampling(const run_options_t *o, const sampling_options_t *s, rb_err_t *err)
{
    const char *word = s->base != NULL ? "change-from" : s->plan != NULL ? "plan" : "sample";
    if (s->base != NULL && (s->plan != NULL || s->sample != NULL))
        return rb_fail(err, RB_USAGE, "--change-from and --%s both choose launches",
                       s->plan != NULL ? "plan" : "sample");
    if (o->keep_walks && (o->folder == NULL || o->isolated))
        return rb_fail(err, RB_USAGE,
                       o->isolated ? "--keep-walks: not with --isolated"
                                   : "--keep-walks needs a folder (-o)");
    if (o->bounds_change && s->base == NULL)
        return rb_fail(err, RB_USAGE, "--change-bound needs --change-from");
    if (s->plan != NULL && s->sample != NULL)
        return rb_fail(err, RB_USAGE, "--plan and --sample exclude each other");
    if (s->profile != NULL && s->sample == NULL)
        return rb_fail(err, RB_USAGE, "--profile needs --sample, which chooses from it");
    if (s->plan == NULL && s->sample == NULL && s->base == NULL)
        return RB_OK;
    if (o->launches != NULL)
        return rb_fail(err, RB_USAGE, "--launches and --%s exclude each other", word);
    if (o->format != STATS_FORMAT_RUBATO)
        return rb_fail(err, RB_USAGE,
                       "--stats-format accelsim cannot express estimates: not with --%s", word);
    return RB_OK;
}

rb_code_t run_options_divide(const run_options_t *o, const char *sample, run_inside_t *inside,
                             sampling_options_t *from, rb_err_t *err)
{
    *from = o->sampling;
    if (sample != NULL)
        RB_TRY(run_inside_divide(inside, sample, o->sampling.seed, err));
    from->sample = inside->launch;
    if (inside->list.n > 0 && o->format != STATS_FORMAT_RUBATO)
        return rb_fail(err, RB_USAGE,
                       "--stats-format accelsim cannot express estimates: not with --sample");
    return check_sampling(o, from, err);
}

/* Reports mistakes in --sample before the trace is opened. */
static rb_code_t check_samplers(const run_options_t *o, rb_err_t *err)
{
    run_inside_t inside = {0};
    sampling_options_t from;
    rb_code_t rc = run_options_divide(o, o->sampling.sample, &inside, &from, err);
    run_inside_free(&inside);
    return rc;
}

/* Checks -o and related options. */
static rb_code_t check_output(const run_options_t *o, rb_err_t *err)
{
    if (o->folder == NULL && o->mode != FOLDER_NEW)
        return rb_fail(err, RB_USAGE, "--%s needs a folder: -o DIR",
                       o->mode == FOLDER_RESUME ? "resume" : "force");
    if (o->folder == NULL && o->stats_interval > 0)
        return rb_fail(err, RB_USAGE, "--stats-interval needs a folder for intervals.csv: -o DIR");
    if (o->folder == NULL && o->detectors)
        return rb_fail(err, RB_USAGE, "--detectors needs a folder for detectors.json: -o DIR");
    if (o->detectors && o->mode == FOLDER_RESUME)
        return rb_fail(err, RB_USAGE,
                       "--detectors observes a run from its beginning: not with --resume");
    if (o->folder == NULL && o->per_instruction)
        return rb_fail(err, RB_USAGE,
                       "--per-instruction needs a folder for instructions.csv: -o DIR");
    if (o->per_instruction && o->mode == FOLDER_RESUME)
        return rb_fail(err, RB_USAGE,
                       "--per-instruction counts from the beginning of a run: not with --resume; "
                       "--force starts over");
    if (o->folder == NULL && o->clock_reads)
        return rb_fail(err, RB_USAGE, "--clock-reads needs a folder for clock_reads.csv: -o DIR");
    if (o->clock_reads && o->detectors)
        return rb_fail(err, RB_USAGE, "--clock-reads and --detectors exclude each other");
    if (o->clock_reads && o->mode == FOLDER_RESUME)
        return rb_fail(err, RB_USAGE,
                       "--clock-reads records from the beginning of a run: not with --resume; "
                       "--force starts over");
    if (o->json && o->format != STATS_FORMAT_RUBATO)
        return rb_fail(err, RB_USAGE, "--json and --stats-format accelsim exclude each other");
    return RB_OK;
}

/* Checks --isolated and related options. */
static rb_code_t check_isolated(const run_options_t *o, rb_err_t *err)
{
    if (!o->isolated && (o->parts > 0 || o->merge.n > 0))
        return rb_fail(err, RB_USAGE, "--part and --merge need --isolated");
    if (o->isolated && o->program.words != NULL)
        return rb_fail(err, RB_USAGE, "--isolated needs a trace, not a program");
    if (o->isolated && (o->stats_interval > 0 || o->timeline != NULL || o->detectors))
        return rb_fail(err, RB_USAGE,
                       "--isolated launches have no common time: not with --stats-interval, "
                       "--timeline and --detectors");
    if (o->parts > 0 && (o->merge.n > 0 || o->folder == NULL))
        return rb_fail(err, RB_USAGE, "--part needs a folder of its own (-o), and no --merge");
    if (o->merge.n > 0 && o->per_instruction)
        return rb_fail(err, RB_USAGE,
                       "--merge takes results that have no counts per instruction: not with "
                       "--per-instruction");
    if (o->merge.n > 0 && o->clock_reads)
        return rb_fail(err, RB_USAGE,
                       "--merge takes results that have no clock reads: not with --clock-reads");
    if (o->merge.n > 0 && o->folder == NULL)
        return rb_fail(err, RB_USAGE, "--merge needs a folder for the whole: -o DIR");
    return RB_OK;
}

/* Checks --cycles and --max-insts. */
static rb_code_t check_limit(const run_options_t *o, rb_err_t *err)
{
    const char *other = o->sampling.plan != NULL   ? "plan"
                        : o->sampling.base != NULL ? "change-from"
                        : o->samples != NULL       ? "sample"
                        : o->isolated              ? "isolated"
                        : o->timeline != NULL      ? "timeline"
                        : o->detectors             ? "detectors"
                        : o->per_instruction       ? "per-instruction"
                        : o->clock_reads           ? "clock-reads"
                                                   : NULL;
    if (o->limit.cycles == 0 && o->limit.insts == 0)
        return RB_OK;
    if (o->program.words != NULL)
        return rb_fail(err, RB_USAGE,
                       "--cycles needs a trace, not a program: record it first (rubato record)");
    if (other != NULL)
        return rb_fail(err, RB_USAGE, "--%s ends a run in the midst of a launch: not with --%s",
                       o->limit.cycles > 0 ? "cycles" : "max-insts", other);
    return RB_OK;
}

static rb_code_t check_timeline(run_options_t *o, rb_err_t *err)
{
    if (o->timeline == NULL && o->timeline_range != NULL)
        return rb_fail(err, RB_USAGE, "--timeline-range needs --timeline");
    if (o->timeline == NULL)
        return RB_OK;
    if (o->mode == FOLDER_RESUME)
        return rb_fail(err, RB_USAGE,
                       "--timeline draws a run from its beginning: not with --resume");
    return run_timeline_range(o->timeline_range, &o->view, err);
}

/* A program follows "--", unless the word is a trace whose name begins with "-". */
static rb_code_t take_operands(run_options_t *o, const cli_parser_t *p, rb_err_t *err)
{
    const bool dashes = p->n_operands > 0 && strcmp(p->operands[-1], "--") == 0;
    if (!dashes || (p->n_operands == 1 && open_trace_detect(p->operands[0]))) {
        if (o->about_program)
            return rb_fail(err, RB_USAGE,
                           "--arch, --timeout and --skip-unsupported need a program: "
                           "-- PROGRAM");
        if (p->n_operands == 0)
            return rb_fail(err, RB_USAGE,
                           "TRACE is missing, or -- PROGRAM; see 'rubato run --help'");
        o->setup.trace = p->operands[0];
        o->limit.insts = o->program.max_insts;
        return cli_check_operands(p, 1, 1, err);
    }
    o->program.words = p->operands;
    o->program.setup = &o->setup;
    o->program.launches = o->launches;
    o->program.tmpdir = library_tmpdir(o->setup.tmpdir);
    o->program.output_aside = o->json;
    if (o->launches != NULL && !recorded_launches_valid(o->launches))
        return rb_fail(err, RB_USAGE,
                       "--launches: '%s' is not a list of launches such as 3-7,12,20-",
                       o->launches);
    if (o->mode == FOLDER_RESUME)
        return rb_fail(err, RB_USAGE,
                       "--resume: a program cannot be continued in its midst; record it, and run "
                       "the trace");
    return RB_OK;
}

rb_code_t run_options_read(run_options_t *o, int argc, char **argv, bool *help, rb_err_t *err)
{
    cli_parser_t p;
    *o = (run_options_t){.threads = setup_usable_cores(),
                         .checkpoint_interval = 30.0,
                         .sampling = {.seed = 1, .change_bound = 0.01}};
    cli_parser_init(&p, cli_find_command("run"), argc, argv);
    RB_TRY(cli_parser_read(&p, read_option, o, help, err));
    *help = *help || (o->samples != NULL && sampler_help_wanted(o->samples));
    if (*help)
        return RB_OK;
    RB_TRY(take_operands(o, &p, err));
    RB_TRY(check_samplers(o, err));
    RB_TRY(check_timeline(o, err));
    RB_TRY(check_limit(o, err));
    RB_TRY(check_isolated(o, err));
    return check_output(o, err);
}

void run_options_free(run_options_t *o)
{
    free(o->shares);
    free(o->setup.sets.text);
    free(o->merge.text);
    free(o->samples);
}
