/** A request to send. Each part has a default. */
export interface WireRequest {
  readonly verb?: string;
  readonly target?: string;
  readonly httpVersion?: string;
  /** Replaces default headers of the same name: undefined omits one, a list sends it several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** A string is sent as UTF-8, bytes unchanged, anything else as JSON. */
  readonly body?: unknown;
}

export const deleteItemPath = "/platform.v1.VaultService/DeleteItem";
export const exchangePath = "/platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization";

/** Returns the bytes of a request, by default a well-formed call of DeleteItem without a token. */
export function requestBytes(request: WireRequest): Buffer {
  const { verb = "POST", target = deleteItemPath, httpVersion = "1.1" } = request;
  const body = bodyBytes(request.body);
  const headers = {
    Host: "platform.test",
    "Content-Type": "application/json",
    "Connect-Protocol-Version": "1",
    "Content-Length": String(body.length),
    ...request.headers,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (value === undefined ? [] : typeof value === "string" ? [value] : value).map((each) => `${name}: ${each}`),
  );
  const head = [`${verb} ${target} HTTP/${httpVersion}`, ...lines].join("\r\n");
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, "latin1"), body]);
}

function bodyBytes(body: unknown): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}
