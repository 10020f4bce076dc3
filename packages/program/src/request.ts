import { ProgramError } from "./program-error.js";

const timeoutMs = 15_000;

/** Makes a GET request. @throws ProgramError if there is no response. */
export async function request(url: string, signal?: AbortSignal): Promise<Response> {
  const signals = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
  try {
    return await fetch(url, { headers: { Accept: "application/json" }, signal: AbortSignal.any(signals) });
  } catch (error) {
    const text = `${new URL(url).origin} cannot be reached (${causeOf(error)}). Check the URL and the network.`;
    throw new ProgramError(text, "unreachable");
  }
}

/** Returns the code of an error of `fetch`, such as `ECONNREFUSED`. */
function causeOf(error: unknown): string {
  const { name, cause }: { readonly name?: unknown; readonly cause?: unknown } = Object(error);
  const { code }: { readonly code?: unknown } = Object(cause);
  if (typeof code === "string") return code;
  return name === "TimeoutError" ? `no response within ${timeoutMs / 1000} s` : "no response";
}
