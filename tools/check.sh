# Runs the tests, then every other gate, and prints the tally as the last line. Arguments: exit codes of further commands, for the tally.
rm -rf node_modules/.vitest .turbo/runs
# They need the whole machine: with the gates beside them, both take longer than one after the other.
pnpm --silent test
tested=$?
pnpm --silent build --continue
pnpm --silent gates types lint contract generate:check reference packages extending faults:short faults:postgres
node tools/tally.mjs "$tested" "$@"
