import { expect, it, onTestFinished } from "vitest";
import { createAssistant, kinds } from "./testing/assistants.js";
import { startMcpApp } from "./testing/start-mcp-app.js";

const { MCP_CALLS = 20 } = process.env;
const calls = Number(MCP_CALLS);

it(`answers 50 people who make ${calls} calls each at the same time with their own items only`, {
  timeout: 18_000 * calls,
}, async () => {
  const app = await startMcpApp({ RATE_LIMITS: "off" });
  onTestFinished(() => app.end());
  const signIn = async (index: number) => {
    const items = [`mine-${index}`, `other-${index}`];
    const person = await app.person(...items);
    const assistant = createAssistant(app, person, kinds[index % kinds.length] ?? kinds[0]);
    await assistant.listTools();
    return { items, assistant, vaultId: person.accountId };
  };
  // One after the other: only the calls are made at the same time.
  const people: Awaited<ReturnType<typeof signIn>>[] = [];
  for (let index = 0; index < 50; index += 1) people.push(await signIn(index));
  const vaults = people.map(({ vaultId }) => vaultId);
  // Each person makes two calls at a time: more connections than the listener accepts would make room for each other.
  const callTwice = ({ items, assistant, vaultId }: (typeof people)[number], foreign: string | undefined) =>
    Promise.all([
      assistant.call("list_items", {}).then(({ content }) => {
        const listed = Object(content);
        expect(listed.vaultId).toBe(vaultId);
        expect(listed.items.map(({ itemId }: { readonly itemId: string }) => itemId)).toEqual(items);
      }),
      assistant.call("list_items", { vault: foreign }).then(({ text }) => expect(text).toContain("VAULT_NOT_FOUND")),
    ]);
  const finished = people.map(async (person, index) => {
    for (let round = 0; round < calls / 2; round += 1) await callTwice(person, vaults[(index + 1) % vaults.length]);
  });
  expect(await Promise.all(finished)).toHaveLength(50);
});
