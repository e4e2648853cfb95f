# Sums what gcov prints (coverage.sh) over folders. wanted: a folder whose lines without an execution
# are printed instead. floors: a file of lines "FOLDER PERCENT".
BEGIN {
    while ((getline row < floors) > 0) {
        split(row, part, " ")
        if (row !~ /^#/ && part[1] != "")
            floor_of[part[1]] = part[2]
    }
}

{
    at = index($0, ":")
    count = substr($0, 1, at - 1)
    gsub(/[ *]/, "", count)
    rest = substr($0, at + 1)
    at = index(rest, ":")
    number = substr(rest, 1, at - 1) + 0
    text = substr(rest, at + 1)
}

number == 0 && text ~ /^Source:/ {
    file = substr(text, 8)
    sub(/^(\.\.\/)+/, "", file) # as seen from the build's folder
    counted = file ~ /^(sim|sampling|frontend)\//
    folder = file
    sub(/\/[^\/]*$/, "", folder)
    next
}

counted && number > 0 && count != "-" {
    key = file ":" number
    if (!(key in seen)) {
        lines[folder]++
        line_text[key] = text
    }
    if (count !~ /^[#=]/ && seen[key] != 2) {
        covered[folder]++
        seen[key] = 2
    } else if (!(key in seen)) {
        seen[key] = 1
    }
}

END {
    if (wanted != "") {
        for (key in seen)
            if (seen[key] == 1 && index(key, wanted "/") == 1)
                print key ":" line_text[key] | "sort -t: -k1,1 -k2,2n"
        exit
    }
    printf "%-28s %8s %8s %9s %6s\n", "folder", "lines", "covered", "per cent", "floor"
    n = 0
    for (folder in lines)
        name[++n] = folder
    for (i = 2; i <= n; i++)
        for (k = i; k > 1 && name[k] < name[k - 1]; k--) {
            t = name[k]; name[k] = name[k - 1]; name[k - 1] = t
        }
    for (i = 1; i <= n; i++) {
        folder = name[i]
        share = 100 * covered[folder] / lines[folder]
        all += lines[folder]
        all_covered += covered[folder]
        note = ""
        if (!(folder in floor_of)) {
            note = "  has no floor in " floors
            bad++
        } else if (share < floor_of[folder]) {
            note = "  below its floor"
            bad++
        }
        printf "%-28s %8d %8d %8.1f%% %6s%s\n", folder, lines[folder], covered[folder], share,
            floor_of[folder], note
    }
    for (folder in floor_of)
        if (!(folder in lines)) {
            printf "%s: in %s, but nothing of it was compiled\n", folder, floors
            bad++
        }
    if (n > 0)
        printf "%-28s %8d %8d %8.1f%%\n", "all", all, all_covered, 100 * all_covered / all
    exit bad > 0 || n == 0
}
