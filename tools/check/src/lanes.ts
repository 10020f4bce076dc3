/**
 * All gates except the tests. The lanes run in parallel. The second takes about as long as the first. Its copy of the workspace
 * reuses turbo's cache for the packages that it does not change.
 */
export const lanes = [
  ["types", "reference", "packages", "lint", "contract", "generate --check"],
  [
    "extending",
    "faults --short",
    "faults clock-postgres kill-postgres stop-postgres cut-network fail-over --short --engine postgres --processes 2",
  ],
];
