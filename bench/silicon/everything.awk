# Prints errors by set and standing: awk -f everything.awk OLD NEW, two tables of bench/silicon/everything.
function abs(x) { return x < 0 ? -x : x }

# Sorts list[1..n].
function sort(list, n,    i, j, x)
{
    for (i = 2; i <= n; i++) {
        x = list[i]
        for (j = i - 1; j > 0 && list[j] > x; j--)
            list[j + 1] = list[j]
        list[j + 1] = x
    }
}

function median(list, n)
{
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

# The smallest value that at least nine tenths do not exceed.
function ninth(list, n,    i)
{
    i = int(0.9 * n + 0.999999)
    return list[i]
}

function percent(x) { return sprintf("%.1f", 100 * x) }

# Mean, median and 90th percentile of the absolute values of from[key of row i].
function summary(from, n,    i, list, sum)
{
    sum = 0
    for (i = 1; i <= n; i++) {
        list[i] = abs(from[rows[i]])
        sum += list[i]
    }
    sort(list, n)
    return sprintf("%6s %6s %6s", percent(sum / n), percent(median(list, n)), percent(ninth(list, n)))
}

# A line of the table: rows of the group g.
function line(g, title,    n, m, i, k, off, time, older)
{
    n = m = off = time = 0
    for (i = 1; i <= count; i++) {
        k = key[i]
        if (!((k, g) in belongs))
            continue
        rows[++n] = k
        time += measured[k]
        off += abs(error[k]) * measured[k]
    }
    if (n == 0)
        return
    printf "%-46s %4d  %s  %s  %6s", title, n, summary(error, n), summary(bare, n), unit[rows[1]] == "ratio" ? "-" : percent(off / time)
    for (i = 1; i <= n; i++)
        if (rows[i] in old)
            older[++m] = rows[i]
    for (i = 1; i <= m; i++)
        rows[i] = older[i]
    printf "  %s\n", (m > 0 ? sprintf("%4d  %s", m, summary(old, m)) : "-")
}

function group(k, g)
{
    belongs[k, g] = 1
    if (!(g in known)) {
        known[g] = 1
        order[++groups] = g
    }
}

# The n rows with the largest value of by, which is used up.
function worst(n, by, title,    i, k, best)
{
    printf "\n%s\n", title
    while (n-- > 0) {
        best = ""
        for (i = 1; i <= count; i++)
            if (key[i] in by && (best == "" || by[key[i]] > by[best]))
                best = key[i]
        if (best == "" || by[best] < 0.0005)
            return
        printf "  %-58s %-12s %+7.1f %%%s\n", best, standing[best], 100 * error[best], \
            best in old ? sprintf(", before %+.1f %%", 100 * old[best]) : ""
        delete by[best]
    }
}

BEGIN { FS = "," }
$1 == "set" { next }
FILENAME == ARGV[1] { old[$1 " " $2 " " $3] = $7 / $6 - 1; next }
{
    k = $1 " " $2 " " $3
    key[++count] = k
    standing[k] = $4
    unit[k] = $5
    measured[k] = $6
    error[k] = $7 / $6 - 1
    bare[k] = $8 / $6 - 1
    group(k, $1 " " $2 ", " $4)
    if ($5 != "ratio") {
        programs = 1
        belongs[k, "programs"] = 1
        if ($9 >= 50000)
            belongs[k, "long"] = 1
        if ($4 == "held-out")
            belongs[k, "held"] = 1
    }
}
END {
    printf "%-46s %4s  %20s  %20s  %6s  %4s  %20s\n", "errors in per cent", "", "with launch latency", "without", "by", "", "last commit's table"
    printf "%-46s %4s  %6s %6s %6s  %6s %6s %6s  %6s  %4s  %6s %6s %6s\n", "set, model, standing", "rows", "mean", "median", "90th", \
        "mean", "median", "90th", "time", "rows", "mean", "median", "90th"
    for (g = 1; g <= groups; g++)
        line(order[g], order[g])
    if (programs) {
        line("programs", "all programs")
        line("long", "all programs of 50,000 cycles and more")
        line("held", "all programs, held-out")
    }
    for (i = 1; i <= count; i++) {
        far[key[i]] = abs(error[key[i]])
        if (key[i] in old)
            moved[key[i]] = abs(error[key[i]] - old[key[i]])
    }
    worst(10, far, "the ten worst:")
    worst(10, moved, "moved most since the last commit's table:")
}
