/** Tells the story, one sentence at a time. */
export interface Narrator {
  /** A new chapter. */
  chapter(title: string): void;
  /** What has just happened. */
  happened(sentence: string): void;
}

/** A step did not do what it says. */
export class StoryError extends Error {
  override readonly name = "StoryError";
}

/** Holds the platform to its word. @throws StoryError */
export function mustHold(holds: boolean, promise: string): asserts holds {
  if (!holds) throw new StoryError(`It was promised that ${promise}, but that is not what happened.`);
}
