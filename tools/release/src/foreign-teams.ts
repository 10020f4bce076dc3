/**
 * Returns a finding for each team in CODEOWNERS that does not belong to the organization of `repository`. GitHub ignores such a
 * line, so the files that it protects need no review.
 */
export function foreignTeamsIn(codeOwners: string, repository: string): readonly string[] {
  const [organization = ""] = repository.split("/");
  const teams = new Set(codeOwners.replace(/^#.*/gm, "").match(/@[\w-]+\/[\w-]+/g));
  return [...teams]
    .filter((team) => !team.toLowerCase().startsWith(`@${organization.toLowerCase()}/`))
    .map(
      (team) => `.github/CODEOWNERS names ${team}, which is not a team of ${organization}. Name one with write access.`,
    );
}
