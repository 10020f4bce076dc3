import { calculateJwkThumbprint } from "jose";
import { describe, expect, it } from "vitest";
import { fakeClock } from "../testing/fake-clock.js";
import { createKeyRing } from "./key-ring.js";
import { keptAfterwards, publishedAhead, signingPeriod } from "./key-rotation.js";
import { createMemoryKeyStore } from "./memory-key-store.js";

const kidsOf = (ring: Awaited<ReturnType<typeof createKeyRing>>) => ring.jwks().keys.map(({ kid }) => kid);

async function firstStart() {
  const clock = fakeClock();
  const store = createMemoryKeyStore();
  return { clock, store, ring: await createKeyRing({ store, clock }) };
}

describe("the key ring (DECISIONS 5)", () => {
  it("publishes only public keys, each with its RFC 7638 thumbprint as kid", async () => {
    const { ring } = await firstStart();
    const [key, ...others] = ring.jwks().keys;
    expect(others).toEqual([]);
    expect(key).toEqual({
      kty: "OKP",
      crv: "Ed25519",
      x: expect.stringMatching(/^[\w-]{43}$/),
      kid: ring.currentKeyId(),
      use: "sig",
      alg: "Ed25519",
    });
    expect(ring.currentKeyId()).toBe(await calculateJwkThumbprint({ ...key }));
    expect(ring.privateKey(ring.currentKeyId())?.type).toBe("private");
    expect(ring.publicKey(ring.currentKeyId())?.type).toBe("public");
  });

  it("publishes a key an hour ahead, signs with it on time without a tick, and removes the old key after its tokens expired", async () => {
    const { clock, store, ring } = await firstStart();
    const old = ring.currentKeyId();

    clock.advance(signingPeriod - publishedAhead - 1);
    await ring.tick();
    expect(kidsOf(ring)).toEqual([old]);

    clock.advance(1);
    await ring.tick();
    const [, next] = kidsOf(ring);
    expect(next).toBeDefined();
    expect(ring.currentKeyId()).toBe(old);
    expect((await createKeyRing({ store, clock })).jwks()).toEqual(ring.jwks());

    clock.advance(publishedAhead - 1);
    expect(ring.currentKeyId()).toBe(old);
    clock.advance(1);
    expect(ring.currentKeyId()).toBe(next);

    clock.advance(keptAfterwards - 1);
    await ring.tick();
    expect(kidsOf(ring)).toEqual([old, next]);
    expect(ring.privateKey(old)).toBeDefined();

    clock.advance(1);
    expect(kidsOf(ring)).toEqual([next]);
    await ring.tick();
    expect(ring.privateKey(old)).toBeUndefined();
    expect((await store.load())?.keys).toHaveLength(1);
  });

  it("neither creates nor removes keys while the clock is not trusted, except the first key of an empty store", async () => {
    const { clock, store, ring } = await firstStart();
    let trusted = false;
    const careful = await createKeyRing({ store, clock, clockTrusted: () => trusted });
    clock.advance(2 * signingPeriod);
    await careful.tick();
    expect(careful.jwks()).toEqual(ring.jwks());
    trusted = true;
    await careful.tick();
    expect(kidsOf(careful)).toHaveLength(2);
    const first = await createKeyRing({ store: createMemoryKeyStore(), clock, clockTrusted: () => false });
    expect(kidsOf(first)).toHaveLength(1);
  });

  it("fails when other processes change the keys again and again", async () => {
    const store = { ...createMemoryKeyStore(), save: async () => false };
    await expect(createKeyRing({ store, clock: fakeClock() })).rejects.toThrow("other processes changed them 5 times");
  });

  it("signs with a new key at once when an operator emptied the file", async () => {
    const { clock, store, ring } = await firstStart();
    const leaked = ring.currentKeyId();
    const file = await store.load();
    if (file !== undefined) await store.save({ ...file, keys: [] }, file);
    await ring.tick();
    expect(ring.currentKeyId()).not.toBe(leaked);
    expect(ring.publicKey(leaked)).toBeUndefined();
    expect((await createKeyRing({ store, clock })).hmacKey).toEqual(ring.hmacKey);
  });

  it("keeps working with its current keys when the store fails", async () => {
    const clock = fakeClock();
    const store = createMemoryKeyStore();
    let broken = false;
    const save: typeof store.save = async (...files) => {
      if (broken) throw new Error("disk full");
      return store.save(...files);
    };
    const ring = await createKeyRing({ store: { load: store.load, save }, clock });
    const before = ring.jwks();
    broken = true;
    clock.advance(signingPeriod);
    await expect(ring.tick()).rejects.toThrow("disk full");
    expect(ring.jwks()).toEqual(before);
    broken = false;
    await ring.tick();
    expect(kidsOf(ring)).toHaveLength(2);
  });
});
