/** The media types in which an MCP client takes answers. */
export interface Accepted {
  readonly json: boolean;
  readonly stream: boolean;
}

/** Reads an Accept header (RFC 9110 section 12.5.1). Without one, every type is accepted. */
export function readAccept(header: string | null): Accepted {
  return { json: accepts(header, "application/json"), stream: accepts(header, "text/event-stream") };
}

/** The most specific range with the type counts. Parameters other than `q` are ignored: the answers have none to choose from. */
function accepts(header: string | null, mediaType: string): boolean {
  if (header === null || header.trim() === "") return true;
  const ranges = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [range = "", ...parameters] = part.split(";").map((each) => each.trim());
    const weight = parameters.find((each) => /^q[ \t]*=/.test(each))?.replace(/^q[ \t]*=[ \t]*/, "") ?? "1";
    ranges.set(range, Math.max(ranges.get(range) ?? 0, /^[01](?:\.[0-9]{0,3})?$/.test(weight) ? Number(weight) : 0));
  }
  const whole = mediaType.replace(/\/.*/, "/*");
  return (ranges.get(mediaType) ?? ranges.get(whole) ?? ranges.get("*/*") ?? ranges.get("*") ?? 0) > 0;
}

/**
 * Returns a response in a form that its client accepts; undefined if a stream ends without an answer. The answer to a call is one message:
 * a stream may have others before it, which JSON cannot contain.
 */
export async function inAcceptedForm(response: Response, { json, stream }: Accepted): Promise<Response | undefined> {
  const [type] = (response.headers.get("Content-Type") ?? "").split(";");
  if (type === "text/event-stream" && !stream) {
    const answer = answerIn(await response.text());
    return answer === undefined ? undefined : withBody(response, answer, "application/json");
  }
  // Errors are JSON for every client: the transport has no other form for them.
  if (type === "application/json" && !json && response.ok) {
    return withBody(
      response,
      `event: message\ndata: ${JSON.stringify(await response.json())}\n\n`,
      "text/event-stream",
    );
  }
  return response;
}

function answerIn(events: string): string | undefined {
  // Only a line feed ends a line: JSON may contain U+2028 and U+2029, which end one in a pattern.
  const data = events.split("\n").filter((line) => line.startsWith("data: {"));
  const messages = data.map((line) => line.slice("data: ".length));
  return messages.findLast((message) => {
    const parsed: object = JSON.parse(message);
    return "result" in parsed || "error" in parsed;
  });
}

function withBody({ status }: Response, body: string, contentType: string): Response {
  return new Response(body, { status, headers: { "Content-Type": contentType, "Cache-Control": "no-store" } });
}
