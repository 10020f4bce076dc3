import { expect, it } from "vitest";
import { workspaceRoot } from "../contract-copy.ts";
import { readContract } from "../read-contract.ts";
import { errorPages } from "./error-pages.ts";
import { guidance } from "./guidance.ts";

const contract = readContract(workspaceRoot);
if ("fault" in contract) throw new Error(contract.fault);
const pages = errorPages(contract);
const reasons =
  contract
    .getEnum("platform.v1.ErrorReason")
    ?.values.slice(1)
    .map(({ localName }) => localName) ?? [];

it("there is a page for each error reason of the contract, and guidance for no other", () => {
  expect([...pages.keys()].sort()).toEqual(["README.md", ...reasons.map((reason) => `${reason}.md`)].sort());
  expect(Object.keys(guidance).sort()).toEqual([...reasons].sort());
});

it.each(reasons)("%s: its code and status, what happened, why, what to do, where, and its body", (reason) => {
  const page = pages.get(`${reason}.md`) ?? "";
  const headings = page.match(/^## .+$/gm);
  expect(headings).toEqual(["## What happened", "## Why", "## What to do", "## Operations", "## Example"]);
  const [, status] = /^Code `[a-z_]+`, HTTP status (\d{3})\.$/m.exec(page) ?? [];
  const [, head, body = ""] = /```http\n([\s\S]+?)\n\n([\s\S]+?)\n```/.exec(page) ?? [];
  expect(head).toContain(`HTTP/1.1 ${status}`);
  const { details } = JSON.parse(body);
  expect(details[0]).toMatchObject({ type: "google.rpc.ErrorInfo", debug: { reason } });
  expect(pages.get("README.md")).toContain(`[${reason}](${reason}.md)`);
});

it("a reason of every operation says so, one of a single operation names it", () => {
  expect(pages.get("UNAUTHENTICATED.md")).toContain("\nEvery operation.\n");
  expect(pages.get("VERSION_CONFLICT.md")).toContain(
    "\n- `platform.v1.VaultService/DeleteItem` (retry safety: idempotent)\n",
  );
  expect(pages.get("VERSION_CONFLICT.md")).not.toContain("IdentityGatewayService");
});
