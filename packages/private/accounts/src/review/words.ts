/** What a person allows: a sentence, and what they should know about it. */
interface Permission {
  readonly title: string;
  readonly more: string;
}

const permissions: Readonly<Record<string, Permission>> = {
  "vault.items:read": {
    title: "See your items",
    more: "Also deleted ones, and what they contained before. Contents stay encrypted.",
  },
  "vault.items:use": {
    title: "Use the secrets of items without seeing them",
    more: "A broker that you have started signs in to websites with them.",
  },
  "vault.items:write": { title: "Add and change items", more: "In vaults that you can edit." },
  "vault.items:delete": { title: "Delete items", more: "You can restore them while their vault keeps them." },
  "vault.items:restore": { title: "Restore deleted items", more: "While their vault keeps them." },
  "vaults:manage": { title: "Manage your vaults", more: "Create vaults, and rename or delete yours." },
  "identity.device_authorizations:exchange": {
    title: "Collect answers to its requests",
    more: "Requests for access that it started itself.",
  },
};

const order = Object.keys(permissions);

/** Returns scopes in the order in which people read them: what changes more comes later. Those without words are the last. */
export function inReadingOrder(scopes: readonly string[]): readonly string[] {
  const rank = (scope: string) => order.indexOf(scope) + 1 || order.length + 1;
  return scopes.toSorted((one, other) => rank(one) - rank(other));
}

export function describeScope(scope: string): Permission {
  const unknown = {
    title: "Do something that this page cannot explain",
    more: `Ask who wrote the software what “${scope}” is for.`,
  };
  return permissions[scope] ?? unknown;
}

export function scopeInWords(scope: string): string {
  const { title, more } = describeScope(scope);
  return `${title}. ${more}`;
}

const date = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** Formats a time, in ms since the epoch, such as `22 November 2026 at 13:50 UTC`. */
export function timeInWords(time: number): string {
  return `${date.format(time)} UTC`;
}

/** Formats the time between two times, in ms since the epoch, such as `2 minutes ago` or `in 8 minutes`. */
export function distanceInWords(time: number, now: number): string {
  const seconds = Math.round((time - now) / 1000);
  return Math.abs(seconds) < 60
    ? relative.format(seconds, "second")
    : relative.format(Math.trunc(seconds / 60), "minute");
}
