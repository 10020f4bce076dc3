import { afterAll, describe, expect, it } from "vitest";
import { expectRpcError } from "./expect-rpc-error.js";
import { startPlatform } from "./start-platform.js";

const test = await startPlatform();
afterAll(test.close);
const { accessToken } = await test.issue();
const canary = "canary-0192f0c1";
const send = (body: string | Uint8Array) => test.send({ body, headers: { Authorization: `Bearer ${accessToken}` } });

async function expectFields(body: string, ...fields: string[]) {
  const answer = await send(body);
  const { details, message } = expectRpcError(answer, "INVALID_FIELD");
  const named = fields.map((field) => expect.objectContaining({ field, description: expect.stringMatching(/./) }));
  expect(details[1]?.debug).toEqual({ fieldViolations: named });
  expect(message).not.toContain(canary);
  expect(answer.body).not.toContain(canary);
}

describe("DECISIONS 2: JSON that is accepted", () => {
  it.each([
    ["unknown fields", '{"vaultId":"v-1","itemId":"i-0","baseVersion":1,"unknown":{"a":[1,null]},"__proto__":{"a":1}}'],
    ["the number 1.0", '{"vaultId":"v-1","itemId":"i-0","baseVersion":1.0}'],
    ["the proto names of the fields", '{"vault_id":"v-1","item_id":"i-0","base_version":1}'],
    ["escapes", '{"vault\\u0049d":"v\\u002d1","itemId":"i-0","baseVersion":1}'],
    [
      "deep unknown fields",
      `{"vaultId":"v-1","itemId":"i-0","baseVersion":1,"x":${"[".repeat(200)}${"]".repeat(200)}}`,
    ],
  ])("%s", async (_, body) => {
    await test.putItem("i-0");
    const answer = await send(body);
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({ item: { version: 2 } });
  });
});

describe("DECISIONS 2: MALFORMED_JSON", () => {
  const good = '"itemId":"i-0","baseVersion":1';
  it.each([
    ["an empty body", ""],
    ["a field under both of its names", `{"vaultId":"${canary}","vault_id":"v-2",${good}}`],
    ["half an object", `{"vaultId":"${canary}"`],
    ["something after the object", `{"vaultId":"v-1",${good}} ${canary}`],
    ["null", "null"],
    ["an array", "[]"],
    ["a duplicate key", `{"vaultId":"v-1","vaultId":"v-1",${good}}`],
    ["a duplicate key, one of them escaped", `{"vaultId":"v-1","vault\\u0049d":"v-1",${good}}`],
    ["a duplicate unknown key", `{"vaultId":"v-1",${good},"x":1,"x":1}`],
    ["a duplicate key in an unknown field", `{"vaultId":"v-1",${good},"x":{"y":[{"z":1,"z":1}]}}`],
    ["a control character in a string", '{"vaultId":"v\n1"}'],
    ["60 kB of [", "[".repeat(60_000)],
    ["60 kB of [ in an unknown field", `{"x":${"[".repeat(60_000)}`],
  ])("%s", async (_, body) => {
    const answer = await send(body);
    expectRpcError(answer, "MALFORMED_JSON");
    expect(answer.body).not.toContain(canary);
  });

  it.each([
    ["a byte order mark", [0xef, 0xbb, 0xbf, 0x7b, 0x7d]],
    ["a lone continuation byte", [0x7b, 0x22, 0x80, 0x22, 0x3a, 0x31, 0x7d]],
    ["an overlong form", [0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]],
  ])("%s", async (_, bytes) => {
    expectRpcError(await send(Uint8Array.from(bytes)), "MALFORMED_JSON");
  });
});

describe("DECISIONS 5: decoding errors name the field and never repeat the value", () => {
  const around = (value: string) => `{"vaultId":"v-1","itemId":"i-0","baseVersion":${value}}`;

  it.each(["3.5", "-1", "4294967296", "1e400", '"x"', '""', '" 1"', "true", "{}", "[1]", "[]", `"${canary}"`])(
    "baseVersion %s",
    async (value) => {
      await expectFields(around(value), "baseVersion");
    },
  );
  it.each(["1", "true", "{}", `["${canary}"]`, `{"${canary}":1}`])("vaultId %s", async (value) => {
    await expectFields(`{"vaultId":${value},"itemId":"i-0","baseVersion":1}`, "vaultId");
  });
  it.each(['"\\ud800"', '"\\udc00\\ud800"', `"${canary} "`, `"${"a".repeat(129)}"`, '"a/b"'])(
    "itemId %s",
    async (value) => {
      await expectFields(`{"vaultId":"v-1","itemId":${value},"baseVersion":1}`, "itemId");
    },
  );
  it("names each absent field, because all are required (DECISIONS 3)", async () => {
    await expectFields("{}", "vaultId", "itemId", "baseVersion");
  });
});
