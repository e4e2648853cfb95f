# The report of random.sh: triples.tsv, then statistics.tsv (random_rows.awk).
# A row of a statistic is covered, silent (off by more than twice its half-width, or an estimate without an
# interval and without a reason), refused (no interval, and why), or exact (nothing was left out).

BEGIN { FS = "\t" }

FILENAME ~ /triples.tsv$/ {
    if (!($4 in known)) {
        known[$4] = ++n
        name[n] = $4
    }
    runs[$4]++
    triples[$1] = 1
    launches_of[$1] = $2
    chip_of[$1] = $3
    full_seconds[$1] = $9
    if ($5 != "") {
        failures[$4]++
        next
    }
    gains[$4] += log($6)
    time_full[$4] += $9
    time_sampled[$4] += $9 / $6
    if ($6 < 1 / 1.05 && (instructions == "true" || $9 > 0.2))
        slower[$4]++
    work_done[$4] += $7 + $8
    timed[$4]++
    next
}

{
    at = $2 SUBSEP group_of($3)
    rows[at]++
    if ($8 > 0) {
        exact[at]++
        next
    }
    error = $5 < 0 ? -$5 : $5
    errors[at] += error
    if ($7 > 0) {
        intervals[at]++
        covered[at] += $9
        silent[at] += $10
        if ($9 < 1)
            remember($1, $2, $3, $5, $11)
    } else if ($12 != "")
        refused[at]++
    else {
        silent[at]++
        bare[at]++
        remember($1, $2, $3, $5, "")
    }
}

function remember(number, set, statistic, error, half,    size) {
    size = error < 0 ? -error : error
    n_misses++
    miss_number[n_misses] = number
    miss_set[n_misses] = set
    miss_stat[n_misses] = statistic
    miss_error[n_misses] = error
    miss_half[n_misses] = half
    # of the cycles, by the error beyond the interval
    miss_size[n_misses] = statistic == "cycles" ? size - half : 0
}

function percent(part, all) {
    return all == 0 ? "-" : sprintf("%.1f %%", 100 * part / all)
}

function print_sets(    i, s, count) {
    count = 0
    for (i in triples)
        count++
    printf "%d triples of seed %s\n\n", count, seed
    print "| samplers | triples | cannot work | gain, " (instructions == "true" ? "host instructions" : "processor time") \
        " (mean of logarithms) | all full runs / all sampled runs | simulated and walked | slower than 1.05 full runs" \
        (instructions == "true" ? "" : " (of 0.2 s and more)") " |"
    print "| --- | --- | --- | --- | --- | --- | --- |"
    for (i = 1; i <= n; i++) {
        s = name[i]
        printf "| %s | %d | %d | %.2fx | %.2fx | %s | %s |\n", s, runs[s], failures[s], \
            (timed[s] ? exp(gains[s] / timed[s]) : 0), \
            (time_sampled[s] > 0 ? time_full[s] / time_sampled[s] : 0), \
            percent(work_done[s], timed[s]), percent(slower[s], timed[s])
        if (instructions == "true" && slower[s] > 0.01 * timed[s] + 1)
            bad = bad sprintf("%s: slower than 1.05 full runs\n", s)
    }
}

# The statistics that people read, and the others in groups.
function group_of(statistic) {
    if (statistic ~ /^(cycles|ipc|global_load_hit_rate|l2_hit_rate|dram_bytes|dram_row_hit_rate|achieved_occupancy)$/)
        return statistic
    if (statistic ~ /^state_.*_share$/)
        return "warp states"
    return statistic ~ /[.]/ ? "other counters" : "other rates"
}

function triples_of(at,    part) {
    split(at, part, SUBSEP)
    part[3] = part[1] SUBSEP "cycles"
    return rows[part[3]] > exact[part[3]] ? rows[part[3]] - exact[part[3]] : 1
}

function print_statistics(    i, j, n_list, list, at, slack) {
    n_list = split("cycles,ipc,global_load_hit_rate,l2_hit_rate,dram_bytes,dram_row_hit_rate,achieved_occupancy,warp states,other rates,other counters", list, ",")
    print "\n| samplers: statistic | estimates | covered | silent | refused | exact | mean error |"
    print "| --- | --- | --- | --- | --- | --- | --- |"
    for (i = 1; i <= n; i++)
        for (j = 1; j <= n_list; j++) {
            at = name[i] SUBSEP list[j]
            if (rows[at] == 0 || rows[at] == exact[at])
                continue
            printf "| %s: %s | %d | %s | %s | %d | %d | %.2f %% |\n", name[i], list[j], \
                rows[at] - exact[at], percent(covered[at], intervals[at]), \
                percent(silent[at], rows[at] - exact[at]), refused[at], exact[at], \
                100 * errors[at] / (rows[at] - exact[at])
            # The statistics of a triple miss together: one triple may.
            slack = (rows[at] - exact[at]) / triples_of(at)
            slack = slack > 1 ? slack : 1
            if (covered[at] < 0.93 * intervals[at] - slack || \
                silent[at] > 0.01 * (rows[at] - exact[at]) + slack)
                bad = bad sprintf("%s: %s\n", name[i], list[j])
        }
}

function print_worst(    k, i, best, used) {
    print "\nThe ten worst: cycles outside their interval, by how far\n"
    for (k = 1; k <= 10; k++) {
        best = 0
        for (i = 1; i <= n_misses; i++)
            if (!(i in used) && miss_size[i] > 0 && (best == 0 || miss_size[i] > miss_size[best]))
                best = i
        if (best == 0)
            break
        used[best] = 1
        printf "- %s, %d launches, %+.2f %% at +-%s\n      ./do trials random --seed %s --number %s --sampler %s --keep\n", \
            miss_set[best], launches_of[miss_number[best]], 100 * miss_error[best], \
            (miss_half[best] == "" ? "nothing" : sprintf("%.2f %%", 100 * miss_half[best])), seed, \
            miss_number[best], miss_set[best]
    }
}

END {
    print_sets()
    print_statistics()
    print_worst()
    if (gate == "true" && bad != "") {
        printf "\nBelow the gate:\n%s", bad
        exit 1
    }
}
