import { generateKeyPairSync, hash } from "node:crypto";
import fc from "fast-check";
import { calculateJwkThumbprint, SignJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { clockAt, outcomeOf } from "./fixtures/issuer.js";
import { createBrokerTokenVerifier } from "./verifier.js";

const start = Date.UTC(2026, 0, 1);
const url = "https://broker.example.com/run";
const issuer = generateKeyPairSync("ed25519");
const holder = generateKeyPairSync("ed25519");
const jwk = holder.publicKey.export({ format: "jwk" });

let token: string;
/** One proof for every 20 seconds around the start, by its `iat` in seconds from the start. */
const proofs = new Map<number, string>();
const times = Array.from({ length: 31 }, (_, index) => (index - 15) * 20);

beforeAll(async () => {
  const jkt = await calculateJwkThumbprint(jwk);
  token = await new SignJWT({ client_id: "c", scope: "a", tenant_id: "t", grant_id: "g", role: "agent", cnf: { jkt } })
    .setProtectedHeader({ typ: "at+jwt", alg: "Ed25519", kid: "k" })
    .setIssuer("iss")
    .setAudience("broker")
    .setSubject("p")
    .setJti("j")
    .setIssuedAt(0)
    .setExpirationTime(1e11)
    .sign(issuer.privateKey);
  for (const time of times) {
    const claims = { htm: "POST", htu: url, jti: `proof-${time}`, ath: hash("sha256", token, "base64url") };
    const proof = await new SignJWT({ ...claims, iat: start / 1000 + time })
      .setProtectedHeader({ typ: "dpop+jwt", alg: "Ed25519", jwk })
      .sign(holder.privateKey);
    proofs.set(time, proof);
  }
});

function setUp() {
  const clock = clockAt(start);
  let whileKeysAreFetched = () => {};
  const verifier = createBrokerTokenVerifier({
    keys: async () => {
      whileKeysAreFetched();
      return issuer.publicKey;
    },
    issuer: "iss",
    audience: "broker",
    clock,
  });
  const use = async (time: number, duringTheCall = () => {}) => {
    whileKeysAreFetched = duringTheCall;
    const dpop = proofs.get(time);
    return outcomeOf(verifier.verify({ method: "POST", url, authorization: `DPoP ${token}`, dpop }));
  };
  return { clock, use };
}

describe("a proof is accepted once (RFC 9449 section 11.1)", () => {
  it("a verification that waits for keys uses one time, so the end of the window does not accept a proof again", async () => {
    const { clock, use } = setUp();
    expect(await use(0)).toBe("accepted");
    clock.time += 60_000;
    expect(
      await use(0, () => {
        clock.time += 70_000;
      }),
    ).toBe("PROOF_REPLAYED");
  });

  it("no proof is accepted twice, however the clock steps, even during a verification", async () => {
    const step = fc.record({
      second: fc.integer({ min: -240, max: 240 }),
      proof: fc.constantFrom(-60, -40, -20, 0, 20, 40, 60),
      during: fc.option(fc.integer({ min: -200, max: 200 })),
    });
    let accepted = 0;
    let replayed = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60, size: "max" }), async (steps) => {
        const { clock, use } = setUp();
        const used = new Set<number>();
        for (const { second, proof, during } of steps) {
          clock.time = start + second * 1000;
          const time = Math.round(second / 20) * 20 + proof;
          const outcome = await use(time, () => {
            clock.time += (during ?? 0) * 1000;
          });
          if (outcome === "PROOF_REPLAYED") replayed += 1;
          if (outcome !== "accepted") continue;
          expect(used).not.toContain(time);
          used.add(time);
          accepted += 1;
        }
      }),
      { numRuns: 25 },
    );
    // A property that accepts nothing would pass too.
    expect(Math.min(accepted, replayed)).toBeGreaterThan(20);
  }, 60_000);
});
