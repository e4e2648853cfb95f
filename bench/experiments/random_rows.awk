# The rows of one triple of random.sh, from the folder `runs` that rubato evaluate has left.
#
# triples.tsv: number, launches, chip, samplers, failure, gain in processor time, or in host instructions where they
# were counted (work/instructions), share of the instructions that were simulated, share that was walked; then the
# processor time of the full run.
# statistics.tsv: number, samplers, statistic, value in the full run, error (relative, or a difference),
# its unit, interval printed (1, 0), exact, covered, silent, half-width, reason for no interval.

BEGIN {
    FS = OFS = "\t"
    read_counted(work "/instructions")
    read_runs(runs "/evaluation.csv")
    read_statistics(runs "/evaluation_statistics.csv")
}

# counted[SET]: host instructions.
function read_counted(file,    line, part) {
    while ((getline line < file) > 0)
        if (split(line, part, "\t") == 2 && part[2] > 0)
            counted[part[1]] = part[2]
    close(file)
}

# "NAME": NUMBER in run.json of the folder.
function number_of(folder, name,    line, value) {
    value = 0
    while ((getline line < (folder "/run.json")) > 0)
        if (match(line, "\"" name "\": *[0-9.e+-]+")) {
            value = substr(line, RSTART, RLENGTH)
            sub(/^.*: */, "", value)
            break
        }
    close(folder "/run.json")
    return value + 0
}

function read_runs(file,    line, full, seconds) {
    if ((getline line < file) <= 0) {
        print "cannot read " file > "/dev/stderr"
        exit 1
    }
    read_header(line)
    while ((getline line < file) > 0) {
        read_row(line)
        if (field("sample") == "") {
            full = field("folder")
            seconds = number_of(full, "cpu_seconds")
            insts = number_of(full, "warp_instructions")
            continue
        }
        print number, launches, chip, field("sample"), field("failure"), gain(field("sample")), \
            field("simulated_share"), field("failure") != "" ? "" : walked(field("folder")), \
            seconds >> (work "/triples.tsv")
    }
    close(file)
}

function gain(set) {
    return set in counted ? counted["full"] / counted[set] : field("speedup_cpu")
}

# Share of the instructions that was looked up in the tags of caches, without time.
function walked(folder) {
    return insts == 0 ? 0 : number_of(folder, "touched_warp_instructions") / insts
}

function read_statistics(file,    line) {
    if ((getline line < file) <= 0)
        return
    read_header(line)
    while ((getline line < file) > 0) {
        read_row(line)
        if (field("launch") != "" || field("runs") + 0 == 0)
            continue
        print number, field("sample"), field("statistic"), field("full"), field("error_bias"), \
            field("error_unit"), field("intervals"), field("exact"), field("coverage"), \
            field("silent_share"), field("half_width_mean"), field("no_interval_reasons") \
            >> (work "/statistics.tsv")
    }
    close(file)
}
