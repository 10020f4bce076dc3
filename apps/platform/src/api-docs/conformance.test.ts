import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import openapi from "../gen/openapi.json" with { type: "json" };
import { type DocumentedOperation, deviations, readDocumentedOperations } from "./testing/documented-operation.js";
import { type GeneratedRequest, invalidRequest, validRequest } from "./testing/generated-request.js";
import { startPopulatedApp } from "./testing/populated-app.js";

const app = await startPopulatedApp();
afterAll(() => app.end());

// Enough that each outcome occurs. The rarest, a deletion that succeeds, has a probability of 1 in 20.
const { FUZZ_RUNS = 300 } = process.env;
const numRuns = Number(FUZZ_RUNS);

async function send({ path }: DocumentedOperation, { headers, body }: GeneratedRequest, accessToken: string) {
  const response = await fetch(app.publicUrl + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${accessToken}`, ...headers },
    body,
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Sends generated requests. Every response must match the document, and none may be a server error. */
async function sendAll(operation: DocumentedOperation, requests: fc.Arbitrary<GeneratedRequest>) {
  const reasons: string[] = [];
  await fc.assert(
    fc.asyncProperty(requests, fc.constantFrom(...app.accessTokens), async (request, accessToken) => {
      const { status, headers, body } = await send(operation, request, accessToken);
      expect(deviations(operation, status, headers, body)).toEqual([]);
      expect(status).toBeLessThan(500);
      reasons.push(body.details?.[0]?.debug.reason ?? "OK");
    }),
    { numRuns },
  );
  return reasons;
}

const requestErrors = ["INVALID_FIELD", "MALFORMED_JSON", "PROTOCOL_VERSION_REQUIRED", "INVALID_TIMEOUT"];
const callerErrors = ["UNAUTHENTICATED", "TOKEN_NOT_ALLOWLISTED", "INSUFFICIENT_SCOPE"];
/** Outcomes that must occur for an operation, so that the test is not vacuous. Default: OK. */
const outcomes: Readonly<Record<string, readonly string[]>> = {
  "/platform.v1.VaultService/DeleteItem": [
    "OK",
    "VAULT_NOT_FOUND",
    "ROLE_FORBIDS_DELETE",
    "ITEM_NOT_FOUND",
    "VERSION_CONFLICT",
  ],
  "/platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization": [
    "OK",
    "DEVICE_CODE_INVALID",
    "DEVICE_CODE_CONSUMED",
  ],
};

describe.each(readDocumentedOperations(openapi))("the running server conforms to the document: $path", (operation) => {
  it(`${numRuns} valid requests are accepted, and each response is documented`, async () => {
    const reasons = await sendAll(operation, validRequest(operation, app.known));
    expect(reasons).toHaveLength(numRuns);
    expect(reasons).toEqual(expect.arrayContaining([...callerErrors, ...(outcomes[operation.path] ?? ["OK"])]));
    expect(requestErrors.filter((reason) => reasons.includes(reason))).toEqual([]);
  });

  it(`${numRuns} invalid requests are rejected, and each response is documented`, async () => {
    const reasons = await sendAll(operation, invalidRequest(operation, app.known));
    expect(reasons).toHaveLength(numRuns);
    // Exactly these: none of the requests may reach the operation.
    expect([...new Set(reasons)].sort()).toEqual([...requestErrors, ...callerErrors].sort());
  });
});
