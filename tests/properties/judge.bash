# Runs one case after another, each in a subshell of its own. Reads the directory of a case from standard input, writes
# a line when the case and everything it started are gone. PATH leads nowhere: every program is a recorder.

command_not_found_handle() {
    local - __in='' __word __more
    set +eufC
    IFS='' read -r -d '' __in || :
    for __word in "$@"; do
        if [[ $__word == /dev/fd/* ]]; then # a process substitution: its output is input, too
            IFS='' read -r -d '' __more <"$__word" || :
            __in+=$__more
        fi
    done
    {
        printf 'run'
        printf ' %q' "$@"
        printf '\nstdin %q\n' "$__in"
        declare -x
    } >>"$__case/log/$BASHPID"
    printf '<%s>' "$@" "$__in"
    printf '\n'
    printf '%s complains\n' "$1" >&2
    case $1 in
        p) return "$__p" ;;
        q) return "$__q" ;;
    esac
    return 0
}

__probe() {
    local -
    set +eufC
    {
        printf 'status %s flags %s at %q with' "$1" "$2" "$PWD"
        shift 2
        printf ' %q' "$@"
        printf '\n'
        declare -p x y e u A B arr i OLDPWD
        shopt -p nullglob
    } >"$__case/state" 2>&1
}

for __name in $(compgen -e); do export -n "$__name"; done
PATH=/nonexistent HOME=/nonexistent/home TIMEFORMAT=timed COLUMNS=80
unset -v OLDPWD __name

while IFS='' read -r __case; do
    # Command substitution waits until nothing holds descriptor 9 any more.
    __held=$(
        exec 9>&1 >"$__case/out" 2>"$__case/err" <"$__case/in"
        trap '' PIPE # who stops reading first is a race
        ulimit -S -t 2 -f 2048 -c 0
        IFS='' read -r -d '' __command <"$__case/command"
        cd "$__case/work" || exit
        . "$__case/environment"
        trap '__probe "$?" "$-" "$@"' EXIT
        eval "$__command"
    )
    printf 'done\n'
done
