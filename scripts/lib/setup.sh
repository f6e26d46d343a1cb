# Sourced by scripts/run, scripts/test and .ci/run: install what is missing, configure, build. bash, set -euo pipefail.
# Everything here writes to stderr. Exit status 3: the environment (something is missing, or the build failed).
#
# The environment variables that matter: GRADLAB_CUDA=AUTO|ON|OFF, GRADLAB_WERROR=ON, CXX, CMAKE_BUILD_PARALLEL_LEVEL.

root="$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
packages=(cmake ninja-build g++ libcli11-dev libfmt-dev doctest-dev nlohmann-json3-dev zlib1g-dev)

say() { printf '%s: %s\n' "$(basename -- "$0")" "$*" >&2; }
give_up() { say "$@"; exit 3; }

# Prints the packages (Debian's names) whose tool or header is not there.
missing_packages() {
  local compiler="${CXX:-c++}"
  command -v cmake >/dev/null || echo cmake
  command -v ninja >/dev/null || command -v ninja-build >/dev/null || echo ninja-build
  # CXX may hold options too: it is split on purpose.
  # shellcheck disable=SC2086
  if ! command -v ${compiler%% *} >/dev/null; then
    echo g++
    compiler=""
  fi
  local header_and_package
  for header_and_package in "CLI/CLI.hpp libcli11-dev" "fmt/format.h libfmt-dev" "doctest/doctest.h doctest-dev" \
    "nlohmann/json.hpp nlohmann-json3-dev" "zlib.h zlib1g-dev"; do
    local header="${header_and_package% *}" package="${header_and_package#* }"
    if [[ -n $compiler ]]; then
      printf '#if !__has_include(<%s>)\n%s\n#endif\n' "$header" "missing $package"
    else
      [[ -e /usr/include/$header ]] || echo "$package"
    fi
    # shellcheck disable=SC2086
  done | if [[ -n $compiler ]]; then $compiler -E -P -x c++ - | sed -n 's/^missing //p; s/ - /-/g'; else cat; fi
}

install_missing() {
  local missing
  mapfile -t missing < <(missing_packages)
  [[ ${#missing[@]} -gt 0 ]] || return 0

  local as_root=()
  if ! command -v apt-get >/dev/null; then
    give_up "these are missing (Debian's names): ${missing[*]}. Install them, then run this again."
  elif [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null ||
      give_up "these packages are missing: ${missing[*]}. Install them as root (there is no sudo), then run this again."
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  # An update that fails in part may still have found what is needed.
  "${as_root[@]}" apt-get -q update >&2 || say "apt-get update failed; trying with the lists at hand"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${missing[@]}" >&2 ||
    give_up "could not install: ${missing[*]}"
}

# configure PRESET [CMAKE OPTION...]: only when the build folder was made for something else.
configure() {
  local preset=$1 build="$root/build/$1" wanted
  shift
  wanted="$(printf '%s\n' "$root" "${CXX:-}" "${CUDACXX:-}" "$(command -v nvcc || true)" "${GRADLAB_CUDA:-}" \
    "${GRADLAB_WERROR:-}" "$@")"
  if [[ -e $build/build.ninja && -e $build/configured-for && $(<"$build/configured-for") == "$wanted" ]]; then
    return 0
  fi
  rm -f "$build/configured-for"
  local options=("$@")
  [[ -z ${GRADLAB_CUDA:-} ]] || options+=("-DGRADLAB_CUDA=$GRADLAB_CUDA")
  [[ -z ${GRADLAB_WERROR:-} ]] || options+=("-DGRADLAB_WERROR=$GRADLAB_WERROR")
  say "configuring build/$preset"
  (cd "$root" && cmake --fresh --preset "$preset" "${options[@]}") >&2 || give_up "could not configure build/$preset"
  printf '%s\n' "$wanted" >"$build/configured-for"
}

# build PRESET [TARGET]: configures and builds it all, or one target.
build() {
  local preset=$1 folder="$root/build/$1" target="${2:-all}" lock
  mkdir -p "$folder"
  # Two at once would write the same files.
  exec {lock}>"$folder/.lock"
  ! command -v flock >/dev/null || flock "$lock"
  configure "$preset"
  # What ninja says when there is nothing to do is left out.
  cmake --build "$folder" --target "$target" 2>&1 {lock}>&- |
    sed -u '/^ninja: no work to do/d; /Re-checking globbed directories/d' >&2 || give_up "the build failed"
  exec {lock}>&-
}
