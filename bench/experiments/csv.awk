# Reading CSV files, for scripts that follow: awk -f csv.awk -f SCRIPT. Call read_header() with the first
# line of a file and read_row() with each other; field("NAME") is then the value in that column. No
# line end is in quotes.

function split_line(line, f,    i, c, n, quoted) {
    n = 1
    f[1] = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "\"")
            quoted = !quoted
        else if (c == "," && !quoted)
            f[++n] = ""
        else
            f[n] = f[n] c
    }
    return n
}

function read_header(line,    head, i, n) {
    split("", column_at)
    n = split_line(line, head)
    for (i = 1; i <= n; i++)
        column_at[head[i]] = i
}

function read_row(line) {
    split("", row_fields)
    split_line(line, row_fields)
}

function field(name) {
    if (!(name in column_at)) {
        print "no column " name > "/dev/stderr"
        failed = 1
        exit 1
    }
    return row_fields[column_at[name]]
}
