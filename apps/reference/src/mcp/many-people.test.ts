import { expect, it, onTestFinished } from "vitest";
import { createAssistant, kinds } from "./testing/assistants.js";
import { startMcpApp } from "./testing/start-mcp-app.js";

it("answers 50 people who make 20 calls each at the same time with their own items only", {
  timeout: 120_000,
}, async () => {
  const app = await startMcpApp({ RATE_LIMITS: "off" });
  onTestFinished(() => app.end());
  const people = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const items = [`mine-${index}`, `other-${index}`];
      const person = await app.person(...items);
      const assistant = createAssistant(app, person, kinds[1 + (index % 2)] ?? kinds[1]);
      await assistant.listTools();
      return { items, assistant, vaultId: person.accountId };
    }),
  );
  const vaults = people.map(({ vaultId }) => vaultId);
  const rounds = people.flatMap(({ items, assistant, vaultId }, index) =>
    Array.from({ length: 20 }, async (_, round) => {
      // Every fifth call names the vault of another person.
      const foreign = round % 5 === 4 ? vaults[(index + 1) % vaults.length] : undefined;
      const answer = await assistant.call("list_items", foreign === undefined ? {} : { vault: foreign });
      if (foreign !== undefined) return expect(answer.text).toContain("VAULT_NOT_FOUND");
      const listed = Object(answer.content);
      expect(listed.vaultId).toBe(vaultId);
      return expect(listed.items.map(({ itemId }: { readonly itemId: string }) => itemId)).toEqual(items);
    }),
  );
  expect(await Promise.all(rounds)).toHaveLength(1_000);
});
