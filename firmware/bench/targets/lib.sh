# What the drivers share.  Sourced by them; README.md has the protocol.
#
# A driver defines   start     make its data in $data, start its services, call ready
#                    describe  print the lines of target.env that do not change
# and ends with      driver "$@"
# shellcheck shell=bash disable=SC2034,SC2154
set -u
export LC_ALL=C.UTF-8
umask 022

# What every target asks of the kernel for each UDP socket, bytes: Azekura's own default
# (receiver.udp_buffer_bytes), so that all have the same; the kernel grants net.core.rmem_max at most.
receive_buffer=134217728

say() { printf '%s %s\n' "$(date +%H:%M:%S)" "$*"; }
fail() {
    # the last line of the log is what the benchmark tells: of many lines the one that names the error,
    # which seldom is the last
    local text=$*
    is_failed=1
    clean_up
    if [[ $text == *$'\n'* ]]; then
        printf '%s\n' "$text"
        text=$(grep -m 1 -iE '(error|fatal|panic): ' <<<"$text" || printf '%s\n' "${text##*$'\n'}")
    fi
    printf '%s: %s\n' "${0##*/}" "$text"
    exit 1
}

is_root() { [ "$(id -u)" = 0 ]; }

# ---- who and where ----

# Nothing runs as root: root's targets run as nobody.
as_user() {
    if is_root; then
        setpriv --reuid=nobody --regid=nogroup --clear-groups --no-new-privs -- "$@"
    else
        "$@"
    fi
}

# $data: DIR/data, or where nobody cannot go there, a socket's path would get too long (it has 107 bytes
# at most) or some collector's configuration cannot name it, a folder of its own that DIR/data is a link
# to.
make_data() {
    data=$dir/data
    if [ "${#data}" -gt 80 ] || [[ $data == *[!A-Za-z0-9._/-]* ]] || ! as_user test -x "$dir"; then
        data=$(mktemp -d /var/tmp/azekura-bench.XXXXXXXX) || fail "cannot make a folder in /var/tmp"
        ln -s -- "$data" "$dir/data" || fail "cannot write to $dir"
        say "the data lies in $data: $dir cannot be entered by an unprivileged user, or its path is too long or strange"
    else
        mkdir -- "$data" || fail "cannot make $data"
    fi
    chmod 700 -- "$data"
    ! is_root || chown nobody:nogroup -- "$data"
}

# Removes DIR/data, and what it is a link to where that is ours.
remove_data() {
    local to
    if [ -L "$dir/data" ]; then
        to=$(readlink -- "$dir/data")
        case $to in
        /var/tmp/azekura-bench.????????) rm -rf -- "$to" ;;
        esac
        rm -f -- "$dir/data"
    else
        rm -rf -- "$dir/data"
    fi
    rm -f -- "$dir/target.env" "$dir/target.env.new"
}

# What was learnt is kept beside the results: configuration and logs.
keep() {
    local f
    for f in "$@"; do
        [ ! -f "$f" ] || install -m 644 -- "$f" "$dir/${f##*/}"
    done
}

# The kernel must allow the receive buffer that the receiver asks for, as packaging/run.sh sees to.
raise_receive_buffer() {
    local have
    have=$(cat /proc/sys/net/core/rmem_max 2>/dev/null) || return 0
    [ "$have" -lt "$receive_buffer" ] || return 0
    if (printf '%s\n' "$receive_buffer" >/proc/sys/net/core/rmem_max) 2>/dev/null; then
        say "raised net.core.rmem_max from $have to $receive_buffer"
    else
        say "a UDP socket gets a buffer of at most $have bytes: net.core.rmem_max cannot be changed here"
    fi
}

# ---- ports ----

taken_ports=' '
# free_port: sets $port to one below the range from which the kernel gives ports by itself, on which
# nobody listens by UDP or TCP.
free_port() {
    local tries hex
    for ((tries = 0; tries < 1000; tries++)); do
        port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
        printf -v hex ':%04X ' "$port"
        case $taken_ports in *" $port "*) continue ;; esac
        grep -qsF -- "$hex" /proc/net/udp /proc/net/udp6 /proc/net/tcp /proc/net/tcp6 && continue
        taken_ports+="$port "
        return 0
    done
    fail "there is no free port between 20000 and 32000"
}

# is_listening udp|tcp PORT: on 127.0.0.1 (0100007F) or on every address
is_listening() {
    local hex
    printf -v hex '%04X' "$2"
    case $1 in
    udp) grep -qsE "(0100007F|00000000|[0]{32}):$hex [0-9A-F]+:0000 07 " /proc/net/udp /proc/net/udp6 ;;
    tcp) grep -qsE "(0100007F|00000000|[0]{32}):$hex [0-9A-F]+:0000 0A " /proc/net/tcp /proc/net/tcp6 ;;
    esac
}

