#!/usr/bin/env bash
# Builds dist/waymark: one executable with the runtime, the program and its worker threads.
#   build-binary.sh [TARGET RUNTIME FILE]    for another machine, such as bun-linux-arm64, with that Bun, into FILE
# A commit gives the same bytes in any folder: packages that ask for their own place, which isn't there later, get "/".
# Identifiers are not minified, because the log names errors by class. This costs 1 MB of 130 and no start time. The
# bytecode takes 13 MB, and two thirds of the processor time of a start.
# The entry point of each thread is an entry point of the build; src/ is their common folder (src/lib/worker-url.ts).
set -euo pipefail
cd "$(dirname "$0")/.."
out=${3:-dist/waymark}
cross=()
(($# == 0)) || cross=("--target=$1" "--compile-executable-path=$2")
mkdir -p "$(dirname "$out")"
bin/bun scripts/panel.ts
mapfile -t threads < <(find src -name '*.worker.ts' | sort)
bin/bun build --compile --bytecode --format=esm --minify-whitespace --minify-syntax --sourcemap=none \
  --no-compile-autoload-dotenv --no-compile-autoload-bunfig --define=__dirname='"/"' --define=__filename='"/"' \
  "${cross[@]}" --outfile "$out" src/main.ts "${threads[@]}"
echo "$out: $(du -h "$out" | cut -f1)"
