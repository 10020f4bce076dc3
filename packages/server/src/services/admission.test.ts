import { VaultService } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { publicContract } from "../contract/contract.js";
import { readOperation } from "../contract/operation.js";
import { createRateLimiter } from "../limits/rate-limiter.js";
import { publicOperations } from "../platform.js";
import type { Rate } from "../ports/rate-limiter.js";
import type { Authenticated } from "../ports/tokens.js";
import { withoutCodeGrant } from "../testing/access-values.js";
import { createAdmission, createCountMore } from "./admission.js";
import { RpcError } from "./rpc-error.js";

const operation = readOperation(VaultService.method.deleteItem);
const authenticated: Authenticated = {
  claims: {
    tenantId: "t-1",
    principalId: "p-1",
    oauthClientId: "c-1",
    tokenId: "j-1",
    grantId: "g-1",
    scopes: ["vault.items:delete"],
    expiresAt: 0,
  },
  access: {
    oauthClient: {
      tenantId: "t-1",
      oauthClientId: "c-1",
      name: "C",
      allowedOperations: ["platform.v1.VaultService/DeleteItem"],
      ...withoutCodeGrant,
      enabled: true,
      registeredAt: 0,
      registeredBy: "",
    },
    principalActive: true,
    revoked: false,
  },
};

function admitWith(authorization: string | undefined, found: Authenticated | undefined = authenticated) {
  const tokens: string[] = [];
  const authenticator = {
    authenticate(token: string) {
      tokens.push(token);
      return found;
    },
  };
  const admit = createAdmission({ authenticator, rateLimiter: undefined, rates: {} });
  try {
    admit(authorization, operation);
    return { tokens, reason: undefined, challenge: null };
  } catch (thrown) {
    if (!(thrown instanceof RpcError)) throw thrown;
    return { tokens, reason: thrown.reason, challenge: thrown.metadata.get("WWW-Authenticate") };
  }
}

describe("DECISIONS 5: the Authorization header (RFC 6750 section 2.1)", () => {
  it.each(["Bearer abc.def.ghi", "bearer abc.def.ghi", "BEARER  abc.def.ghi"])(
    "authenticates the token in %j",
    (header) => {
      expect(admitWith(header)).toEqual({ tokens: ["abc.def.ghi"], reason: undefined, challenge: null });
    },
  );

  it.each([undefined, "", "Basic YTpi", "abc.def.ghi", "Bearerabc", "DPoP abc", "Bearer", "Bearer "])(
    "rejects %j, which has no token, with the challenge Bearer",
    (header) => {
      expect(admitWith(header)).toEqual({ tokens: [], reason: "UNAUTHENTICATED", challenge: "Bearer" });
    },
  );
});

// Which clients and scopes suffice is in domain/model/access.test.ts.
describe("DECISIONS 5: deny by default", () => {
  it("a client that may not call the operation gets TOKEN_NOT_ALLOWLISTED", () => {
    const found = { ...authenticated, access: { ...authenticated.access, oauthClient: undefined } };
    expect(admitWith("Bearer a", found)).toMatchObject({ reason: "TOKEN_NOT_ALLOWLISTED", challenge: null });
  });

  it("a token without the scope gets INSUFFICIENT_SCOPE with the required scope (RFC 6750 section 3)", () => {
    const found = { ...authenticated, claims: { ...authenticated.claims, scopes: ["vault.items:*"] } };
    expect(admitWith("Bearer a", found)).toMatchObject({
      reason: "INSUFFICIENT_SCOPE",
      challenge: 'Bearer error="insufficient_scope", scope="vault.items:delete"',
    });
  });
});

describe("DECISIONS 7: every operation has a rate", () => {
  const rateOf = (rates: Readonly<Record<string, Rate>>, retryAfterMs = 0) => {
    const taken: unknown[] = [];
    const rateLimiter = {
      take(key: string, rate: Rate) {
        taken.push(key, rate);
        return retryAfterMs;
      },
    };
    const admit = createAdmission({ authenticator: { authenticate: () => authenticated }, rateLimiter, rates });
    return { taken, admit: () => admit("Bearer a", operation) };
  };

  it("counts the calls of each principal to each operation", () => {
    const rate = { perMinute: 1, burst: 2 };
    const { admit, taken } = rateOf({ "platform.v1.VaultService/DeleteItem": rate });
    admit();
    expect(taken).toEqual(["platform.v1.VaultService/DeleteItem 3 t-1 p-1", rate]);
  });

  it("uses 6,000 a minute with a burst of 1,000 for an operation without a rate", () => {
    const { admit, taken } = rateOf({});
    admit();
    expect(taken[1]).toEqual({ perMinute: 6_000, burst: 1_000 });
  });

  it("rejects calls beyond the rate with RATE_LIMITED", () => {
    expect(rateOf({}, 5).admit).toThrow(expect.objectContaining({ reason: "RATE_LIMITED" }));
  });

  it("counts a call as several, in the bucket of the gate, and returns when there are enough again", async () => {
    let time = 0;
    const rates = { [operation.operation]: { perMinute: 60, burst: 10 } };
    const options = { rateLimiter: createRateLimiter({ clock: { now: () => time } }), rates };
    const admit = createAdmission({ authenticator: { authenticate: () => authenticated }, ...options });
    const countMore = createCountMore(options, new Map());
    const actor = { ...authenticated.claims, operation: operation.operation, requestId: "r-1" };
    const call = { actor, wanted: () => true };
    await admit("Bearer a", operation);
    await countMore(call, 9);
    await countMore(call, 0);
    expect(() => admit("Bearer a", operation)).toThrow(expect.objectContaining({ reason: "RATE_LIMITED" }));
    const rejected = await countMore(call, 4).catch((error: unknown) => error);
    if (!(rejected instanceof RpcError)) expect.unreachable();
    expect(rejected).toMatchObject({ reason: "RATE_LIMITED" });
    time += Number(rejected.metadata.get("Retry-After")) * 1000;
    await admit("Bearer a", operation);
    await countMore(call, 4);
    await createCountMore({ rateLimiter: undefined, rates }, new Map())(call, 1000);
  });

  it("DeleteItem has 600 a minute with a burst of 100, the exchange 120 with a burst of 60", () => {
    expect(publicContract.rates).toMatchObject({
      "platform.v1.VaultService/DeleteItem": { perMinute: 600, burst: 100 },
      "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization": { perMinute: 120, burst: 60 },
    });
    expect(Object.keys(publicContract.rates).sort()).toEqual([...publicOperations.keys()].sort());
  });
});
