/**
 * All gates except the tests. The lanes run in parallel. The second takes as long as the first, and finds in turbo's cache the
 * types of what the copied workspace does not change.
 */
export const lanes = [["types", "reference", "packages", "lint", "contract", "generate --check"], ["extending"]];
