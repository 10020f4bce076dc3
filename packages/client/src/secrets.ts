/** Keeps what must stay secret out of what is told: a server, or a proxy, may repeat what it was sent. */
export interface Secrets {
  /** From now on keeps this secret too. */
  add(secret: string): void;
  /** The text, or undefined when it repeats a secret. */
  passing(text: string | null | undefined): string | undefined;
  /** The text, or a fixed one when it repeats a secret. */
  withhold(text: string): string;
}

export function createSecrets(): Secrets {
  const kept = new Set<string>();
  const passing = (text: string | null | undefined) =>
    typeof text !== "string" || [...kept].some((secret) => text.includes(secret)) ? undefined : text;
  return {
    add(secret) {
      if (secret !== "") kept.add(secret);
    },
    passing,
    withhold: (text) => passing(text) ?? "[withheld: it repeats a secret of the call]",
  };
}
