import {
  createRecipientKeys,
  createVaultKey,
  createWriterKeys,
  sealItem as seal,
  sealVaultName,
  wrapVaultKey,
} from "@platform-rpc/client/crypto";
import { describe, expect, it } from "vitest";
import { type ItemContent, writeContent } from "../item-content.js";
import { signDeletion, signerOf } from "./deletion-proof.js";
import { type ItemReader, openItem, type SealedItem } from "./open-item.js";
import { sealItem } from "./seal-item.js";
import { nameOfVault } from "./vault-key.js";

const aes = () => crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
const [wrappingKey, vaultKey] = [await aes(), await createVaultKey()];
const [ada, stranger] = [await createWriterKeys(), await createWriterKeys()];
const place = { wrappingKey, accountId: "ada", vaultId: "v-1", keyId: "key-1", epoch: 1 };
const key = { keyId: "key-1", epoch: 1, wrappedKey: await wrapVaultKey(vaultKey, place) };
const writers = [{ writerId: "ada", publicKey: ada.publicKey }];
const reader: ItemReader = { tenantId: "acme", vaultId: "v-1", key, boundTo: "ada", wrappingKey, writers };

const content: ItemContent = { title: "Mail", fields: [{ name: "password", type: "secret", value: "correct horse" }] };
const written = { itemId: "i-1", baseVersion: 2, kind: "login", title: "Mail", text: writeContent(content) };
const sealedBy = async ({ privateKey }: typeof ada, text = written.text): Promise<SealedItem> => {
  const sealed = await sealItem({ ...reader, writer: { writerId: "ada", privateKey } }, { ...written, text });
  return { ...sealed, version: 3 };
};
const item = await sealedBy(ada);
const payload = item.encryptedPayload ?? { alg: "", nonce: "", aad: "", ciphertext: "", version: 0 };
const [wrapped = { recipientId: "", wrapAlg: "", wrappedKey: "" }] = item.wrappedKeys;

/** Sets a bit of the last character that belongs to no byte. */
const nonCanonical = (text: string) => text.replace(/.$/, (end) => String.fromCharCode(end.charCodeAt(0) + 1));

describe("an item", async () => {
  it("is opened with the key of its vault, and verified if one of the writers has signed it", async () => {
    const hash = expect.stringMatching(/^[\w-]{43}$/);
    const opened = { content, text: written.text, revision: { version: 3, hash, replaces: undefined } };
    expect(await openItem(item, reader)).toEqual({ ...opened, isVerified: true });
    // A deletion and a restore raise the version.
    expect(await openItem({ ...item, version: 5 }, reader)).toEqual({ ...opened, isVerified: true });
    expect(await openItem(await sealedBy(stranger), reader)).toEqual({ ...opened, isVerified: false });
    expect(await openItem(item, { ...reader, writers: [] })).toEqual({ ...opened, isVerified: false });
  });

  it("of a vault without a key is opened by the person for whom its key is wrapped", async () => {
    const { publicKey, privateKey } = await createRecipientKeys();
    const at = { tenantId: "acme", vaultId: "v-1", itemId: "i-1", version: 3 };
    const plaintext = new TextEncoder().encode(written.text);
    const recipients = [{ recipientId: "ada", publicKey }];
    const sealed = await seal({ place: at, kind: "login", titleHash: "", plaintext, recipients });
    const person = { ...reader, key: undefined, writers: undefined, recipient: { recipientId: "ada", privateKey } };
    const own = { ...sealed, itemId: "i-1", version: 3 };
    expect(await openItem(own, person)).toMatchObject({ content, isVerified: false });
    expect(await openItem(own, { ...person, recipient: undefined })).toEqual({ closed: "not shared" });
    expect(await openItem(own, { ...reader, recipient: person.recipient })).toMatchObject({ isVerified: false });
  });

  it.each<[string, Partial<SealedItem>, Partial<ItemReader>]>([
    ["another id", { itemId: "i-2" }, {}],
    ["a version before the sealed one", { version: 2 }, {}],
    ["another kind", { kind: "card" }, {}],
    ["another title hash", { titleHash: "AAAA" }, {}],
    ["another vault", {}, { vaultId: "v-2" }],
    ["another tenant", {}, { tenantId: "other" }],
    ["another epoch of the key", {}, { key: { ...key, epoch: 2 } }],
    ["a key of another account", {}, { boundTo: "bob" }],
    ["another wrapping key", {}, { wrappingKey: await aes() }],
    [
      "a wrapped key that is not canonical",
      { wrappedKeys: [{ ...wrapped, wrappedKey: nonCanonical(wrapped.wrappedKey) }] },
      {},
    ],
    ["an unknown algorithm", { encryptedPayload: { ...payload, alg: "A128GCM" } }, {}],
  ])("is refused with %s", async (_, ofItem, ofReader) => {
    expect(await openItem({ ...item, ...ofItem }, { ...reader, ...ofReader })).toEqual({ closed: "altered" });
  });

  it.each<[string, SealedItem, Partial<ItemReader>]>([
    ["shredded", { ...item, encryptedPayload: { ...payload, ciphertext: "" } }, {}],
    ["locked", item, { wrappingKey: undefined }],
    ["key not shared", item, { key: { ...key, wrappedKey: "" } }],
    ["not shared", { ...item, wrappedKeys: [] }, {}],
    ["unknown form", await sealedBy(ada, '{"title":1}'), {}],
  ])("that cannot be opened is %s", async (closed, one, ofReader) => {
    expect(await openItem(one, { ...reader, ...ofReader })).toEqual({ closed });
  });
});

