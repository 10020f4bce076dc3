import { createClient, createRouterTransport } from "@connectrpc/connect";
import { createWriterKeys } from "@platform-rpc/client/crypto";
import { memoryOf } from "@platform-rpc/items/testing/memory-of";
import { signHead } from "@platform-rpc/items/vault/vault-head";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { expect, it, vi } from "vitest";
import { checkHead, storeHeads } from "./vault-heads.js";

// They need a page.
vi.mock("../opening/certified-programs.js", () => ({ listPrograms: async () => [] }));
vi.mock("../opening/browser-memory.js", () => ({ browserMemory: () => memory }));

const memory = memoryOf();
const { privateKey, publicKey } = await createWriterKeys();
const member = { signingKey: privateKey, verificationKey: publicKey, wrappingKey: privateKey, draftsKey: privateKey };
const session = { tenantId: "acme", principalId: "ada", keys: { member } };
const key = { keyId: "k", epoch: 1, wrappedKey: "A" };
const at = (sequence: number) => ({ sequence, versions: new Map([["i-1", sequence]]) });

it.each([
  ["lists nothing else is behind", { cursor: { sequence: 2 } }, true],
  ["lists what follows only waits for it", { cursor: { sequence: 4 } }, false],
  ["lists the first of many that follow only waits for them", { cursor: { sequence: 3 }, hasMore: true }, false],
])("a copy before a head, of which the server %s", async (vaultId, answer, isNoticed) => {
  const writer = { writerId: "ada", privateKey };
  const head = await signHead({ tenantId: "acme", vaultId, ...at(4) }, writer);
  const vault = { vaultId, role: "owner", key, head };
  const transport = createRouterTransport(({ rpc }) => {
    rpc(MemberVaultService.method.listChanges, () => answer);
  });
  const check = (now: number) => checkHead(vault, at(2), session, createClient(MemberVaultService, transport), now);
  expect((await check(0)) !== undefined).toBe(isNoticed);
  const hour = 3_600_000;
  expect((await check(hour)) !== undefined, "a computer that slept").toBe(isNoticed);
  await check(hour + 10_000);
  // What the server lists for 30 seconds and never gives to the copy, it hides.
  expect(await check(hour + 20_000)).toMatchObject({ what: "behind" });
});

it("a head that is not due yet is stored when the page is left, unless a list contradicts it", async () => {
  const stored: (number | undefined)[] = [];
  const transport = createRouterTransport(({ rpc }) => {
    rpc(MemberVaultService.method.listChanges, () => ({}));
    rpc(MemberVaultService.method.putVaultHead, ({ head }) => {
      stored.push(head?.sequence);
      return {};
    });
  });
  for (const sequence of [5, 6, 7, 0, 8]) {
    const vault = { vaultId: "v-2", role: "owner", key, head: undefined };
    const isNoticed =
      (await checkHead(vault, at(sequence), session, createClient(MemberVaultService, transport))) !== undefined;
    expect(isNoticed).toBe(sequence === 0);
    if (sequence !== 7) storeHeads();
  }
  await vi.waitFor(() => expect(stored).toEqual([5, 6, 8]));
});
