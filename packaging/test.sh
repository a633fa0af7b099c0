#!/bin/bash
# Installs what is missing, builds, and runs every test; the end of the output is ctest's own summary.
# Units run in the quick build (build/dev); scenarios and the browser drive the release build (build).
# shellcheck disable=SC2034,SC2154
set -euo pipefail
shopt -s inherit_errexit
azk_name=test.sh
azk_source=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC1090
for part in common packages build; do . "$azk_source/packaging/lib/$part.sh"; done

is_quick=
case $# in
0) ;;
*)
    case $#$1 in
    1--quick) is_quick=1 ;;
    1-h | 1--help)
        printf 'usage: packaging/test.sh [--quick]\n\nRuns every test.\n\n  --quick   the unit tests alone\n'
        exit 0
        ;;
    *) die "unknown option $1; there is only --quick" 2 ;;
    esac
    ;;
esac

build_tests() { # [TARGET]
    cd "$azk_source"
    run_logged "$azk_build/configure-dev.log" cmake --preset dev -DAZEKURA_PROGRAMS="$azk_build"
    run_logged "$azk_build/build-dev.log" cmake --build --preset dev --target "$1"
}

build_everything() {
    build_firmware
    install_npm_parts
    build_console
    build_tests all
}

require_debian_12
install_packages run test
require_space "$azk_source" 2048 'building and testing'
note 'building'
if [ "$is_quick" ]; then
    with_build_lock build_tests units
    set -- -L unit
else
    with_build_lock build_everything
    with_build_lock fetch_peers
    set --
fi
cd "$azk_source"
# nothing of the caller's may steer the tests
unset "${!PG@}" AZEKURA_BUILD AZEKURA_SOURCE AZEKURA_TEST_PROGRAMS PYTHONPATH
exec ctest --preset dev --no-tests=error -j "$(nproc)" "$@"
