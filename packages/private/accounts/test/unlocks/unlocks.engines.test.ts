import type { Call } from "@platform-rpc/server";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ownCall } from "../../src/http/own-call.js";
import { inMemoryPlatform } from "../../src/testing/in-memory-platform.js";
import { createUnlocks, type Unlocks } from "../../src/unlocks/unlocks.js";

let platform: Awaited<ReturnType<typeof inMemoryPlatform>>;
let unlocks: Unlocks;
beforeEach(async () => {
  platform = await inMemoryPlatform();
  onTestFinished(platform.close);
  unlocks = createUnlocks(platform);
});

const callAs = (principalId: string, tenantId = "acme"): Call => {
  const call = ownCall("test", platform.secrets);
  return { ...call, actor: { ...call.actor, tenantId, principalId } };
};
const wanted = (letter = "A") => ({
  unlockId: crypto.randomUUID(),
  encryptionKey: letter.repeat(87),
  signingKey: letter.repeat(43),
});
/** Records a request, and returns its id. */
const requestAs = async (call: Call) => {
  const request = wanted();
  await unlocks.request(request, call);
  return request.unlockId;
};
const handOver = (letter = "A") => ({
  pageKey: "P".repeat(87),
  vaults: [{ vaultId: "v-1", keyId: "key-1", epoch: 1, wrappedKey: "W".repeat(80) }],
  certificate: { signingKey: letter.repeat(43), signature: "C".repeat(86) },
  removed: [],
  signature: "S".repeat(86),
});

describe("a request of a program", () => {
  it("is answered once, and its certificate is listed then", async () => {
    const ada = callAs("ada");
    const request = wanted();
    expect(await unlocks.request(request, ada)).toMatchObject(request);
    expect((await unlocks.find(request.unlockId, ada))?.handOver).toBeUndefined();
    expect((await unlocks.certificates(ada)).certificates).toEqual([]);
    expect(await unlocks.answer(request.unlockId, handOver(), ada)).toBe(true);
    expect(await unlocks.answer(request.unlockId, { ...handOver(), vaults: [] }, ada)).toBe(false);
    expect((await unlocks.find(request.unlockId, ada))?.handOver).toEqual(handOver());
    expect((await unlocks.certificates(ada)).certificates).toMatchObject([handOver().certificate]);
  });

  it("of two answers at the same time, one is stored", async () => {
    const ada = callAs("ada");
    const unlockId = await requestAs(ada);
    const answers = await Promise.all([1, 2].map(() => unlocks.answer(unlockId, handOver(), ada)));
    expect(answers.toSorted()).toEqual([false, true]);
  });

  it("does not exist for another person, nor for the same id in another tenant", async () => {
    const unlockId = await requestAs(callAs("ada"));
    for (const stranger of [callAs("bob"), callAs("ada", "other")]) {
      expect(await unlocks.find(unlockId, stranger)).toBeUndefined();
      expect(await unlocks.answer(unlockId, handOver(), stranger)).toBe(false);
      expect((await unlocks.certificates(stranger)).certificates).toEqual([]);
    }
  });

  it("ends after 10 minutes, and with it what was handed over", async () => {
    const ada = callAs("ada");
    const unlockId = await requestAs(ada);
    const answered = await requestAs(ada);
    await unlocks.answer(answered, handOver(), ada);
    platform.pass(10 * 60_000);
    expect(await unlocks.find(unlockId, ada)).toBeUndefined();
    expect(await unlocks.find(answered, ada)).toBeUndefined();
    expect(await unlocks.answer(unlockId, handOver(), ada)).toBe(false);
    // Items that the program has written stay verified.
    expect((await unlocks.certificates(ada)).certificates).toHaveLength(1);
  });

  it("is not replaced by one with its id, and a retry changes nothing", async () => {
    const ada = callAs("ada");
    const request = wanted();
    const first = await unlocks.request(request, ada);
    platform.pass(1000);
    expect(await unlocks.request(request, ada)).toEqual(first);
    expect(await unlocks.request({ ...request, encryptionKey: "B".repeat(87) }, ada)).toBeUndefined();
  });

  it("ends when there are 3 newer ones", async () => {
    const ada = callAs("ada");
    const requests = [wanted(), wanted(), wanted(), wanted()];
    for (const request of requests) await unlocks.request(request, ada);
    const found = await Promise.all(requests.map(({ unlockId }) => unlocks.find(unlockId, ada)));
    expect(found.map((each) => each !== undefined)).toEqual([false, true, true, true]);
  });

  it("is not answered with the certificate of another key", async () => {
    const ada = callAs("ada");
    const unlockId = await requestAs(ada);
    expect(await unlocks.answer(unlockId, handOver("B"), ada)).toBe(false);
  });
});

describe("a certificate", () => {
  it("has the time of its first unlock and of its last, and what the device calls itself", async () => {
    const ada = callAs("ada");
    for (const device of ["ada-laptop", "ada-desktop"]) {
      const request = { ...wanted(), device, address: "192.0.2.7" };
      await unlocks.request(request, ada);
      expect(await unlocks.find(request.unlockId, ada)).toMatchObject({ device, address: "192.0.2.7" });
      await unlocks.answer(request.unlockId, handOver(), ada);
      platform.pass(1000);
    }
    const [certificate, ...others] = (await unlocks.certificates(ada)).certificates;
    expect([certificate?.device, others]).toEqual(["ada-desktop", []]);
    expect((certificate?.unlockedAt ?? 0) - (certificate?.certifiedAt ?? 0)).toBe(1000);
  });

  it("that is removed is never made again, also not for a request that was open, and no other person can remove it", async () => {
    const ada = callAs("ada");
    await unlocks.answer(await requestAs(ada), handOver(), ada);
    const open = await requestAs(ada);
    const removal = { signingKey: wanted().signingKey, signature: "R".repeat(86) };
    await unlocks.removeCertificate(removal, callAs("bob"));
    await unlocks.removeCertificate({ ...removal, signingKey: "unknown" }, ada);
    expect((await unlocks.certificates(ada)).certificates).toHaveLength(1);
    await unlocks.removeCertificate(removal, ada);
    expect(await unlocks.certificates(ada)).toMatchObject({ certificates: [], removed: [removal] });
    expect(await unlocks.answer(open, handOver(), ada)).toBe(false);
    expect(await unlocks.request(wanted(), ada)).toBe("key removed");
    // Its program makes another key.
    const next = wanted("B");
    expect(await unlocks.request(next, ada)).toMatchObject(next);
    expect(await unlocks.answer(next.unlockId, handOver("B"), ada)).toBe(true);
  });
});
