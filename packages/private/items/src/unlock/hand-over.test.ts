import { createHash } from "node:crypto";
import {
  createVaultKey,
  createWriterKeys,
  openVaultKey,
  openVaultName,
  sealVaultName,
} from "@platform-rpc/client/crypto";
import { describe, expect, it } from "vitest";
import { type Certificate, certifiedWriter, certify, isRemoval, signRemoval, writerIdOf } from "./certificate.js";
import { createEncryptionKey, type HandOver, HandOverError, handOver, receive } from "./hand-over.js";
import { canBeUnlockCode, isUnlockCode, personCode, type UnlockRequest, unlockCode } from "./unlock-code.js";

const person = await createWriterKeys();
const program = await createWriterKeys();
const stranger = await createWriterKeys();
const { x: signingKey = "" } = await crypto.subtle.exportKey("jwk", program.publicKey);
const { x: strangersKey = "" } = await crypto.subtle.exportKey("jwk", stranger.publicKey);
const { privateKey, encryptionKey } = await createEncryptionKey();
const request: UnlockRequest = { tenantId: "acme", accountId: "ada", unlockId: "unlock-1", encryptionKey, signingKey };

/** Sets a bit of the last character that belongs to no byte. */
const nonCanonical = (text: string) => text.replace(/.$/, (end) => String.fromCharCode(end.charCodeAt(0) + 1));

describe("the 16 characters of a request, and of the person who answers it", () => {
  it("are the first 80 bits of SHA-256 over both, in Crockford's base32", async () => {
    const known = { ...request, encryptionKey: "E", signingKey: "S" };
    const json = JSON.stringify(["platform unlock: person", 1, "acme", "ada", "unlock-1", "E", "S", "P"]);
    const bits = [...createHash("sha256").update(json).digest().subarray(0, 10)]
      .map((byte) => byte.toString(2).padStart(8, "0"))
      .join("");
    const digits = (bits.match(/.{5}/g) ?? []).map(
      (five) => "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[Number.parseInt(five, 2)],
    );
    const code = await personCode(known, "P");
    expect(code.replaceAll("-", "")).toBe(digits.join(""));
    expect(code).toMatch(/^(\w{4}-){3}\w{4}$/);
  });

  it.each(["tenantId", "accountId", "unlockId", "encryptionKey", "signingKey"])(
    "differ with another %s",
    async (name) => {
      const other = { ...request, [name]: "other" };
      expect(await unlockCode(other)).not.toBe(await unlockCode(request));
      expect(await personCode(other, "P")).not.toBe(await personCode(request, "P"));
    },
  );

  it("are read without regard to case, groups and look-alikes", () => {
    const code = "01AB-CD1E-0F1G-XYZ0";
    for (const typed of [code, "oIab cdle of1g xyzO", "01abcd1e0f1gxyz0"]) expect(isUnlockCode(code, typed)).toBe(true);
    for (const typed of ["", "01AB-CD1E-0F1G-XYZ", "11AB-CD1E-0F1G-XYZ0"])
      expect(isUnlockCode(code, typed)).toBe(false);
    expect(["0".repeat(16), "oooo oooo oooo oooo", "0".repeat(15), "U".repeat(16)].map(canBeUnlockCode)).toEqual([
      ...[true, true, false, false],
    ]);
  });
});

