#!/bin/sh
# Copies what the built app needs to run into a folder: its programs, the files of its pages, and the documentation.
# Usage, from the root of the built workspace: collect-files.sh FOLDER
set -eu
target=$1
mkdir -p "$target/dist"
cp apps/platform/dist/*.js "$target/dist/"
cp -R apps/platform/dist/assets apps/handbook/dist/docs "$target/dist/"
printf '{"type":"module"}\n' >"$target/package.json"
