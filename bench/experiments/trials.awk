# The report of trials.sh: tables of the files that rubato evaluate has left in the folders that the
# input names (LEVEL, NAME, CLASS, FOLDER, with tabs between them).

BEGIN { FS = "\t" }

{ read_workload($1, $2, $3, $4) }

END {
    if (failed)
        exit 1
    for (s = 1; s <= n_sets; s++)
        print_set(set_level[s], set_sample[s])
    print_summary()
    print_statistics()
    print_reasons()
}

# ---- reading ----

function number(text) {
    return text == "" ? 0 : text + 0
}

# Waves of the launch, or the number of launches of a program.
function read_size(level, name, folder,    file, line, launches) {
    file = folder "/evaluation_launches.csv"
    if ((getline line < file) <= 0)
        return
    read_header(line)
    while ((getline line < file) > 0) {
        read_row(line)
        size[name] = number(field("waves"))
        break
    }
    close(file)
    if (level == "launches") {
        file = folder "/../" name ".log"
        if ((getline line < file) > 0 && match(line, /[0-9,]+ launches/))
            size[name] = number(substr(line, RSTART, RLENGTH - length(" launches")))
        close(file)
    }
}

function read_workload(level, name, class, folder,    file, line, sample, key) {
    read_size(level, name, folder)
    file = folder "/evaluation_sets.csv"
    if ((getline line < file) <= 0) {
        print "cannot read " file > "/dev/stderr"
        failed = 1
        exit 1
    }
    read_header(line)
    while ((getline line < file) > 0) {
        read_row(line)
        sample = field("sample")
        if (!((level, sample) in set_number)) {
            set_number[level, sample] = ++n_sets
            set_level[n_sets] = level
            set_sample[n_sets] = sample
        }
        key = level SUBSEP sample
        names[key, ++count[key]] = name
        keep_set(key SUBSEP name, class)
    }
    close(file)
    read_statistics(level, name, folder "/evaluation_statistics.csv")
}

function keep_set(at, class) {
    class_of[at] = class
    failure[at] = field("failure")
    runs[at] = number(field("runs"))
    if (runs[at] == 0)
        return
    bias[at] = field("error_bias")
    error[at] = field("error_mean")
    most[at] = number(field("error_max"))
    intervals[at] = number(field("intervals"))
    covered[at] = number(field("coverage")) * intervals[at]
    silent[at] = number(field("silent_share")) * intervals[at]
    half[at] = field("half_width_mean")
    exact[at] = number(field("exact"))
    none[at] = number(field("no_interval"))
    simulated[at] = field("simulated_share")
    gain[at] = field("speedup_cpu")
    if (field("no_interval_reasons") != "")
        reasons[at] = field("no_interval_reasons")
}

# The statistics of the whole trace that people read; shares of stalls, those that matter, count as one.
function read_statistics(level, name, file,    line, at, statistic) {
    if ((getline line < file) <= 0)
        return
    read_header(line)
    while ((getline line < file) > 0) {
        read_row(line)
        if (field("launch") != "" || !is_read(field("statistic")))
            continue
        statistic = field("statistic") ~ /^state_/ ? "stalls" : field("statistic")
        at = level SUBSEP field("sample") SUBSEP
        keep_statistic(at statistic, name)
        keep_statistic(at "all", name)
    }
    close(file)
}

function keep_statistic(at, name,    n) {
    n = number(field("intervals"))
    if (field("error_mean") != "") {
        stat_errors[at]++
        stat_error[at] += field("error_mean")
        if (number(field("error_max")) > stat_most[at] + 0) {
            stat_most[at] = number(field("error_max"))
            stat_worst[at] = name
        }
    }
    if (n > 0 && (!(at in stat_least) || number(field("coverage")) < stat_least[at])) {
        stat_least[at] = number(field("coverage"))
        stat_least_at[at] = name
    }
    stat_intervals[at] += n
    stat_covered[at] += number(field("coverage")) * n
    stat_silent[at] += number(field("silent_share")) * n
    stat_none[at] += number(field("no_interval"))
    stat_exact[at] += number(field("exact"))
}

function is_read(statistic) {
    return statistic ~ /^(cycles|ipc|global_load_hit_rate|l2_hit_rate|dram_bytes|achieved_occupancy)$/ ||
        (statistic ~ /^state_.*_share$/ && statistic !~ /selected/ && number(field("full")) >= 0.02)
}

# ---- printing ----

function percent(v, digits) {
    return v == "" ? "-" : sprintf("%." digits "f %%", 100 * v)
}

function share(part, all) {
    return all == 0 ? "-" : percent(part / all, 1)
}

