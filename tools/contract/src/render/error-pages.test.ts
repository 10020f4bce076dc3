import { expect, it } from "vitest";
import { buildContract } from "../buf/buf.ts";
import { workspaceRoot } from "../testing/contract-copy.ts";
import { errorPages } from "./error-pages.ts";
import { publishedApis } from "./openapi/published-api.ts";

const contract = await buildContract(workspaceRoot);
if ("faults" in contract) throw new Error(contract.faults.map(({ message }) => message).join("\n"));
const [api] = publishedApis(contract);
if (api === undefined) throw new Error("nothing is published");
const pages = errorPages(api);
const reasons = api.reasons.map(({ name }) => name);

it("there is a page for each error reason and an index", () => {
  expect([...pages.keys()].sort()).toEqual(["README.md", ...reasons.map((reason) => `${reason}.md`)].sort());
});

it.each(reasons)("%s: its code and status, what happened, why, what to do, where, and its body", (reason) => {
  const page = pages.get(`${reason}.md`) ?? "";
  const headings = page.match(/^## .+$/gm);
  expect(headings).toEqual(["## What happened", "## Why", "## What to do", "## Operations", "## Example"]);
  const [, status] = /^Code `[a-z_]+`, HTTP status (\d{3})\.$/m.exec(page) ?? [];
  const [, head, body = ""] = /```http\n([\s\S]+?)\n\n([\s\S]+?)\n```/.exec(page) ?? [];
  expect(head).toContain(`HTTP/1.1 ${status}`);
  expect(head).not.toMatch(/: $/m);
  const { details } = JSON.parse(body);
  expect(details[0]).toMatchObject({ type: "google.rpc.ErrorInfo", debug: { reason } });
  expect(pages.get("README.md")).toContain(`[${reason}](${reason}.md)`);
});

it("a page states whether every operation can fail with the reason, or names the operation and when", () => {
  expect(pages.get("UNAUTHENTICATED.md")).toContain("\nEvery operation.\n");
  expect(pages.get("VERSION_CONFLICT.md")).toContain(
    "\n- `platform.v1.VaultService/DeleteItem` (retry safety: idempotent). The version of the item is not `baseVersion`.\n",
  );
  expect(pages.get("VERSION_CONFLICT.md")).not.toContain("IdentityGatewayService");
});

it("the example of a scope error names the scopes of the operation", () => {
  expect(pages.get("INSUFFICIENT_SCOPE.md")).toContain(
    'WWW-Authenticate: Bearer error="insufficient_scope", scope="vault.items:delete"',
  );
});
