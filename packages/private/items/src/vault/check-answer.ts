import type { SealedItem } from "./open-item.js";

/** What was sent: a content, or for a deletion none. */
export interface SentChange extends Partial<Pick<SealedItem, "kind" | "titleHash" | "encryptedPayload">> {
  readonly itemId: string;
  readonly baseVersion: number;
}

/** Returns the answer to a save or a deletion. @throws an error with sentences for people if it is not about what was sent */
export function checkAnswer<Answer extends SealedItem & { readonly deleted: boolean }>(
  { itemId, baseVersion, kind, titleHash, encryptedPayload: sent }: SentChange,
  answer: Answer | undefined,
  AnswerError: new (message: string) => Error = Error,
): Answer {
  if (answer?.itemId === itemId && answer.deleted === (sent === undefined)) {
    const { version, encryptedPayload: stored } = answer;
    // A repeated deletion can name the version that the first one has made.
    if (sent === undefined && version >= baseVersion) return answer;
    // A new item begins at a greater version once a backup was restored.
    const isNext = version === baseVersion + 1 || (baseVersion === 0 && version > 0);
    const isSaved = isNext && answer.kind === kind && answer.titleHash === titleHash;
    const isSame =
      stored?.ciphertext === sent?.ciphertext && stored?.nonce === sent?.nonce && stored?.aad === sent?.aad;
    if (sent !== undefined && isSaved && isSame) return answer;
  }
  const what = sent === undefined ? "deletion" : "save";
  throw new AnswerError(
    `The answer of the server is not about the ${what} that was sent. It may not have happened: load the item again, and ask the operator of the server.`,
  );
}