function print_set(level, sample,    key, i, at) {
    key = level SUBSEP sample
    printf "\n## %s: %s\n\n", level, sample
    printf "| workload | class | %s | bias | mean | largest | covered | +- | silent | exact, none of | simulated | gain |\n", \
        level == "inside" ? "waves" : "launches"
    print "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for (i = 1; i <= count[key]; i++) {
        at = key SUBSEP names[key, i]
        if (runs[at] == 0) {
            printf "| %s | %s | %s | %s ||||||||||\n", names[key, i], class_of[at], \
                size[names[key, i]], failure[at]
            continue
        }
        printf "| %s | %s | %.0f | %s | %s | %s | %s | %s | %s | %d, %d of %d | %s | %.1fx |\n", \
            names[key, i], class_of[at], size[names[key, i]], percent(bias[at], 2), \
            percent(error[at], 2), percent(most[at], 2), share(covered[at], intervals[at]), \
            percent(half[at], 2), share(silent[at], intervals[at]), exact[at], none[at], runs[at], \
            percent(simulated[at], 1), gain[at]
    }
}

# Adds workload `at` to the sums of a group.
function add(group, at) {
    if (!(group in sum_n))
        order[++n_groups] = group
    sum_n[group]++
    sum_error[group] += error[at]
    if (most[at] > sum_most[group] + 0)
        sum_most[group] = most[at]
    sum_intervals[group] += intervals[at]
    sum_covered[group] += covered[at]
    sum_silent[group] += silent[at]
    sum_exact[group] += exact[at]
    sum_none[group] += none[at]
    sum_runs[group] += runs[at]
    sum_gain[group] += log(gain[at])
}

function is_even(class) {
    return class ~ /^(regular|tiles|tensor|gather|edge)$/
}

# Also groups by size: a sampler needs some waves, or launches, before it can leave others out.
function add_groups(level, sample, at, class, of_size,    set) {
    set = sample " (" level ")"
    add(set ": all", at)
    if (level == "launches" && of_size >= 500)
        add(set ": 500 launches and more", at)
    if (level == "inside" && is_even(class) && of_size >= 150)
        add(set ": even, 150 waves and more", at)
    if (level == "inside" && !is_even(class) && of_size >= 350)
        add(set ": uneven, 350 waves and more", at)
    if (level == "inside" && !is_even(class) && of_size < 150)
        add(set ": uneven, below 150 waves", at)
    add(set ": " class, at)
}

function print_summary(    s, i, g, key, at) {
    for (s = 1; s <= n_sets; s++) {
        key = set_level[s] SUBSEP set_sample[s]
        for (i = 1; i <= count[key]; i++) {
            at = key SUBSEP names[key, i]
            if (runs[at] > 0)
                add_groups(set_level[s], set_sample[s], at, class_of[at], size[names[key, i]])
        }
    }
    print "\n## By class\n\nErrors of the cycles; gains are geometric means.\n"
    print "| samplers: class | workloads | mean | largest | covered | silent | exact, none of | gain |"
    print "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for (g = 1; g <= n_groups; g++) {
        i = order[g]
        printf "| %s | %d | %s | %s | %s | %s | %d, %d of %d | %.1fx |\n", i, sum_n[i], \
            percent(sum_error[i] / sum_n[i], 2), percent(sum_most[i], 2), \
            share(sum_covered[i], sum_intervals[i]), share(sum_silent[i], sum_intervals[i]), \
            sum_exact[i], sum_none[i], sum_runs[i], exp(sum_gain[i] / sum_n[i])
    }
}

function print_statistics(    s, i, n, list, at) {
    n = split("cycles ipc global_load_hit_rate l2_hit_rate dram_bytes achieved_occupancy stalls all", list, " ")
    print "\n## By statistic\n"
    print "| samplers: statistic | mean error | largest | where | intervals | covered | least | silent | exact | none |"
    print "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for (s = 1; s <= n_sets; s++) {
        for (i = 1; i <= n; i++) {
            at = set_level[s] SUBSEP set_sample[s] SUBSEP list[i]
            if (!(at in stat_intervals))
                continue
            printf "| %s (%s): %s | %s | %s | %s | %d | %s | %s | %s | %d | %d |\n", set_sample[s], \
                set_level[s], list[i], \
                stat_errors[at] ? percent(stat_error[at] / stat_errors[at], 2) : "-", \
                percent(stat_most[at], 2), stat_worst[at], stat_intervals[at], \
                share(stat_covered[at], stat_intervals[at]), \
                stat_intervals[at] ? stat_least_at[at] ", " percent(stat_least[at], 0) : "-", \
                share(stat_silent[at], stat_intervals[at]), stat_exact[at], stat_none[at]
        }
    }
}

function print_reasons(    s, i, key, at) {
    print "\n## Without an interval\n"
    for (s = 1; s <= n_sets; s++) {
        key = set_level[s] SUBSEP set_sample[s]
        for (i = 1; i <= count[key]; i++) {
            at = key SUBSEP names[key, i]
            if (at in reasons)
                printf "- %s, %s: %s\n", set_sample[s], names[key, i], reasons[at]
        }
    }
}
