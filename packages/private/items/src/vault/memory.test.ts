import { createVaultKey, createWriterKeys, wrapVaultKey } from "@platform-rpc/client/crypto";
import { expect, it } from "vitest";
import { writeContent } from "../item-content.js";
import { memoryOf } from "../testing/memory-of.js";
import { checkAnswer, type SentChange } from "./check-answer.js";
import { createMemory, type SeenItems } from "./memory.js";
import { openItem, type SealedItem } from "./open-item.js";
import { sealItem } from "./seal-item.js";

const wrappingKey = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
const place = { wrappingKey, accountId: "ada", vaultId: "v-1", keyId: "key-1", epoch: 1 };
const key = { keyId: "key-1", epoch: 1, wrappedKey: await wrapVaultKey(await createVaultKey(), place) };
const { privateKey, publicKey } = await createWriterKeys();
const reader = { tenantId: "acme", vaultId: "v-1", key, boundTo: "ada", wrappingKey };
const writers = [{ writerId: "ada", publicKey }];

type Sent = SealedItem & { readonly deleted: boolean };

/** Writes a content over another one, as a device of the person does. */
async function write(baseVersion: number, password: string, over?: Sent, others = {}): Promise<Sent> {
  const opened = over && (await openItem(over, { ...reader, writers }));
  const replaces = opened?.closed === undefined ? opened?.revision : undefined;
  const text = writeContent({ title: "Mail", fields: [{ name: "password", type: "secret", value: password }] });
  const written = { itemId: "i-1", baseVersion, kind: "login", title: "Mail", replaces };
  const sealed = await sealItem(
    { ...reader, writer: { writerId: "ada", privateKey } },
    { ...written, text: JSON.stringify({ ...JSON.parse(text), ...others }) },
  );
  return { ...sealed, version: baseVersion + 1, deleted: false };
}

const v1 = await write(0, "first");
const v2 = await write(1, "second", v1);
const v3 = await write(2, "third", v2);
const tombstone = { ...v3, version: 4, deleted: true };
const restored = { ...v3, version: 5 };
const opened = await openItem(v3, { ...reader, writers });
/** What an older program does not know, and writes again. */
const copied = opened.closed === undefined ? opened.content.others : {};

/** A device that is restarted after each item that it sees. @param seen what it has stored before */
function device(seen?: SeenItems) {
  const store = memoryOf(seen);
  return async (item: Sent): Promise<string | undefined> => {
    const memory = createMemory(store, async () => {});
    const opened = await openItem(item, { ...reader, writers });
    const [finding] = await memory.judge([
      { ...item, revision: opened.closed === undefined ? opened.revision : undefined },
    ]);
    await memory.stored();
    return opened.closed ?? finding?.what;
  };
}

/** An earlier release has stored it. */
const onlyVersion = new Map([["i-1", { version: 3, hash: "", deleted: 0 }]]);

it.each<[string, readonly Sent[], Sent, string | undefined, SeenItems?]>([
  ["sends an old content", [v3], v1, "older"],
  ["sends an old content at a new version", [v3], { ...v1, version: 9 }, "older"],
  ["sends an old content to a device that has stored a version only", [], v2, "older", onlyVersion],
  ["has another device change an old content", [v3], await write(3, "fourth", v2), "forked"],
  ["has another device change an old content at a later version", [v3], await write(8, "ninth", v1), "forked"],
  ["does that where a version only is stored", [], await write(3, "fourth", v2), "forked", onlyVersion],
  ["has two devices write over the same content", [v3], await write(2, "other", v2), "forked"],
  ["has two devices seal the same text", [v3], await write(2, "third", v2), "forked"],
  ["has a device that changed one of these go on", [v3], await write(3, "4", await write(2, "3", v2)), "forked"],
  ["sends a deleted item as live", [v3, tombstone], v3, "returned"],
  ["sends a deleted item as live, at the version of the tombstone", [tombstone], { ...v3, version: 4 }, "returned"],
  ["sends an item in the place of another", [v3], { ...v3, itemId: "i-2" }, "altered"],
  ["that is honest: it sends the next content", [v2], v3, undefined],
  ["that is honest: it sends the same content again", [v3], v3, undefined],
  ["that is honest: the device has not seen the content between", [v1], v3, undefined],
  ["that is honest: the item was restored", [tombstone], restored, undefined],
  ["that is honest: the item was changed after it was restored", [tombstone], await write(5, "6", restored), undefined],
  ["that is honest: the person saved over a fork", [v3], await write(4, "5", await write(3, "4", v2)), undefined],
  ["that is honest: the content has no room for it", [v3], await write(3, "x".repeat(36_540), v2), undefined],
  ["that is honest: an older program wrote over the content", [v3], await write(3, "4", undefined, copied), undefined],
  ["that is honest: the device has stored a version only", [], await write(3, "4", v3), undefined, onlyVersion],
])("a server %s", async (_, before, sent, noticed, stored) => {
  const see = device(stored);
  for (const item of before) expect(await see(item)).toBeUndefined();
  expect([await see(sent), await see(sent)]).toEqual([noticed, noticed]);
});

const sent = { ...v3, baseVersion: 2 };
const deletion = { itemId: "i-1", baseVersion: 3 };
const { encryptedPayload: payload = { alg: "", nonce: "", aad: "", ciphertext: "", version: 0 } } = v3;

it.each<[string, SentChange, Sent | undefined, boolean]>([
  ["is what was saved", sent, v3, true],
  ["is new, after a backup was restored", { ...sent, baseVersion: 0 }, { ...v3, version: 16_777_217 }, true],
  ["is the tombstone", deletion, tombstone, true],
  ["is the tombstone again", { ...deletion, baseVersion: 4 }, tombstone, true],
  ["is missing", sent, undefined, false],
  ["is another item", sent, { ...v3, itemId: "i-2" }, false],
  ["is a later version", sent, { ...v3, version: 4 }, false],
  ["is another kind", sent, { ...v3, kind: "card" }, false],
  ["is another title", sent, { ...v3, titleHash: "AAAA" }, false],
  ["has another ciphertext", sent, { ...v3, encryptedPayload: { ...payload, ciphertext: "AAAA" } }, false],
  ["has another nonce", sent, { ...v3, encryptedPayload: { ...payload, nonce: "AAAA" } }, false],
  ["has other bound data", sent, { ...v3, encryptedPayload: { ...payload, aad: "AAAA" } }, false],
  ["is deleted at once", sent, { ...v3, deleted: true }, false],
  ["is not deleted", deletion, { ...v3, version: 4 }, false],
  ["is an old deletion", deletion, { ...tombstone, version: 2 }, false],
])("the answer to a change %s", (_, change, answer, isAccepted) => {
  const check = () => checkAnswer(change, answer);
  if (isAccepted) expect(check()).toBe(answer);
  else expect(check).toThrow("The answer of the server is not about the");
});
