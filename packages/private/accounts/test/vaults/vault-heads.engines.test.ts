import type { Call } from "@platform-rpc/server";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { ownCall } from "../../src/http/own-call.js";
import { createVaultHeads } from "../../src/members/vault-heads.js";
import { inMemoryPlatform } from "../../src/testing/in-memory-platform.js";

const tenantId = "acme";
const vaultId = "v-1";
let platform: Awaited<ReturnType<typeof inMemoryPlatform>>;
let heads: ReturnType<typeof createVaultHeads>;
beforeEach(async () => {
  platform = await inMemoryPlatform();
  onTestFinished(platform.close);
  heads = createVaultHeads(platform.own);
  const call = ownCall("test", platform.secrets);
  await platform.own.createVault({ tenantId, vaultId, retentionDays: 30 }, call);
  for (const [principalId, role] of Object.entries({ ada: "owner", bob: "member", cy: "viewer", dan: "guest" })) {
    await platform.own.setVaultMember({ tenantId, vaultId, principalId, role }, call);
  }
  for (const itemId of ["i-1", "i-2", "i-3"]) {
    const payload = { alg: "A256GCM", nonce: "bm9uY2U", aad: "YWFk", ciphertext: "c2VjcmV0", version: 1 };
    const content = { kind: "login", titleHash: "dGl0bGU", encryptedPayload: payload, wrappedKeys: [] };
    await platform.own.putItem({ access: "member", vaultId, itemId, baseVersion: 0, ...content }, callAs("ada"));
  }
});

const callAs = (principalId: string): Call => {
  const call = ownCall("test", platform.secrets);
  return { ...call, actor: { ...call.actor, tenantId, principalId } };
};
const head = (sequence: number, letter = "A") => {
  return { sequence, items: 3, hash: letter.repeat(43), writerId: "ada", signature: letter.repeat(86) };
};
const stored = async (principalId: string) => (await heads.read([vaultId], callAs(principalId)))[0];

it("of a member's heads of a vault, that with the largest sequence is stored, and nobody else gets it", async () => {
  expect(await stored("ada")).toBeUndefined();
  // In turn: each one, and the sequence that is stored then. The vault has 3 changes.
  for (const [sequence, expected] of [
    [2, 2],
    [1, 2],
    [3, 3],
    [4, 3],
  ] as const) {
    expect(await heads.put(vaultId, head(sequence), callAs("ada"))).toEqual({ ok: true });
    expect(await stored("ada")).toMatchObject(head(expected));
  }
  expect(await heads.put(vaultId, head(3, "B"), callAs("ada"))).toEqual({ ok: true });
  expect(await stored("ada")).toMatchObject(head(3));
  expect(await stored("bob")).toBeUndefined();
  expect(await heads.put(vaultId, head(1, "B"), callAs("bob"))).toEqual({ ok: true });
  expect([await stored("ada"), await stored("bob")]).toMatchObject([head(3), head(1, "B")]);
});

it.each([
  ["a viewer", "cy", vaultId, "ROLE_FORBIDS_CHANGE"],
  ["somebody with an unknown role", "dan", vaultId, "ROLE_FORBIDS_CHANGE"],
  ["a stranger", "eve", vaultId, "VAULT_NOT_FOUND"],
  ["the owner of another vault", "ada", "v-2", "VAULT_NOT_FOUND"],
])("%s stores no head", async (_, principalId, wanted, reason) => {
  expect(await heads.put(wanted, head(1), callAs(principalId))).toEqual({ ok: false, reason });
  expect(await heads.read([wanted], callAs(principalId))).toEqual([undefined]);
});
