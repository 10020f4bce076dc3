/** All gates except the tests. The lanes run in parallel; types take longer than the others together. */
export const lanes = [
  ["types", "reference", "packages"],
  ["lint", "contract", "generate --check"],
];
