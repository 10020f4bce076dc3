import { expect, it } from "vitest";
import { createPlatform } from "../platform.js";
import { createMemoryKeyStore } from "./memory-key-store.js";

const names = { issuer: "https://id.test", audience: "https://api.test", brokerAudience: "https://broker.test" };

/** Creates a platform with settings that the types forbid but a program may have at run time. Fails before it uses the storage. */
const creating = (changes: object): Promise<unknown> =>
  Reflect.apply(createPlatform, undefined, [{ storage: {}, keys: createMemoryKeyStore(), ...names, ...changes }]);

it.each(Object.keys(names).flatMap((name) => [undefined, "", 5].map((value) => ({ name, value }))))(
  "rejects a platform whose $name is $value, because that claim would not be checked",
  async ({ name, value }) => {
    const message = `createPlatform: ${name} is required. Set it, usually to a URL: tokens are checked against it.`;
    await expect(creating({ [name]: value })).rejects.toThrow(new TypeError(message));
  },
);

it("rejects equal audiences, with which the API would accept broker tokens", async () => {
  const both = /^createPlatform: audience and brokerAudience are both https:\/\/api\.test\. /;
  await expect(creating({ brokerAudience: names.audience })).rejects.toThrow(both);
});
