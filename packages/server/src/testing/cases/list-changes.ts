import { describe, expect, it } from "vitest";
import { content } from "./item-case.js";
import type { ItemDriver, ItemHost } from "./run-item-cases.js";
import type { Section } from "./section.js";

/** A change of an item. `bytes` are those of its ciphertext. */
export interface ListedChange {
  readonly itemId: string;
  readonly operation: "PutItem" | "DeleteItem" | "RestoreItem";
  readonly baseVersion: number;
  readonly bytes?: number;
}

/** One page of changes as its response shows it, or why the call was rejected. */
export type ListAnswer =
  | {
      readonly changes: readonly { readonly itemId: string; readonly sequence: number; readonly deleted: boolean }[];
      readonly cursor: number;
      readonly hasMore: boolean;
    }
  | { readonly reason: string };

/** A row: the same page for every storage, and for every way in. */
export interface ListCase {
  /** The section that decides it. */
  readonly section: Section;
  readonly title: string;
  readonly given: {
    /** Default: a vault of the caller's tenant. */
    readonly vault?: "missing" | "of another tenant";
    /** The caller's role. Default: "viewer". */
    readonly role?: "none";
    readonly history: readonly ListedChange[];
  };
  readonly call: { readonly afterSequence: number; readonly limit: number };
  readonly outcome: ListAnswer;
}

/** What makes the calls of the cases. */
export interface ListDriver {
  readonly host: Pick<ItemHost, "createVault" | "change">;
  readonly caller: ItemDriver["caller"];
  /** Asks for a page of a vault as the caller of the row. */
  list(vaultId: string, call: ListCase["call"]): Promise<ListAnswer>;
}

const put = (itemId: string, baseVersion = 0, bytes?: number): ListedChange => ({
  ...{ itemId, operation: "PutItem", baseVersion },
  ...(bytes !== undefined && { bytes }),
});
const remove = (itemId: string, baseVersion: number): ListedChange => ({
  ...{ itemId, operation: "DeleteItem", baseVersion },
});
const live = (itemId: string, sequence: number) => ({ itemId, sequence, deleted: false });
const deleted = (itemId: string, sequence: number) => ({ itemId, sequence, deleted: true });
const three = [put("a"), put("b"), put("c")];
const changed = [...three, put("a", 1), remove("b", 1)];
const large = Array.from({ length: 22 }, (_, index) => put(`i-${index}`, 0, 49_152));

const row = (
  title: string,
  history: readonly ListedChange[],
  [afterSequence, limit]: readonly [number, number],
  outcome: ListAnswer,
  given: Omit<ListCase["given"], "history"> = {},
): ListCase => ({
  section: history === large ? "DECISIONS section 7" : "INTERNAL, ListChanges",
  title,
  given: { ...given, history },
  call: { afterSequence, limit },
  outcome,
});
const page = (changes: Extract<ListAnswer, { cursor: number }>["changes"], cursor: number, hasMore = false) => ({
  ...{ changes, cursor, hasMore },
});
const notFound = { reason: "VAULT_NOT_FOUND" };

/** What a page of ListChanges contains, row by row. Each row names the section that decides it. */
export const listChangesCases: readonly ListCase[] = [
  row("an empty vault", [], [0, 9], page([], 0)),
  row(
    "each item once, at its newest sequence",
    changed,
    [0, 9],
    page([live("c", 3), live("a", 4), deleted("b", 5)], 5),
  ),
  row("the first page", changed, [0, 2], page([live("c", 3), live("a", 4)], 4, true)),
  row("the page after it", changed, [4, 2], page([deleted("b", 5)], 5)),
  row(
    "the page after it, although its last item has changed since",
    [...changed, put("a", 2)],
    [4, 2],
    page([deleted("b", 5), live("a", 6)], 6),
  ),
  row(
    "a restored item",
    [put("a"), remove("a", 1), { itemId: "a", operation: "RestoreItem", baseVersion: 2 }],
    [2, 1],
    page([live("a", 3)], 3),
  ),
  row("one more than the page has", three, [0, 2], page([live("a", 1), live("b", 2)], 2, true)),
  row("after a change that does not exist", three, [4, 9], { reason: "CURSOR_AHEAD" }),
  row(
    "at most 1 MiB in a page",
    large,
    [0, 500],
    page(
      large.slice(0, 20).map(({ itemId }, index) => live(itemId, index + 1)),
      20,
      true,
    ),
  ),
  row("after a page of 1 MiB", large, [20, 500], page([live("i-20", 21), live("i-21", 22)], 22)),
  row("a missing vault", [], [0, 9], notFound, { vault: "missing" }),
  row("a vault of another tenant", three, [0, 9], notFound, { vault: "of another tenant" }),
  row("a caller who is not a member", three, [0, 9], notFound, { role: "none" }),
  row("not a member, after a change that does not exist", three, [4, 9], notFound, { role: "none" }),
];

/**
 * Defines a test for one case of each outcome, for another way to the same rules: it shows that this way passes requests and responses on.
 *
 * @param name what is tested, for the report
 */
export function describeListCases(name: string, cases: readonly ListCase[], open: () => ListDriver): void {
  const oneOfEach = new Map(cases.map((each) => [nameOf(each.outcome), each]));
  describe(name, () => {
    it.each([...oneOfEach.values()])("ListChanges, $title ($section)", (each) => runListCase(open(), each));
  });
}

function nameOf(outcome: ListAnswer): string {
  return "reason" in outcome ? outcome.reason : `${outcome.changes.length > 0} ${outcome.hasMore}`;
}

/** Runs one case in a new vault. @throws an error of `expect` */
export async function runListCase({ host, caller, list }: ListDriver, each: ListCase): Promise<void> {
  const { vault, role, history } = each.given;
  const tenantId = vault === "of another tenant" ? `${caller.tenantId}-other` : caller.tenantId;
  const vaultId = `v-${crypto.randomUUID()}`;
  if (vault !== "missing") {
    const created = { tenantId, vaultId, retentionDays: 30, floor: 0 };
    await host.createVault({ ...created, role: role === "none" ? undefined : "viewer" });
    for (const { itemId, operation, baseVersion, bytes } of history) {
      const { ciphertext } = content.encryptedPayload;
      const text = bytes === undefined ? ciphertext : "c".repeat(bytes);
      const changedTo = { ...content, encryptedPayload: { ...content.encryptedPayload, ciphertext: text } };
      await host.change({ tenantId, vaultId, itemId }, { operation, baseVersion, content: changedTo });
    }
  }
  expect(await list(vaultId, each.call)).toEqual(each.outcome);
}
