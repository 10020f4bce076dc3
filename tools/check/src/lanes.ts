/** All gates except the tests. The lanes run in parallel. */
export const lanes = [
  ["types", "reference", "packages"],
  ["lint", "contract", "generate --check", "extending"],
];
