/**
 * Returns how often a differential test compares two implementations: `usual` times, or as often as the environment variable
 * FUZZ_RUNS says. `FUZZ_RUNS=1000000 pnpm test` is the long form.
 */
export function fuzzRuns(usual: number): number {
  const { FUZZ_RUNS = usual } = process.env;
  return Number(FUZZ_RUNS);
}
