import type { Contract, Operation, Package, Reason } from "../../model/contract.ts";

export interface PublishedApi {
  readonly contract: Contract;
  readonly package: Package;
  /** `v1`, of `platform.v1`. */
  readonly version: string;
  readonly operations: readonly Operation[];
  /** In the order of the contract. */
  readonly reasons: readonly ErrorReason[];
}

/** An error reason by its name on the wire, `ITEM_NOT_FOUND`. */
export interface ErrorReason extends Reason {
  readonly name: string;
  readonly comment: string;
}

export interface OperationReason extends ErrorReason {
  readonly when: string;
}

/** Reads the API of each published package. @throws TypeError when an operation lists an error that its package does not define. */
export function publishedApis(contract: Contract): readonly PublishedApi[] {
  return [...contract.packages.values()]
    .filter(({ name, published }) => published && /^platform\.v\d+$/.test(name))
    .map((owner) => readApi(owner, contract));
}

function readApi(owner: Package, contract: Contract): PublishedApi {
  const operations = [...contract.operations.values()]
    .filter((operation) => operation.package === owner.name && operation.visibility === "public")
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const reasons = (contract.enums.get(`${owner.name}.ErrorReason`)?.values ?? []).flatMap(
    ({ localName, comment, reason }) => (reason === undefined ? [] : [{ ...reason, name: localName, comment }]),
  );
  for (const { name, errors } of operations) {
    const unknown = errors.find(({ reason }) => !reasons.some((known) => known.name === reason));
    if (unknown !== undefined)
      throw new TypeError(`${name} lists ${unknown.reason}, which ${owner.name} does not define`);
  }
  return { contract, package: owner, version: owner.name.replace(/^.*\./, ""), operations, reasons };
}

/** The reasons that an operation fails with, those of every call included, in the order of the contract. */
export function reasonsOf(operation: Operation, { reasons }: PublishedApi): readonly OperationReason[] {
  return reasons.flatMap((reason) => {
    const own = operation.errors.find((error) => error.reason === reason.name);
    return reason.everyCall || own ? [{ ...reason, when: own?.when ?? reason.comment }] : [];
  });
}

/** Returns the first sentence of an operation's comment, without its period. */
export function summaryOf({ comment, method }: Operation): string {
  const [sentence = ""] = /^.*?(?=\.(?:\s|$))/.exec(comment) ?? [];
  return sentence === "" ? method : sentence;
}

/** Returns the folder of a version's error pages, with a slash at its end: empty for v1. */
export function folderOf({ version }: PublishedApi): string {
  return version === "v1" ? "" : `${version}/`;
}

/** Returns the URL of the page that explains a reason, relative to the OpenAPI document: the same server serves both. */
export function errorPageUrl({ name }: ErrorReason, api: PublishedApi): string {
  return `docs/errors/${folderOf(api)}${name}`;
}

export function operationPageUrl({ method }: Operation, api: PublishedApi): string {
  return `docs/api/operations/${folderOf(api)}${method}`;
}

/** Returns the definition of a header. @throws TypeError when the package has none. */
export function headerNamed(name: string, kind: "request" | "response", { package: owner }: PublishedApi) {
  const headers = kind === "request" ? owner.requestHeaders : owner.responseHeaders;
  const found = headers.find((header) => header.name === name);
  if (found === undefined) throw new TypeError(`${owner.name} defines no ${kind} header ${name}`);
  return found;
}