it("a vault has the name that its key opens", async () => {
  const place = { vaultKey, tenantId: "acme", vaultId: "v-1", epoch: 1, revision: 2 };
  const encryptedName = await sealVaultName("Family", place);
  const named = { tenantId: "acme", encryptedName, revision: 2, personId: "ada" };
  const nameOf = (changes: Partial<ItemReader>, name = named) => nameOfVault({ ...reader, ...changes }, name);
  expect(await nameOf({})).toBe("Family");
  expect(await nameOf({ vaultId: "ada" })).toBe("Personal");
  expect(await nameOf({ key: undefined })).toBe("v-1");
  expect(await nameOf({ key: { ...key, wrappedKey: "" } })).toBe("Shared vault");
  expect(await nameOf({ wrappingKey: undefined })).toBe("Vault without a readable name");
  expect(await nameOf({ boundTo: "bob" })).toBe("Vault without a readable name");
  expect(await nameOf({}, { ...named, revision: 3 })).toBe("Vault without a readable name");
});

describe("the deletion of an item", async () => {
  const version = { tenantId: "acme", vaultId: "v-1", itemId: "i-1", baseVersion: 3 };
  const by = (keys: typeof ada) => ({ writerId: "ada", privateKey: keys.privateKey });
  const proof = await signDeletion("delete", version, by(ada));

  it("is verified if one of the writers has signed the order", async () => {
    expect(await signerOf("delete", version, proof, writers)).toBe("ada");
    expect(await signerOf("shred", version, await signDeletion("shred", version, by(ada)), writers)).toBe("ada");
  });

  it.each<[string, Partial<typeof version>, Partial<typeof proof>?]>([
    ["another tenant", { tenantId: "other" }],
    ["another vault", { vaultId: "v-2" }],
    ["another item", { itemId: "i-2" }],
    ["an earlier version", { baseVersion: 5 }],
    ["the other order", {}, await signDeletion("shred", version, by(ada))],
    ["a stranger", {}, await signDeletion("delete", version, by(stranger))],
    ["an unknown program", {}, { writerId: "program:1" }],
    ["no base64url", {}, { signature: "*" }],
  ])("is not verified with the signature of %s", async (_, otherVersion, otherProof) => {
    const reported = { ...proof, ...otherProof };
    expect(await signerOf("delete", { ...version, ...otherVersion }, reported, writers)).toBeUndefined();
    expect(await signerOf("delete", version, undefined, writers)).toBeUndefined();
  });
});
