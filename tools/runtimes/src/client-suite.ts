import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { entries, type Plot } from "./program/plot.ts";
import { provenRequest, sealedText } from "./program/tell.ts";
import type { Told } from "./program/told.ts";
import type { Run, RuntimeUnderTest } from "./runtime-under-test.ts";
import { vectors, type World } from "./world.ts";

/** What is promised of @platform-rpc/client in any runtime. */
export function clientSuite(runtime: RuntimeUnderTest, world: () => World, run: () => Promise<Run>): void {
  let plot: Plot;
  let told: Told;
  let printed: string;
  beforeAll(async () => {
    ({ plot, told, printed } = await run());
  });

  it("is the runtime that the title names", () => {
    expect(told.runtime.userAgent).toContain(runtime.userAgent);
    expect(told.runtime.takesRedirectError).toBe(runtime.takesRedirectError);
  });

  describe.each(entries)("%s", (entry) => {
    it("SPEC section 4.1: deletes an item, with trace context, and answers a retry the same", () => {
      const { deleted, repeated } = told.entries[entry];
      expect(deleted).toMatchObject({ version: 2, deleted: true, sequence: 2 });
      expect(repeated).toMatchObject({ version: 2, deleted: true, sequence: 2 });
    });

    it("SPEC section 7: tells by a VERSION_CONFLICT where the item stands", () => {
      const { itemId, vaultId } = plot.scenes[entry].item;
      expect(told.entries[entry].conflict).toMatchObject({
        ...{ reason: "VERSION_CONFLICT", code: "aborted", retryable: false },
        detail: { itemId, baseVersion: 7, currentVersion: 2, deleted: true, cursor: { vaultId, sequence: 2 } },
      });
    });

    it("can read the request id of an answer", () => {
      const { deleted, repeated, conflict } = told.entries[entry];
      const ids = [deleted.requestId, repeated.requestId, conflict.requestId];
      for (const id of ids) expect(id).toMatch(/^[!-~]{16,128}$/);
      expect(new Set(ids).size).toBe(3);
      expect(repeated.readableRequestId).toBe(repeated.requestId);
    });

    it("RFC 8628: logs in while the user approves, and calls with the session", () => {
      const { login } = told.entries[entry];
      expect(login.statuses).toEqual(["authorization_pending"]);
      expect(login.approval).toBe(204);
      expect(login.deleted).toMatchObject({ version: 2, deleted: true });
    });

    it("gets tokens whose answer was lost by the same Idempotency-Key", () => {
      expect(told.entries[entry].exchangedAgain).toEqual({ status: "approved", attempts: 2, sameAnswer: true });
    });

    it("follows no redirection: the token reaches nobody else", () => {
      expect(told.entries[entry].redirected).toMatchObject({ reason: "MALFORMED_RESPONSE", retryable: false });
      expect(world().arrivedElsewhere).toEqual([]);
    });
  });

  it("@platform-rpc/client/crypto: recipients open what was sealed for them by a writer whom they trust", () => {
    expect(told.opened).toEqual([sealedText, sealedText]);
  });

  it("@platform-rpc/client/crypto: opens the published test vectors", () => {
    const { items, titles } = vectors;
    const [itemKey] = items.map((item) => item.itemKey);
    expect(told.published).toEqual({
      items: items.map(
        ({ writer, plaintext, encryptedPayload: { version } }) => `${version} ${writer?.writerId}: ${plaintext}`,
      ),
      itemKeys: [itemKey, itemKey],
      titleHashes: titles.map(({ titleHash }) => titleHash),
    });
  });

  it("@platform-rpc/client/pop: makes proofs that another implementation takes (RFC 9449)", async () => {
    const { jwt, thumbprint } = told.proof;
    const { payload, protectedHeader } = await jwtVerify(jwt, EmbeddedJWK, { typ: "dpop+jwt", algorithms: ["ES256"] });
    expect(await calculateJwkThumbprint(protectedHeader.jwk ?? {})).toBe(thumbprint);
    expect(payload).toMatchObject({ htm: provenRequest.htm, htu: provenRequest.htu });
  });

  it("what the program prints of sessions and errors holds no token and no code", () => {
    for (const entry of entries) expect(printed).toContain(`logged in by ${entry}`);
    expect(printed).toContain("VERSION_CONFLICT");
    expect(printed).not.toMatch(/eyJ|pdc_/);
  });
}
