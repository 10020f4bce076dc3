/** The fields for the bounds of an approval, as the review page proposes them to a person with these vaults. */
export function boundsForm(now: number, ...vaults: readonly string[]) {
  const until = new Date(now + 7 * 24 * 60 * 60_000).toISOString().slice(0, 16);
  return { vault: vaults, deletions: "25", until };
}
