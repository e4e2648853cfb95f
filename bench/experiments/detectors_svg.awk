# Draws an SVG plot of what detectors inside a launch saw, from the detectors.json of runs:
#
#   awk -v title="relu" -v kind=times -f detectors_svg.awk WHOLE [LABEL=STOPPED]... >relu.svg
#
# kind=times: when the blocks of the launch retired and how long each took in the run WHOLE, in which
# everything was simulated. Vertical lines: where the L2 was full, and where the last block was
# dispatched that each run STOPPED simulated. kind=sizes: warp instructions of the blocks in the order
# of dispatch, each region in another shade. Only the first launch is shown.

function fail(text) { print "detectors_svg: " text >"/dev/stderr"; failed = 1; exit 1 }

# Reads one file: the rows of the series of the first launch go to got[series, n, column] and
# count[series]; stop is the last simulated block, "" if all were simulated.
function read(file,    line, series, part, n, i, launches, f)
{
    split("", got); split("", count)
    stop = ""; l2 = cycles = 0
    while ((getline line <file) > 0) {
        if (line ~ /"id":/ && ++launches > 1)
            break
        if (match(line, /"(l2_sectors|cycles)": [0-9]+/)) {
            split(substr(line, RSTART + 1, RLENGTH - 1), part, /": /)
            if (part[1] == "l2_sectors") l2 = part[2]
            else cycles = part[2]
        }
        if (match(line, /"[a-z_0-9]+": \{/))
            series = substr(line, RSTART + 1, RLENGTH - 5)
        if (line ~ /"decision": \{/)
            stop = "last"
        if (line ~ /^ *\[[0-9]/) {
            gsub(/[][ ]/, "", line)
            n = split(line, f, ",")
            for (i = 1; i <= n; i++)
                got[series, count[series] + 0, i] = f[i]
            count[series]++
        }
    }
    close(file)
    if (stop != "")
        stop = got["intervals", count["intervals"] - 1, 4]
    if (launches == 0)
        fail(file ": no detectors.json")
}

function x_of(v) { return left + (v - x0) / (x1 - x0) * (width - left - right) }
function y_of(v) { return height - bottom - v / y1 * (height - top - bottom) }

# The next round number from v on.
function round_up(v,    p)
{
    p = 10 ^ int(log(v) / log(10))
    return v <= p ? p : v <= 2 * p ? 2 * p : v <= 5 * p ? 5 * p : 10 * p
}

function short(v) { return (v >= 1000) ? (v / 1000) "k" : v }
function least(a, b) { return (a < b) ? a : b }
function opacity(even) { return (even == "true") ? 0.18 : 0.03 }

function axes(x_name, y_name,    step, v)
{
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\">\n", width, height
    printf "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/><text x=\"%d\" y=\"15\" font-weight=\"bold\">%s</text>\n", left, title
    step = round_up((x1 - x0) / 6)
    for (v = x0; v <= x1; v += step)
        printf "<text x=\"%.0f\" y=\"%d\" text-anchor=\"middle\">%s</text><path d=\"M%.1f %dv4\" stroke=\"black\"/>\n", x_of(v), height - bottom + 15, short(v), x_of(v), height - bottom
    step = round_up(y1 / 5)
    for (v = 0; v <= y1; v += step)
        printf "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">%s</text><path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/>\n", left - 5, y_of(v) + 4, short(v), left, y_of(v), width - right
    printf "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"black\"/>\n", left, top, height - bottom, width - right
    printf "<text x=\"%.0f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", (left + width - right) / 2, height - 4, x_name
    printf "<text transform=\"translate(11 %.0f) rotate(-90)\" text-anchor=\"middle\">%s</text>\n", (top + height - bottom) / 2, y_name
}

function dots(color, n, xs, ys,    i)
{
    printf "<path stroke=\"%s\" stroke-width=\"1.6\" d=\"", color
    for (i = 0; i < n; i++)
        if (ys[i] <= y1)
            printf "M%.0f %.0fh1.6", x_of(xs[i]), y_of(ys[i])
    print "\"/>"
}

function mark(v, label, color, row)
{
    printf "<path d=\"M%.1f %dV%d\" stroke=\"%s\" stroke-width=\"1.5\"/><text x=\"%.0f\" y=\"%d\" fill=\"%s\" stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\">%s</text>\n", x_of(v), top, height - bottom, color, x_of(v) + 4, top + 10 + 12 * row, color, label
}

# Largest value of ys that is not among the highest hundredth.
function high(ys, n,    i, most, sum)
{
    for (i = 0; i < n; i++) { sum += ys[i]; most = ys[i] > most ? ys[i] : most }
    return most < 3 * sum / n ? most : 3 * sum / n
}

BEGIN {
    width = 460; height = 240; left = 52; right = 12; top = 24; bottom = 36
    split("#c0392b #1f77b4 #2a8a3e #8e44ad #b8860b", color, " ")
    if (ARGC < 2 || (kind != "times" && kind != "sizes"))
        fail("kind=times or kind=sizes, and a detectors.json")
    read(ARGV[1])
    if (kind == "times") {
        n = count["retired_blocks"]
        step = int(n / 700) + 1
        for (i = 0; i < n; i += step) {
            xs[m + 0] = got["retired_blocks", i, 2]
            ys[m++] = got["retired_blocks", i, 2] - got["retired_blocks", i, 1]
        }
        x0 = 0; x1 = cycles; y1 = 1.05 * high(ys, m)
        axes("cycle in which a block retired", "cycles that it took")
        dots("#888", m, xs, ys)
        for (i = 0; i < count["intervals"]; i++) {
            at[i] = got["intervals", i, 1]
            next_block[i] = got["intervals", i, 4]
            if (full == "" && got["intervals", i, 5] >= 1.5 * l2)
                mark(full = at[i], "L2 full", "#444", 0)
        }
        rows = count["intervals"]
        for (k = 2; k < ARGC; k++) {
            label = file = ARGV[k]
            sub(/=.*/, "", label); sub(/[^=]*=/, "", file)
            read(file)
            if (stop == "")
                continue
            for (i = 0; i < rows - 1 && next_block[i] < stop; i++) {}
            mark(at[i], label, color[k - 1], k - 1)
        }
    } else {
        n = count["block_sizes"]
        step = int(n / 700) + 1
        for (i = 0; i < n; i += step) {
            xs[m + 0] = got["block_sizes", i, 1]
            ys[m++] = got["block_sizes", i, 2]
        }
        x0 = 0; x1 = xs[m - 1] > 0 ? xs[m - 1] : 1; y1 = 1.05 * high(ys, m)
        axes("block, in the order of dispatch", "warp instructions")
        for (k = 0; k < count["regions"]; k++)
            printf "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\" fill-opacity=\"%s\"/>\n", x_of(got["regions", k, 1]), top, x_of(least(got["regions", k, 2], x1)) - x_of(got["regions", k, 1]), height - top - bottom, color[1 + got["regions", k, 3] % 5], opacity(got["regions", k, 4])
        dots("#333", m, xs, ys)
    }
    print "</svg>"
}
