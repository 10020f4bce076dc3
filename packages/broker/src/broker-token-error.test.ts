import { describe, expect, it } from "vitest";
import { BrokerTokenError, type BrokerTokenErrorOptions, type BrokerTokenReason, isBrokerTokenError } from "./index.js";

const reasons: readonly BrokerTokenReason[] = [
  ...(["TOKEN_MISSING", "TOKEN_INVALID", "TOKEN_EXPIRED", "TOKEN_FOREIGN", "SCHEME_WRONG"] as const),
  ...(["INSUFFICIENT_SCOPE", "PROOF_MISSING", "PROOF_NOT_SINGLE", "PROOF_MALFORMED", "PROOF_TYPE"] as const),
  ...(["PROOF_ALGORITHM", "PROOF_KEY", "PROOF_SIGNATURE", "PROOF_METHOD", "PROOF_URL", "PROOF_TIME"] as const),
  ...(["PROOF_TOKEN", "PROOF_KEY_MISMATCH", "PROOF_REPLAYED", "PROOF_LIMIT", "REPLAY_CACHE_FULL"] as const),
  ...(["REPLAY_CACHE_UNAVAILABLE", "KEYS_UNAVAILABLE", "KEYS_EXPIRED"] as const),
];

describe("WWW-Authenticate", () => {
  it.each<[string, BrokerTokenReason, BrokerTokenErrorOptions, number, RegExp | undefined]>([
    [
      "offers both schemes without an error when there are no credentials (RFC 6750 section 3.1, RFC 9449 section 7.2)",
      "TOKEN_MISSING",
      {},
      401,
      /^Bearer, DPoP algs="ES256 Ed25519"$/,
    ],
    [
      "reports a Bearer token as invalid_token",
      "TOKEN_EXPIRED",
      { scheme: "Bearer" },
      401,
      /^Bearer error="invalid_token", error_description="The access token has expired\..*", DPoP algs="ES256 Ed25519"$/,
    ],
    [
      "reports a DPoP-bound token as invalid_token (RFC 9449 section 7.1)",
      "PROOF_KEY_MISMATCH",
      { scheme: "DPoP" },
      401,
      /^Bearer, DPoP error="invalid_token", error_description="The access token is bound .*", algs="ES256 Ed25519"$/,
    ],
    [
      "reports a proof as invalid_dpop_proof",
      "PROOF_URL",
      { scheme: "DPoP" },
      401,
      /^Bearer, DPoP error="invalid_dpop_proof", error_description="The htu .*", algs="ES256 Ed25519"$/,
    ],
    [
      "names the scopes with insufficient_scope (RFC 6750 section 3.1)",
      "INSUFFICIENT_SCOPE",
      { scheme: "Bearer", requiredScopes: ["a:b", "c:d"] },
      403,
      /^Bearer error="insufficient_scope", error_description=".*", scope="a:b c:d", DPoP algs=/,
    ],
    ["is absent when the key used too many proofs", "PROOF_LIMIT", { scheme: "DPoP" }, 429, undefined],
    ["is absent when the broker is at fault", "KEYS_UNAVAILABLE", { scheme: "DPoP" }, 503, undefined],
  ])("%s", (_, reason, options, status, header) => {
    const error = new BrokerTokenError(reason, options);
    expect(error.status).toBe(status);
    if (header === undefined) expect(error.headers).toEqual({});
    else expect(error.headers["WWW-Authenticate"]).toMatch(header);
  });

  it.each(reasons)("%s has a message that fits into error_description (RFC 6750 section 3)", (reason) => {
    const { message, name } = new BrokerTokenError(reason);
    expect(name).toBe("BrokerTokenError");
    expect(message).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]{20,200}$/);
  });
});

describe("isBrokerTokenError", () => {
  const error = new BrokerTokenError("TOKEN_EXPIRED");
  const otherCopy = Object.assign(new Error(), { name: "BrokerTokenError", reason: "TOKEN_EXPIRED" });

  it.each<[unknown, BrokerTokenReason | undefined, boolean]>([
    [error, undefined, true],
    [error, "TOKEN_INVALID", false],
    [otherCopy, "TOKEN_EXPIRED", true],
    [undefined, undefined, false],
    [{ name: "BrokerTokenError", reason: "TOKEN_EXPIRED" }, undefined, false],
  ])("%s, %s: %s", (value, reason, expected) => {
    expect(isBrokerTokenError(value, reason)).toBe(expected);
  });
});
