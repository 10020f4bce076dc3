import type { Environment } from "./environment.js";

/**
 * A set of tests that needs nothing but the language. Vitest's own runners reach only some of the runtimes and conditions: neither
 * CommonJS nor a page of another origin, without https, or after a reload. That of Cloudflare contains wrangler and another workerd.
 */
export type Suite = (test: (title: string, body: (environment: Environment) => Promise<void>) => void) => void;

/** For each title "passed", or the stack of the error. */
export type Results = Readonly<Record<string, string>>;

export function titlesOf(suite: Suite): readonly string[] {
  const titles: string[] = [];
  suite((title) => titles.push(title));
  return titles;
}

/** Runs all tests at the same time, because device logins mostly wait. */
export async function runTests(suite: Suite, environment: Environment): Promise<Results> {
  const results: Promise<readonly [string, string]>[] = [];
  suite((title, body) => {
    const failed = (error: unknown) => (error instanceof Error ? `${error.message}\n${error.stack}` : `${error}`);
    results.push(
      body(environment).then(
        () => [title, "passed"],
        (error: unknown) => [title, failed(error)],
      ),
    );
  });
  return Object.fromEntries(await Promise.all(results));
}

/** Throws unless a value contains everything that is expected. Arrays must have the same length. */
export function expectMatch(actual: unknown, expected: unknown): void {
  if (!matches(actual, expected))
    throw new Error(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
}

function matches(actual: unknown, expected: unknown): boolean {
  if (typeof expected !== "object" || expected === null) return Object.is(actual, expected);
  if (Array.isArray(expected) && Object(actual).length !== expected.length) return false;
  return Object.entries(expected).every(([key, value]) => matches(Object(actual)[key], value));
}
