import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStorage, type Storage } from "@platform-rpc/server";
import { serveTarget } from "../load/serve-target.ts";
import { caller, createBenchPlatform, seedCall } from "../platform/bench-platform.ts";
import { fixtureItem } from "../platform/fixture.ts";
import { startPlatform } from "../platform/start-servers.ts";

const [mode] = process.argv.slice(2);

const storage = createSqliteStorage({ path: join(tmpdir(), "bench.sqlite") });
const { platform, token } = await createBenchPlatform(mode === "eager" ? eager(storage) : storage);
const { operations } = platform;
const { tenantId, principalId } = caller;
const { kind, titleHash, encryptedPayload, wrappedKeys } = fixtureItem;
const content = {
  kind,
  titleHash,
  wrappedKeys,
  encryptedPayload: { ...encryptedPayload, ciphertext: "c".repeat(48 * 1024) },
};
for (const [vaultId, role] of [
  ["vault-closed", ""],
  ["vault-viewed", "viewer"],
  ["vault-open", "owner"],
] as const) {
  await operations.createVault({ tenantId, vaultId, retentionDays: undefined }, seedCall);
  if (role !== "") await operations.setVaultMember({ tenantId, vaultId, principalId, role }, seedCall);
  await operations.putItem(
    { access: "administrator", ...content, tenantId, vaultId, itemId: "item-1", baseVersion: 0 },
    seedCall,
  );
}
serveTarget((await startPlatform(platform)).port, token);

/** Wraps a storage so that it reads the vault's content before the decision: a leak that the benchmark must detect. */
function eager(inner: Storage): Storage {
  return {
    ...inner,
    async transact(ref, rule, options) {
      if (ref.kind === "item") await inner.listChanges({ ...ref, afterSequence: 0, limit: 1 });
      return inner.transact(ref, rule, options);
    },
  };
}
