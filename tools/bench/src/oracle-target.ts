import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createListener, createSqliteStorage, type Storage } from "@platform-rpc/server";
import { destination, pino } from "pino";
import { caller, createBenchPlatform, seedCall } from "./bench-platform.ts";
import { fixtureItem } from "./fixture.ts";
import { serveTarget } from "./target.ts";

const [mode] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), "platform-bench-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));

const storage = createSqliteStorage({ path: join(directory, "bench.sqlite") });
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
  await operations.putItem({ ...content, tenantId, vaultId, itemId: "item-1", baseVersion: 0 }, seedCall);
}
const logger = pino({ level: "info" }, destination({ dest: "/dev/null", minLength: 8192, sync: true }));
const listener = createListener(platform, { logger });
serveTarget((await listener.listen(0, "127.0.0.1")).port, token);

/** Wraps a storage so that it reads the vault's content before the decision: a leak that the benchmark must detect. */
function eager(inner: Storage): Storage {
  return {
    ...inner,
    async transact(ref, decide, options) {
      if (ref.kind === "item") await inner.listChanges({ ...ref, afterSequence: 0, limit: 1 });
      return inner.transact(ref, decide, options);
    },
  };
}
