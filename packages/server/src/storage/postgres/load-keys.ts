import type { AccessRef } from "../../ports/queries.js";
import type { Ref } from "../../ports/storage.js";
import type { NotLoadedError } from "./working-set.js";

/** The argument of `platform_load`: the keys of the rows to load. */
export interface LoadKeys {
  readonly items: { readonly t: string; readonly v: string; readonly i: string; readonly p: string | null }[];
  readonly vaults: { readonly t: string; readonly v: string }[];
  /** A user code or a device code. */
  readonly codes: { readonly u?: string; readonly d?: string }[];
  readonly tokens: { readonly id: string }[];
  readonly grants: { readonly id: string }[];
  readonly clients: { readonly t: string; readonly c: string }[];
  readonly principals: { readonly t: string; readonly p: string }[];
  readonly records: { readonly c: string; readonly k: string }[];
}

/** Collects keys, each once. */
export interface KeyCollector {
  /** Adds the rows of a ref's snapshot. */
  addRef(ref: Ref): void;
  /** Adds a row that turned out to be needed. */
  addMissing(missing: NotLoadedError): void;
  /** Returns the keys as JSON. Lists without keys are absent. */
  toJson(): string;
}

export function createKeyCollector(): KeyCollector {
  const seen = new Set<string>();
  const keys: { [List in keyof LoadKeys]?: LoadKeys[List][number][] } = {};
  const add = <List extends keyof LoadKeys>(list: List, key: LoadKeys[List][number]): void => {
    const id = `${list}${JSON.stringify(key)}`;
    if (seen.has(id)) return;
    seen.add(id);
    const found: LoadKeys[List][number][] = keys[list] ?? [];
    found.push(key);
    Object.assign(keys, { [list]: found });
  };

  return {
    addRef(ref) {
      switch (ref.kind) {
        case "item":
          add("items", { t: ref.tenantId, v: ref.vaultId, i: ref.itemId, p: ref.principalId ?? null });
          return;
        case "vault":
          add("vaults", { t: ref.tenantId, v: ref.vaultId });
          return;
        case "deviceCode":
          add("codes", { d: ref.deviceCodeHash });
          return;
        case "userCode":
          add("codes", { u: ref.userCodeHash });
          add("principals", { t: ref.tenantId, p: ref.principalId });
          return;
        case "start":
          add("codes", { u: ref.userCodeHash });
          add("clients", { t: ref.tenantId, c: ref.oauthClientId });
          return;
        case "token":
          add("tokens", { id: ref.tokenId });
          return;
        case "oauthClient":
          add("clients", { t: ref.tenantId, c: ref.oauthClientId });
          return;
        case "record":
          add("records", { c: ref.collection, k: ref.key });
          return;
        case "records":
          for (const { collection, key } of ref.keys) add("records", { c: collection, k: key });
          if (ref.vault !== undefined) add("vaults", { t: ref.vault.tenantId, v: ref.vault.vaultId });
          return;
        case "nothing":
          return;
      }
    },

    addMissing({ table, key }) {
      const [first = "", second = "", third = ""] = key;
      switch (table) {
        case "items":
          add("items", { t: first, v: second, i: third, p: null });
          return;
        case "members":
          // No item has an empty id, so this loads the member only.
          add("items", { t: first, v: second, i: "", p: third });
          return;
        case "vaults":
          add("vaults", { t: first, v: second });
          return;
        case "authorizations":
          add("codes", { d: first });
          return;
        case "userCodes":
          add("codes", { u: first });
          return;
        case "tokens":
          add("tokens", { id: first });
          return;
        case "grants":
        case "revocations":
          add("grants", { id: first });
          return;
        case "clients":
          add("clients", { t: first, c: second });
          return;
        case "principals":
          add("principals", { t: first, p: second });
          return;
        case "records":
          add("records", { c: first, k: second });
          return;
      }
    },

    toJson: () => JSON.stringify(keys),
  };
}

/** Returns the keys that read the state of tokens, as JSON. */
export function accessKeys(refs: readonly AccessRef[]): string {
  const access = refs.map(({ tenantId, principalId, oauthClientId, tokenId, grantId }, n) => ({
    n,
    t: tenantId,
    p: principalId,
    c: oauthClientId,
    j: tokenId,
    g: grantId,
  }));
  return JSON.stringify({ access });
}
