import { describe, expect, it } from "vitest";
import type { AuditRecord } from "../../domain/model/actor.js";
import type { ItemContent, ItemRef } from "../../domain/model/item.js";
import {
  content,
  type ItemCall,
  type ItemCase,
  type ItemEvent,
  type ItemGiven,
  type ItemOutcome,
} from "./item-case.js";

const dayMs = 24 * 60 * 60 * 1000;

/** What a call returned, in the same form for every way in. */
export type ItemAnswer =
  | {
      readonly ok: true;
      readonly item: ItemContent & { readonly version: number; readonly deleted: boolean };
      /** Milliseconds since the epoch. */
      readonly updatedAt: number;
      readonly cursor: { readonly vaultId: string; readonly sequence: number };
    }
  | {
      readonly ok: false;
      readonly reason: string;
      readonly conflict?: {
        readonly itemId: string;
        readonly baseVersion: number;
        readonly currentVersion: number;
        readonly deleted: boolean;
        readonly cursor: { readonly vaultId: string; readonly sequence: number };
      };
    };

/** An item after a change. `updatedAt` is in milliseconds since the epoch. */
export interface ChangedItem {
  readonly version: number;
  readonly updatedAt: number;
}

/** Returns what a change did. @throws Error when the call was rejected. */
export function changedItem(answer: ItemAnswer): ChangedItem {
  if (!answer.ok) throw new Error(`The history of the case is impossible: ${answer.reason}.`);
  return { version: answer.item.version, updatedAt: answer.updatedAt };
}

/** Time, and the job that depends on it. */
export interface ItemTime {
  /** Lets time pass. */
  pass(ms: number): void;
  /** Runs the job that shreds for one item. Resolves with whether the item was shredded. */
  shred(ref: ItemRef): Promise<boolean>;
}

/** Creates what is given. Its caller is not the one of the case, and may change every item. */
export interface ItemHost {
  /** Returns the time, in milliseconds since the epoch. */
  now(): number;
  /** Creates a vault in which the caller of the case has a role; undefined: the caller is not a member. */
  createVault(vault: {
    readonly tenantId: string;
    readonly vaultId: string;
    readonly retentionDays: number;
    readonly role: string | undefined;
    readonly floor: number;
  }): Promise<void>;
  /** Gives the caller of the case a role. Undefined: the caller is no longer a member. */
  setRole(vault: { readonly tenantId: string; readonly vaultId: string }, role: string | undefined): Promise<void>;
  /** Changes an item. @throws Error when that is not possible. */
  change(ref: ItemRef, call: Exclude<ItemCall, { operation: "GetItem" }>): Promise<ChangedItem>;
  /** Absent: cases in which time passes are not run. */
  readonly time?: ItemTime;
  /** Returns the sequence of the newest change of a vault. Absent: not compared. */
  head?(tenantId: string, vaultId: string): Promise<number>;
  /** Returns the newest record of the audit trail about an item. Absent: not compared. */
  newestAudit?(ref: ItemRef): Promise<AuditRecord | undefined>;
}

/** One way to make the calls: the rules themselves, a storage, a listener, a client. */
export interface ItemDriver {
  readonly host: ItemHost;
  /** The caller of the cases. */
  readonly caller: { readonly tenantId: string; readonly principalId: string };
  /** Makes the call of a case, as its caller. */
  call(ref: ItemRef, call: ItemCall): Promise<ItemAnswer>;
  /** Returns how often a content was loaded since the last call of this function. Absent: not compared. */
  contentLoads?(): number;
}

/** Which cases a driver runs. */
export interface ItemDriverScope {
  /** The roles that its vaults can have, besides "none". No role at all: its caller is an administrator, who needs none. */
  readonly roles: readonly string[] | "every";
  readonly time: boolean;
  /** True: it can set the floor of the versions that a restored backup leaves. */
  readonly floors: boolean;
  /** For another way to the same rules: one case of each outcome shows that it passes requests and responses on. Default: every case. */
  readonly outcomes?: "one of each" | undefined;
}

/** Selects the cases that a driver can run. */
export function casesFor(
  cases: readonly ItemCase[],
  { roles, time, floors, outcomes }: ItemDriverScope,
): readonly ItemCase[] {
  const passesTime = (event: ItemEvent) => typeof event === "object" || event === "shred";
  const possible = cases.filter(
    ({ given }) =>
      (given.role === undefined ||
        roles === "every" ||
        (roles.length > 0 && ["none", ...roles].includes(given.role))) &&
      (time || !given.history?.some(passesTime)) &&
      (floors || given.floor === undefined),
  );
  if (outcomes === undefined) return possible;
  return [...new Map(possible.map((each) => [`${each.call.operation} ${nameOf(each.outcome)}`, each])).values()];
}

function nameOf(outcome: ItemOutcome): string {
  if ("reason" in outcome) return outcome.reason;
  return `${outcome.changed ?? "unchanged"} ${outcome.content !== undefined}`;
}

