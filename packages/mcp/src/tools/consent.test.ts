import { expect, it } from "vitest";
import * as z from "zod";
import { startServer } from "../testing/start-server.js";

const consented = { consent: { action: "accept", content: { delete: true } } };

const answer = z.looseObject({
  resultType: z.string().optional(),
  requestState: z.string().optional(),
  inputRequests: z.record(z.string(), z.unknown()).optional(),
});

/** Sends calls of delete_item by hand: with an answer to a question that the server asked, or did not. */
async function setUp() {
  const { client, vault } = await startServer();
  vault.put("i-1", { version: 3 });
  vault.put("i-2", { version: 3 });
  const send = async (item: string, version: number, retry: Readonly<Record<string, unknown>>) =>
    client.request(
      { method: "tools/call", params: { name: "delete_item", arguments: { item, version }, ...retry } },
      answer,
      { allowInputRequired: true },
    );
  return { vault, send };
}

it("asks the person although the call has an answer, if the question was not asked before", async () => {
  const { vault, send } = await setUp();
  const { inputRequests } = await send("i-1", 3, { inputResponses: consented });
  expect(Object.keys(inputRequests ?? {})).toEqual(["consent"]);
  expect(vault.fake.calls).toEqual([]);
});

it.each([
  ["another item", "i-2", 3],
  ["another version", "i-1", 2],
])("consent is not consent for %s", async (_, item, version) => {
  const { vault, send } = await setUp();
  const { requestState } = await send("i-1", 3, {});
  const { inputRequests } = await send(item, version, { requestState, inputResponses: consented });
  expect(Object.keys(inputRequests ?? {})).toHaveLength(1);
  expect(vault.fake.calls).toEqual([]);
});

it("a consent that is sent again deletes nothing more: it is for one version", async () => {
  const { vault, send } = await setUp();
  const { requestState } = await send("i-1", 3, {});
  await send("i-1", 3, { requestState, inputResponses: consented });
  vault.put("i-1", { version: 5 });
  const { inputRequests } = await send("i-1", 3, { requestState, inputResponses: consented });
  expect(Object.keys(inputRequests ?? {})).toEqual(["conflict"]);
  expect(vault.itemOf("i-1")).toMatchObject({ deleted: false });
});

it("rejects a changed state", async () => {
  const { vault, send } = await setUp();
  const { requestState = "" } = await send("i-1", 3, {});
  const [head, body = "", mac] = requestState.split(".");
  const changed = Buffer.from(Buffer.from(body, "base64url").toString().replace('"i-1"', '"i-2"')).toString(
    "base64url",
  );
  const forged = { requestState: [head, changed, mac].join("."), inputResponses: consented };
  await expect(send("i-2", 3, forged)).rejects.toThrow("Invalid or expired requestState");
  expect(vault.fake.calls).toEqual([]);
});