describe("a hand-over", async () => {
  const vaultKey = await createVaultKey();
  const vault = { vaultId: "v-1", keyId: "key-1", epoch: 1, vaultKey };
  const handedOver = { vaults: [vault], removed: [strangersKey] };
  const handed = await handOver(request, { ...handedOver, personKey: person.privateKey });
  const keys = { privateKey, personKey: person.publicKey };

  it("gives the program the keys of the vaults, and only it", async () => {
    const { wrappingKey: bytes, vaults, removed } = await receive(request, handed, keys);
    expect(removed).toEqual([strangersKey]);
    const [received] = vaults;
    if (received === undefined) return expect.unreachable();
    const wrappingKey = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["decrypt"]);
    const opened = await openVaultKey(received.wrappedKey, { ...received, wrappingKey, accountId: "unlock-1" });
    const place = { tenantId: "acme", vaultId: "v-1", epoch: 1 };
    const name = await sealVaultName("Family", { ...place, vaultKey });
    expect(await openVaultName(name, { ...place, vaultKey: opened })).toBe("Family");
    const other = await createEncryptionKey();
    const wrong = await receive(request, handed, { ...keys, privateKey: other.privateKey });
    expect(wrong.wrappingKey).not.toEqual(bytes);
  });

  it.each<[string, Partial<UnlockRequest>, Partial<HandOver>]>([
    ["another tenant", { tenantId: "other" }, {}],
    ["another account", { accountId: "bob" }, {}],
    ["another unlocking", { unlockId: "unlock-2" }, {}],
    ["another signing key", { signingKey: strangersKey }, {}],
    ["another key of the page", {}, { pageKey: encryptionKey }],
    ["no vaults", {}, { vaults: [] }],
    ["a removal left out", {}, { removed: [] }],
    ["a removal added", {}, { removed: [strangersKey, signingKey] }],
    ["a vault with another epoch", {}, { vaults: handed.vaults.map((each) => ({ ...each, epoch: 2 })) }],
    ["another certificate", {}, { certificate: { ...handed.certificate, signature: "AAAA" } }],
    ["a truncated signature", {}, { signature: handed.signature.slice(0, 40) }],
    ["a signature that is not canonical", {}, { signature: nonCanonical(handed.signature) }],
  ])("is refused with %s", async (_, ofRequest, changes) => {
    const received = receive({ ...request, ...ofRequest }, { ...handed, ...changes }, keys);
    await expect(received).rejects.toThrow(HandOverError);
  });

  it("is refused if somebody else has signed it", async () => {
    const forged = await handOver(request, { ...handedOver, personKey: stranger.privateKey });
    await expect(receive(request, forged, keys)).rejects.toThrow(HandOverError);
  });
});

describe("a certificate, and its removal", async () => {
  const place = { tenantId: "acme", accountId: "ada" };
  const certificate = await certify(signingKey, place, person.privateKey);
  const removal = await signRemoval(signingKey, place, person.privateKey);

  it("makes a program a writer, whose id depends on its key alone; neither is the other one", async () => {
    expect(await isRemoval(removal, place, person.publicKey)).toBe(true);
    expect(await isRemoval(certificate, place, person.publicKey)).toBe(false);
    expect(await certifiedWriter(removal, place, person.publicKey)).toBeUndefined();
    const writer = await certifiedWriter(certificate, place, person.publicKey);
    expect(writer?.writerId).toBe(await writerIdOf(signingKey));
    expect(writer?.writerId).toMatch(/^program:[\w-]{43}$/);
  });

  it.each<[string, Partial<Certificate>, Partial<typeof place>]>([
    ["another account", {}, { accountId: "bob" }],
    ["another tenant", {}, { tenantId: "other" }],
    ["another key", { signingKey: strangersKey }, {}],
    ["a truncated signature", { signature: certificate.signature.slice(0, 80) }, {}],
    ["a signature that is not base64url", { signature: "?" }, {}],
    ["a signature that is not canonical", { signature: nonCanonical(certificate.signature) }, {}],
  ])("is refused for %s", async (_, changes, elsewhere) => {
    const at = { ...place, ...elsewhere };
    expect(await certifiedWriter({ ...certificate, ...changes }, at, person.publicKey)).toBeUndefined();
    expect(await isRemoval({ ...removal, ...changes }, at, person.publicKey)).toBe(false);
  });

  it("is refused if somebody else has signed it, or with another label", async () => {
    const forged = await certify(signingKey, place, stranger.privateKey);
    expect(await certifiedWriter(forged, place, person.publicKey)).toBeUndefined();
    const forgedRemoval = await signRemoval(signingKey, place, stranger.privateKey);
    expect(await isRemoval(forgedRemoval, place, person.publicKey)).toBe(false);
    const text = JSON.stringify(["platform unlock: hand-over", 1, "acme", "ada", signingKey]);
    const signed = await crypto.subtle.sign("Ed25519", person.privateKey, new TextEncoder().encode(text));
    const signature = Buffer.from(signed).toString("base64url");
    expect(await certifiedWriter({ signingKey, signature }, place, person.publicKey)).toBeUndefined();
  });
});
