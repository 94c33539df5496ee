#!/usr/bin/env bash
# Checks that the replay template in the tree is what viewer/ builds, byte for byte.
# Exit 77 (skipped) where npm is missing or cannot install the pinned packages.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
skip() { echo "SKIPPED: $1" >&2; exit 77; }

command -v node >/dev/null && command -v npm >/dev/null || skip "node and npm are not installed"
mkdir "$work/viewer"
cp -r viewer/src viewer/build.mjs viewer/tsconfig.json viewer/package.json \
  viewer/package-lock.json viewer/.npmrc "$work/viewer"
cd "$work/viewer"
npm ci --no-audit --no-fund --loglevel=error >"$work/npm.log" 2>&1 ||
  { cat "$work/npm.log" >&2; skip "npm could not install the viewer's packages"; }
npx --no-install tsc --noEmit
node build.mjs "$work/replay.html"
cd - >/dev/null

if ! cmp "$work/replay.html" amontons/io/assets/replay.html; then
  echo "amontons/io/assets/replay.html is not what viewer/ builds: run 'make viewer'" >&2
  exit 1
fi
if grep -nE '"resolved"|https?://' viewer/package-lock.json; then
  echo "viewer/package-lock.json names a registry" >&2
  exit 1
fi
