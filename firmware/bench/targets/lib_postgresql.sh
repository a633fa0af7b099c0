# A private PostgreSQL for drivers: its own folder and socket, no port, settings as the product has them.
# shellcheck shell=bash disable=SC2034,SC2154
pg_bin=/usr/lib/postgresql/15/bin

# first_file NAME…: the first that is there
first_file() {
    local f
    for f in "$@"; do [ ! -e "$f" ] || { printf '%s\n' "$f" && return 0; }; done
    return 1
}

psql_value() { as_user psql -XAtq -v ON_ERROR_STOP=1 -h "$data/run" -U postgres -d "$1" -c "$2"; }
is_database_up() { "$pg_bin/pg_isready" -q -h "$data/run" -d postgres -U postgres; }

# As packaging/lib/state.sh writes them: what depends on the machine.
write_settings() {
    local ram shared
    ram=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo)
    shared=$((ram / 8))
    [ $shared -ge 64 ] || shared=64
    [ $shared -le 2048 ] || shared=2048
    {
        printf "include '%s'\n" "$data/postgresql.conf"
        printf "unix_socket_directories = '\"%s\"'\n" "$data/run"
        printf 'shared_buffers = %sMB\n' "$shared"
        printf 'effective_cache_size = %sMB\n' "$((ram / 2 > 128 ? ram / 2 : 128))"
        printf "cluster_name = 'azekura-bench'\n"
        printf '%s\n' "$@"
    } >"$data/settings.conf"
    chmod a+r "$data/settings.conf" "$data/postgresql.conf"
}

# start_postgresql [LINE…]: makes the cluster and starts it; LINEs are further settings.
# An empty database, its first write-ahead log, and what a receiver keeps beside it.
room_mb=150
check_room() {
    local free
    free=$(($(df --output=avail -B1 -- "$data" | tail -n 1) / 1000000))
    [ "$free" -ge $room_mb ] ||
        fail "there is no room for a database of its own in $data: $free MB are free, it takes $room_mb MB and what is stored"
}

start_postgresql() {
    local out product up=${AZEKURA_BENCH_PROGRAMS:-/usr/bin}/..
    [ -x "$pg_bin/initdb" ] || fail "PostgreSQL 15 is missing ($pg_bin)"
    product=$(first_file "$up/postgresql.conf" "$up/share/azekura/postgresql.conf" \
        "$here/../../../rootfs/usr/share/azekura/postgresql.conf") ||
        fail "postgresql.conf of the product is missing"
    check_room
    cp -- "$product" "$data/postgresql.conf" && mkdir "$data/run" || fail "cannot write to $data"
    ! is_root || chown nobody:nogroup "$data/run"
    out=$(cd / && as_user "$pg_bin/initdb" -D "$data/postgresql" -U postgres -A trust --data-checksums \
        -E UTF8 --locale=C.UTF-8 --no-sync --no-instructions 2>&1) || fail "initdb: $out"
    write_settings "$@"
    printf "include '%s'\n" "$data/settings.conf" >>"$data/postgresql/postgresql.conf" ||
        fail "cannot write to $data"
    # an immediate end of the server: its data is thrown away
    signal_of[postgresql]=QUIT stop_signal_of[postgresql]=QUIT
    service postgresql "$pg_bin/postgres" -D "$data/postgresql"
    wait_until 60 "PostgreSQL answers" is_database_up
}