# wait_until SECONDS WHAT CONDITION…: looks often; gives up when a service has died.
wait_until() {
    local until=$((SECONDS + $1)) what=$2
    shift 2
    while ! "$@"; do
        [ -z "$is_stopping" ] || exit_now
        needed_run || fail "$what: $(last_line)"
        [ "$SECONDS" -lt "$until" ] || fail "waited in vain until $what"
        sleep 0.05
    done
}

# ---- services ----

declare -A pid_of=() command_of=()
order=()

# service NAME COMMAND…: starts it; it is started again when it dies, and gets SIGKILL when this dies
# (but see signal_of).
declare -A signal_of=()
service() {
    local name=$1
    shift
    local prefix=(setpriv --pdeathsig "${signal_of[$name]:-KILL}" --no-new-privs)
    ! is_root || prefix+=(--reuid=nobody --regid=nogroup --clear-groups)
    (cd "$data" && exec "${prefix[@]}" -- "$@") </dev/null >>"$dir/$name.log" 2>&1 &
    pid_of[$name]=$!
    command_of[$name]=$(printf '%q ' "$@")
    [[ " ${order[*]} " == *" $name "* ]] || order+=("$name")
}

is_running() { [ -n "${pid_of[$1]:-}" ] && kill -0 "${pid_of[$1]}" 2>/dev/null; }
# All that were started, or while one is started again that one alone: another may have died with it.
needed_run() {
    local name
    for name in ${restarted:-"${order[@]}"}; do is_running "$name" || { dead=$name && return 1; }; done
}
dead= restarted=
last_line() {
    local text=
    [ -z "$dead" ] || text=$(tail -n 1 -- "$dir/$dead.log" 2>/dev/null)
    printf '%s ended: %s' "${dead:-it}" "${text:-it said nothing}"
}

stop_service() { # NAME SIGNAL SECONDS
    local pid=${pid_of[$1]:-} n
    [ -n "$pid" ] || return 0
    kill -s "$2" "$pid" 2>/dev/null
    for ((n = 0; n < $3 * 20; n++)); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.05
    done
    kill -s KILL "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    unset "pid_of[$1]"
}

# ---- target.env ----

# config FILE: the line of it, for describe.  Folders and ports differ each time; what is digested is a copy
# without them, so that equal settings have an equal digest.
config() {
    local copy=$data/digested.${1##*/} p edits=(-e "s|$data|DATA|g")
    [ -z "${root:-}" ] || edits+=(-e "s|$root|ROOT|g")
    for p in $taken_ports; do edits+=(-e "s/\\b$p\\b/PORT/g"); done
    sed "${edits[@]}" -- "$1" >"$copy" || return
    printf 'config=%s\n' "$copy"
}

# ready: the services take messages; say so.
ready() {
    describe >"$dir/target.env.new" && mv -T -- "$dir/target.env.new" "$dir/target.env" ||
        fail "cannot write to $dir"
}

# ---- life ----

is_stopping= is_failed=
clean_up() {
    local i
    for ((i = ${#order[@]} - 1; i >= 0; i--)); do
        # what it has is thrown away: nobody need wait for a clean end
        stop_service "${order[i]}" "${stop_signal_of[${order[i]}]:-TERM}" 20
    done
    [ -z "${data:-}" ] || keep_logs
    remove_data
}
declare -A stop_signal_of=()
keep_logs() { :; } # a driver may have its own

exit_now() {
    clean_up
    exit 0
}

# What died is started again, at once.
restart() {
    local name=$1
    restarts=$((restarts + 1))
    say "$name ended: starting it again"
    [ "$restarts" -lt 1000 ] || fail "$name ends again and again: $(last_line)"
    restarted=$name
    eval "service $name ${command_of[$name]}"
    started_again "$name"
    restarted=
    ready
}
started_again() { :; } # waits until it takes messages; a driver has its own
restarts=0

# Five looks a second without a process of its own: `wait -n` would miss what died just before.
stay() {
    local name _
    mkfifo -- "$dir/tick" && exec 8<>"$dir/tick" && rm -f -- "$dir/tick" || fail "cannot write to $dir"
    while [ -z "$is_stopping" ]; do
        for name in "${order[@]}"; do
            is_running "$name" || { dead=$name && restart "$name"; }
        done
        read -r -t 0.2 -u 8 _
    done
    exit_now
}

driver() {
    case ${1:-} in
    run | clean) [ $# -ge 2 ] && [ -d "$2" ] ;;
    *) false ;;
    esac || {
        printf 'usage: %s run DIR [VARIANT] | clean DIR   (DIR is there; see README.md)\n' "${0##*/}" >&2
        exit 2
    }
    dir=$(cd -- "$2" && pwd) variant=${3:-}
    # held by this and by all it starts: whoever has it may remove the data
    exec 9>>"$dir/driver.lock"
    if [ "$1" = clean ]; then
        flock -w 10 9 || exit 1
        remove_data
        exit 0
    fi
    flock -w 30 9 || fail "another target is running in $dir"
    trap 'is_stopping=1' TERM INT HUP
    remove_data
    make_data
    start
    ready
    say "takes messages"
    stay
}
