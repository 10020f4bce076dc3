/** What keeps something from being generated, each in words that say what to do. None: it was. */
export type Faults = readonly string[];
