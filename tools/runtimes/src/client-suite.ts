import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { type Environment, vectors } from "./environment.ts";
import { entries, type ProgramInput } from "./program/program-input.ts";
import type { ProgramResult } from "./program/program-result.ts";
import { provenRequest, sealedText } from "./program/run-program.ts";
import type { Run, RuntimeUnderTest } from "./runtime-under-test.ts";

/** Defines the tests that @platform-rpc/client must pass in every runtime. */
export function clientSuite(runtime: RuntimeUnderTest, environment: () => Environment, run: () => Promise<Run>): void {
  let input: ProgramInput;
  let result: ProgramResult;
  let printed: string;
  beforeAll(async () => {
    ({ input, result, printed } = await run());
  });

  it("runs in the runtime of the title", () => {
    expect(result.runtime.userAgent).toContain(runtime.userAgent);
    expect(result.runtime.takesRedirectError).toBe(runtime.takesRedirectError);
  });

  describe.each(entries)("%s", (entry) => {
    it("SPEC section 4.1: deletes an item, with trace context, and returns the same answer to a retry", () => {
      const { deleted, repeated } = result.entries[entry];
      expect(deleted).toMatchObject({ version: 2, deleted: true, sequence: 2 });
      expect(repeated).toMatchObject({ version: 2, deleted: true, sequence: 2 });
    });

    it("SPEC section 7: reports the item's current version with VERSION_CONFLICT", () => {
      const { itemId, vaultId } = input.fixtures[entry].item;
      expect(result.entries[entry].conflict).toMatchObject({
        reason: "VERSION_CONFLICT",
        code: "aborted",
        retryable: false,
        detail: { itemId, baseVersion: 7, currentVersion: 2, deleted: true, cursor: { vaultId, sequence: 2 } },
      });
    });

    it("can read the request id of a response", () => {
      const { deleted, repeated, conflict } = result.entries[entry];
      const ids = [deleted.requestId, repeated.requestId, conflict.requestId];
      for (const id of ids) expect(id).toMatch(/^[!-~]{16,128}$/);
      expect(new Set(ids).size).toBe(3);
      expect(repeated.readableRequestId).toBe(repeated.requestId);
    });

    it("RFC 8628: logs in while the user approves, and calls with the session", () => {
      const { login } = result.entries[entry];
      expect(login.statuses).toEqual(["authorization_pending"]);
      expect(login.approval).toBe(204);
      expect(login.deleted).toMatchObject({ version: 2, deleted: true });
    });

    it("gets tokens after a lost response by retrying with the same Idempotency-Key", () => {
      expect(result.entries[entry].exchangedAgain).toEqual({ status: "approved", attempts: 2, sameAnswer: true });
    });

    it("follows no redirect, so that no other server receives the token", () => {
      expect(result.entries[entry].redirected).toMatchObject({ reason: "MALFORMED_RESPONSE", retryable: false });
      expect(environment().arrivedElsewhere).toEqual([]);
    });
  });

  it("@platform-rpc/client/crypto: recipients open items sealed for them by a trusted writer", () => {
    expect(result.opened).toEqual([sealedText, sealedText]);
  });

  it("@platform-rpc/client/crypto: opens the published test vectors", () => {
    const { items, titles } = vectors;
    const [itemKey] = items.map((item) => item.itemKey);
    expect(result.published).toEqual({
      items: items.map(
        ({ writer, plaintext, encryptedPayload: { version } }) => `${version} ${writer?.writerId}: ${plaintext}`,
      ),
      itemKeys: [itemKey, itemKey],
      titleHashes: titles.map(({ titleHash }) => titleHash),
    });
  });

  it("@platform-rpc/client/pop: creates proofs that another implementation accepts (RFC 9449)", async () => {
    const { jwt, thumbprint } = result.proof;
    const { payload, protectedHeader } = await jwtVerify(jwt, EmbeddedJWK, { typ: "dpop+jwt", algorithms: ["ES256"] });
    expect(await calculateJwkThumbprint(protectedHeader.jwk ?? {})).toBe(thumbprint);
    expect(payload).toMatchObject({ htm: provenRequest.htm, htu: provenRequest.htu });
  });

  it("printed sessions and errors contain no token and no code", () => {
    for (const entry of entries) expect(printed).toContain(`logged in by ${entry}`);
    expect(printed).toContain("VERSION_CONFLICT");
    expect(printed).not.toMatch(/eyJ|pdc_/);
  });
}
