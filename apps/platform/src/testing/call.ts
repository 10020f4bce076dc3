import { z } from "zod";

const errorBody = z.object({
  code: z.string(),
  message: z.string(),
  details: z.array(z.object({ type: z.string(), value: z.string(), debug: z.looseObject({}) })),
});
const errorInfo = z.object({ reason: z.string() });
const badRequest = z.object({ fieldViolations: z.array(z.object({ field: z.string() })) });

export interface Answered {
  readonly status: number;
  /** The body as it was sent. */
  readonly text: string;
  readonly json: unknown;
  readonly headers: Headers;
}

/** Calls an operation over the wire, with the headers that every call needs. A string body is sent unchanged. */
export async function call(
  baseUrl: string,
  operation: string,
  body: unknown,
  token?: string,
  headers?: Readonly<Record<string, string>>,
): Promise<Answered> {
  const response = await fetch(`${baseUrl}/${operation}`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "Connect-Protocol-Version": "1",
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, text, json: JSON.parse(text), headers: response.headers };
}

/** Returns the status, code and reason of an error response, and the fields of its violations. */
export function errorIn({ status, json }: Answered) {
  const { code, details } = errorBody.parse(json);
  const [info, second] = details;
  const fields = badRequest.safeParse(second?.debug).data?.fieldViolations.map(({ field }) => field) ?? [];
  return { status, code, reason: errorInfo.parse(info?.debug).reason, fields };
}
