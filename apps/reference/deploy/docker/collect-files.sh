#!/bin/sh
# Copies what the built app needs to run into a folder: its programs, the files of its pages, and the script of the API reference.
# Usage, from the root of the built workspace: collect-files.sh FOLDER
set -eu
target=$1
reference=apps/reference/node_modules/@scalar/api-reference
copied=$target/node_modules/@scalar/api-reference
mkdir -p "$target/dist" "$copied/dist/browser"
cp apps/reference/dist/*.js "$target/dist/"
cp -R apps/reference/dist/assets "$target/dist/"
cp "$reference/package.json" "$copied/"
cp "$reference/dist/index.js" "$copied/dist/"
cp "$reference/dist/browser/standalone.js" "$copied/dist/browser/"
printf '{"type":"module"}\n' >"$target/package.json"
