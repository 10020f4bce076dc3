import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openJournal, type RecordedRequest, readJournals } from "./journal.ts";

const request: RecordedRequest = { on: "item", vaultId: "v", itemId: "i", kind: "get" };

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "journal-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "journal");
}

it("a journal keeps each call with its times and its end", async () => {
  const path = newPath();
  const journal = openJournal(path);
  await journal.record(request, "r-1", async () => ({ lost: "ECONNRESET" }));
  await journal.record(request, "r-2", async () => ({ refused: "ECONNREFUSED" }));
  await journal.record(request, "r-3", async () => ({ result: { ok: false, reason: "ITEM_NOT_FOUND" } }));
  journal.close();
  const calls = await readJournals([path]);
  expect(calls).toMatchObject([
    { requestId: "r-1", lost: "ECONNRESET", result: undefined },
    { requestId: "r-2", refused: "ECONNREFUSED" },
    { requestId: "r-3", request, result: { ok: false, reason: "ITEM_NOT_FOUND" } },
  ]);
  for (const { begunAt, endedAt } of calls) expect(endedAt).toBeGreaterThanOrEqual(begunAt);
});

it("a call whose client was killed has an unknown effect, also if its last line was cut off", async () => {
  const path = newPath();
  const journal = openJournal(path);
  void journal.record(request, "r-1", () => new Promise(() => undefined));
  appendFileSync(path, '{"call":1,"at":');
  expect(await readJournals([path])).toMatchObject([
    { requestId: "r-1", lost: "the client ended", endedAt: Number.POSITIVE_INFINITY },
  ]);
  journal.close();
});
