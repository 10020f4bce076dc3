/** What a check found wrong, each in words that say what to do. None: the check passed. */
export type Findings = readonly string[];
