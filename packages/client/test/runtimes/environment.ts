/** What a test in a runtime can reach on this machine. */
export interface Environment {
  readonly baseUrl: string;
  /** The URL of what prepares data and verifies results: see `ask`. */
  readonly testUrl: string;
  /** The URL of a server that redirects every call (307) to another origin. */
  readonly redirectingUrl: string;
  readonly runtime: {
    /** A part of `navigator.userAgent`. */
    readonly userAgent: string;
    /** Whether `redirect: "error"` is supported. */
    readonly takesRedirectError: boolean;
  };
}

/** Asks the environment to do or to verify something. */
export async function ask<Answer>(
  { testUrl }: Environment,
  path: string,
  query: Record<string, string>,
): Promise<Answer> {
  // In the body, so that no requested URL contains a token.
  const response = await fetch(testUrl + path, { method: "POST", body: JSON.stringify(query) });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return response.json();
}

/** A new user, so that tests share no data and no rate. */
export interface User {
  readonly principalId: string;
  readonly token: string;
  readonly item: Item;
  readonly otherItem: Item;
  /** The device code of an approved authorization. */
  readonly approvedCode: string;
  /** The codes of a pending authorization. */
  readonly deviceCode: string;
  readonly userCode: string;
}

/** A DeleteItem request. */
export interface Item {
  readonly vaultId: string;
  readonly itemId: string;
  readonly baseVersion: number;
}

export function newUser(environment: Environment, popPublicJwk = ""): Promise<User> {
  return ask(environment, "/new-user", { popPublicJwk });
}
