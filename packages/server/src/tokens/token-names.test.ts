import { expect, it } from "vitest";
import { createPlatform } from "../platform.js";
import { createMemoryKeyStore } from "./memory-key-store.js";

const names = { issuer: "https://id.test", audience: "https://api.test", brokerAudience: "https://broker.test" };

/** Creates a platform as a program can whose settings are missing at run time. It is rejected before its storage is used. */
const creating = (changes: object): Promise<unknown> =>
  Reflect.apply(createPlatform, undefined, [{ storage: {}, keys: createMemoryKeyStore(), ...names, ...changes }]);

it.each(Object.keys(names).flatMap((name) => [undefined, "", 5].map((value) => ({ name, value }))))(
  "rejects a platform whose $name is $value, which would switch off a check",
  async ({ name, value }) => {
    const message = `createPlatform: ${name} is missing. Set it, usually to a URL: tokens are checked against it.`;
    await expect(creating({ [name]: value })).rejects.toThrow(new TypeError(message));
  },
);

it("rejects a platform that would accept the tokens of brokers as its own", async () => {
  const both = /^createPlatform: audience and brokerAudience are both https:\/\/api\.test\. /;
  await expect(creating({ brokerAudience: names.audience })).rejects.toThrow(both);
});
