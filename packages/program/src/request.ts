import { ProgramError } from "./program-error.js";

const timeoutMs = 15_000;

/** The largest body that is read, in bytes. */
const largestBody = 64 * 1024;

/** A response with its body. */
export interface Answer extends Pick<Response, "ok" | "status" | "headers"> {
  /** Empty when it is larger than 64 KiB. */
  readonly text: string;
}

/** Makes a GET request. Does not follow redirects. @throws ProgramError if there is no response. */
export async function request(url: string, signal?: AbortSignal): Promise<Answer> {
  const signals = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
  const headers = { Accept: "application/json" };
  try {
    const response = await fetch(url, { headers, redirect: "manual", signal: AbortSignal.any(signals) });
    return { ok: response.ok, status: response.status, headers: response.headers, text: await readText(response) };
  } catch (error) {
    const text = `${new URL(url).origin} cannot be reached (${causeOf(error)}). Check the URL and the network.`;
    throw new ProgramError(text, "unreachable");
  }
}

async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let size = 0;
  let text = "";
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > largestBody) return "";
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Returns the code of an error of `fetch`, such as `ECONNREFUSED`. */
function causeOf(error: unknown): string {
  const { name, cause }: { readonly name?: unknown; readonly cause?: unknown } = Object(error);
  const { code }: { readonly code?: unknown } = Object(cause);
  if (typeof code === "string") return code;
  return name === "TimeoutError" ? `no response within ${timeoutMs / 1000} s` : "no response";
}
