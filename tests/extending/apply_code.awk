# Applies a block of take_code.awk to a file and prints the result. The place must be there once.
# usage: awk -v what=diff|before -v text=TEXT -f apply_code.awk BLOCK FILE
FNR == NR {
    sign = what == "diff" ? substr($0, 1, 1) : "+"
    line = what == "diff" ? substr($0, 2) : $0
    if (sign != "+")
        old[++n_old] = line
    if (sign != "-")
        new[++n_new] = line
    next
}

{ file[++n_lines] = $0 }

function is_place(at,    i)
{
    if (what == "before")
        return index(file[at], text) == 1
    for (i = 1; i <= n_old; i++)
        if (file[at + i - 1] != old[i])
            return 0
    return n_old > 0
}

END {
    for (at = 1; at <= n_lines; at++)
        if (is_place(at)) {
            place = at
            n_places++
        }
    if (n_places != 1) {
        print FILENAME ": " n_places + 0 " places with '" (what == "diff" ? old[1] : text) "'" \
            >"/dev/stderr"
        exit 1
    }
    for (at = 1; at < place; at++)
        print file[at]
    for (i = 1; i <= n_new; i++)
        print new[i]
    if (what == "before")
        print ""
    for (at = place + n_old; at <= n_lines; at++)
        print file[at]
}
