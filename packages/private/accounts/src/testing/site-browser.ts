/** What a test sends. The default method is GET, or POST with a body. */
export interface SiteRequest {
  readonly method?: "HEAD" | "OPTIONS" | undefined;
  readonly json?: unknown;
  /** The fields. A list sends a field more than once. */
  readonly form?: URLSearchParams | Readonly<Record<string, string | readonly string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response. The body of a page is its HTML. */
export interface SiteResponse {
  readonly status: number;
  readonly location: string | undefined;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A browser without scripts: it keeps cookies, and follows no redirect. */
export interface SiteBrowser {
  readonly origin: string;
  readonly cookies: Map<string, string>;
  /** Sends a request to a path of the site, as a page of the site does. */
  send(path: string, request?: SiteRequest): Promise<SiteResponse>;
}

/**
 * Opens a browser at an origin.
 *
 * @param send sends its requests. Default: over the network.
 * @param from the cookies that it has. Default: none.
 */
export function openSiteBrowser(
  origin: string,
  send: (url: string, init: RequestInit) => Response | Promise<Response> = fetch,
  from: ReadonlyMap<string, string> = new Map(),
): SiteBrowser {
  const cookies = new Map(from);
  return {
    origin,
    cookies,
    async send(path, { method: asked, json, form, headers = {} } = {}) {
      const body = form === undefined ? JSON.stringify(json) : form instanceof URLSearchParams ? form : fieldsOf(form);
      const method = asked ?? (body === undefined ? "GET" : "POST");
      const sent = {
        Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(method === "POST" && { Origin: origin, "Sec-Fetch-Site": "same-origin" }),
        ...(json !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      };
      const init: RequestInit = { method, headers: sent, redirect: "manual", ...(body !== undefined && { body }) };
      const response = await send(origin + path, init);
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        if (value === "") cookies.delete(name);
        else cookies.set(name, value);
      }
      const isJson = asked !== "HEAD" && response.headers.get("Content-Type")?.startsWith("application/json");
      return {
        status: response.status,
        location: response.headers.get("Location") ?? undefined,
        headers: response.headers,
        body: isJson ? await response.json() : await response.text(),
      };
    },
  };
}

function fieldsOf(form: Readonly<Record<string, string | readonly string[]>>): URLSearchParams {
  return new URLSearchParams(
    Object.entries(form).flatMap(([name, values]) => [values].flat().map((value) => [name, value])),
  );
}
