import type { SealedItem } from "./open-item.js";

/** What was sent: a content, or for a deletion none. */
export interface SentChange extends Partial<Pick<SealedItem, "kind" | "titleHash" | "encryptedPayload">> {
  readonly itemId: string;
  readonly baseVersion: number;
}

type Answer = SealedItem & { readonly deleted: boolean };

/** Returns the answer to a save or a deletion. @throws an error with sentences for people if it contradicts what was sent */
export function checkAnswer<Item extends Answer>(
  sent: SentChange,
  answer: Item | undefined,
  AnswerError: new (message: string) => Error = Error,
): Item {
  const part = differenceOf(sent, answer);
  if (answer !== undefined && part === undefined) return answer;
  const what = sent.encryptedPayload === undefined ? "deleted" : "saved";
  const message = `The server says that it has ${what} the item, but its answer has another ${part} than was sent. Do not rely on the change: load the item again, and ask the operator of the server.`;
  throw new AnswerError(message);
}

function differenceOf(sent: SentChange, answer: Answer | undefined): string | undefined {
  const { itemId, baseVersion, kind, titleHash, encryptedPayload } = sent;
  if (answer?.itemId !== itemId) return "item";
  if (encryptedPayload === undefined) {
    if (!answer.deleted) return "state";
    // A repeated deletion can name the version that the first one has made.
    return answer.version < baseVersion ? "version" : undefined;
  }
  if (answer.deleted) return "state";
  if (answer.version !== baseVersion + 1) return "version";
  if (answer.kind !== kind) return "kind";
  if (answer.titleHash !== titleHash) return "title hash";
  const { ciphertext, nonce, aad } = answer.encryptedPayload ?? {};
  const isSame =
    ciphertext === encryptedPayload.ciphertext && nonce === encryptedPayload.nonce && aad === encryptedPayload.aad;
  return isSame ? undefined : "content";
}