/**
 * Defines a test for each case.
 *
 * @param name what is tested, for the report
 */
export function describeItemCases(
  name: string,
  cases: readonly ItemCase[],
  scope: ItemDriverScope,
  open: () => ItemDriver,
): void {
  describe(name, () => {
    it.each(casesFor(cases, scope))("$call.operation, $title ($section)", (each) => runItemCase(open(), each));
  });
}

/** Runs one case in a new vault, so that one driver can serve all of them. @throws an error of `expect` */
export async function runItemCase(driver: ItemDriver, { given, call, outcome }: ItemCase): Promise<void> {
  const { host, caller } = driver;
  const { ref, updatedAt } = await arrange(driver, given);
  const headOf = () => (given.vault === "missing" ? undefined : host.head?.(ref.tenantId, ref.vaultId));
  const head = await headOf();
  const audited = await host.newestAudit?.(ref);
  host.time?.pass(1000);
  driver.contentLoads?.();

  const calledAt = host.now();
  const answer = await driver.call({ ...ref, tenantId: caller.tenantId }, call);

  const baseVersion = "baseVersion" in call ? call.baseVersion : 0;
  const cursor = (sequence: number) => ({ vaultId: ref.vaultId, sequence });
  if ("reason" in outcome) {
    const { reason, conflict } = outcome;
    if (conflict === undefined) expect(answer).toEqual({ ok: false, reason });
    else {
      const { currentVersion, deleted, sequence } = conflict;
      const detail = { itemId: ref.itemId, baseVersion, currentVersion, deleted, cursor: cursor(sequence) };
      expect(answer).toEqual({ ok: false, reason, conflict: detail });
    }
    if (!("comparesContent" in outcome)) expect(driver.contentLoads?.() ?? 0, "loads of the content").toBe(0);
  } else {
    const deleted = outcome.changed === undefined ? outcome.deleted : outcome.changed === "deleted";
    expect(answer).toEqual({
      ok: true,
      item: { ...(outcome.content ?? content), version: outcome.version, deleted },
      updatedAt: expect.any(Number),
      cursor: cursor(outcome.sequence),
    });
    if (!answer.ok) return;
    if (outcome.changed === undefined) expect(answer.updatedAt).toBe(updatedAt);
    else {
      expect(answer.updatedAt).toBeGreaterThanOrEqual(calledAt);
      expect(answer.updatedAt).toBeLessThanOrEqual(host.now());
    }
  }

  const changed = "changed" in outcome && outcome.changed !== undefined ? outcome : undefined;
  if (head !== undefined) expect(await headOf()).toBe(changed === undefined ? head : head + 1);
  if (host.newestAudit === undefined) return;
  const record = await host.newestAudit(ref);
  if (changed === undefined) expect(record).toEqual(audited);
  else {
    expect(record).toMatchObject({
      tenantId: caller.tenantId,
      principalId: caller.principalId,
      subjectTenantId: ref.tenantId,
      subject: `item:${ref.vaultId}/${ref.itemId}`,
      event: changed.changed,
      versionBefore: baseVersion,
      versionAfter: changed.version,
    });
    expect(record?.at).toBeGreaterThanOrEqual(calledAt);
  }
}

/** Creates what is given. Returns when the item was changed last. */
async function arrange({ host, caller }: ItemDriver, given: ItemGiven) {
  const { vault, retentionDays = 30, role = "owner", history = [], floor = 0 } = given;
  const tenantId = vault === "of another tenant" ? `${caller.tenantId}-other` : caller.tenantId;
  const ref = { tenantId, vaultId: `v-${crypto.randomUUID()}`, itemId: "i-1" };
  let updatedAt = Number.NaN;
  if (vault === "missing") return { ref, updatedAt };

  await host.createVault({ ...ref, retentionDays, role: role === "none" ? undefined : role, floor });
  const other = { ...ref, itemId: "i-other" };
  let { version: otherVersion } = await host.change(other, { operation: "PutItem", baseVersion: 0, content });
  let version = 0;
  for (const event of history) {
    host.time?.pass(1000);
    if (typeof event === "object") host.time?.pass(event.daysPass * dayMs);
    else if (event === "shred") {
      const shredded = await host.time?.shred(ref);
      const record = { event: "shredded", versionBefore: version, versionAfter: version };
      if (shredded === true) expect(await host.newestAudit?.(ref)).toMatchObject(record);
    } else if (event === "another item changes") {
      const call = { operation: "PutItem", baseVersion: otherVersion, content } as const;
      otherVersion = (await host.change(other, call)).version;
    } else {
      const operation = ({ put: "PutItem", delete: "DeleteItem", restore: "RestoreItem" } as const)[event];
      ({ version, updatedAt } = await host.change(ref, { operation, baseVersion: version, content }));
    }
  }
  return { ref, updatedAt };
}
