/** Every gate but the tests. The lanes run side by side; types take longer than the others together. */
export const lanes = [
  ["types", "reference", "packages"],
  ["lint", "contract", "generate --check", "extending"],
];
