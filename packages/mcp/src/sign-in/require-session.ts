import { inputRequired, inputResponse } from "@modelcontextprotocol/server";
import { refusal, type ToolAnswer, type ToolRequest } from "../tools/tool-call.js";
import type { PendingLogin } from "./login.js";
import type { Platform } from "./platform.js";

const key = "login";
const notYet = "The login is not approved yet. Ask the person to approve it in the browser, then call the tool again.";

/** A call of a tool by the person on this machine. */
export interface LocalCall extends ToolRequest {
  readonly platform: Platform;
  /** Resolves when a call has waited long enough for a person who approves in a browser. */
  readonly approvalWait: (signal: AbortSignal) => Promise<void>;
}

/**
 * Returns undefined with a session that has the scopes of the tool. Otherwise asks the person to approve a login in a browser, and
 * returns what the tool has to answer meanwhile: the address to open, or why there is no such session.
 *
 * A login asks for the scopes of the tool that was called, and those of the session that it replaces. So an assistant that only lists
 * items never has a token that can delete them.
 */
export async function requireSession(call: LocalCall): Promise<ToolAnswer | undefined> {
  const { session, login } = call.platform;
  const granted = await session.scopes();
  if (allows(granted, call.scopes)) return undefined;
  const answer = inputResponse(call.context.mcpReq.inputResponses, key);
  const known = await login.pending();
  if (answer.kind === "elicit" && answer.action !== "accept") {
    known?.cancel();
    return refusal(`The person declined to ${granted === undefined ? "sign in" : "allow this"}. Nothing was done.`);
  }
  if (known !== undefined && (answer.kind === "elicit" || !call.elicitation.url)) {
    if (!(await isApproved(call, known))) return refusal(notYet);
    return allows(await session.scopes(), call.scopes) ? undefined : notAllowed(call);
  }
  // Its login has ended without them. Only another call asks again.
  if (answer.kind === "elicit" && granted !== undefined) return notAllowed(call);
  return ask(call, await login.start([...new Set([...(granted ?? []), ...call.scopes])]));
}

function allows(granted: readonly string[] | undefined, needed: readonly string[]): boolean {
  return granted !== undefined && needed.every((scope) => granted.includes(scope));
}

function notAllowed({ scopes }: LocalCall): ToolAnswer {
  return refusal(
    `This tool needs ${scopes.join(" and ")}, which the person has not allowed. Call the tool again to ask them.`,
  );
}

function ask({ elicitation, platform: { apiUrl } }: LocalCall, { prompt }: PendingLogin): ToolAnswer {
  const { userCode, verificationUri, verificationUriComplete = verificationUri } = prompt;
  const { host } = new URL(apiUrl);
  if (!elicitation.url) {
    return refusal(
      `This tool needs the approval of the person. Ask them to open ${verificationUri}, enter the code ${userCode}, and approve if the page names ${host}. Then call the tool again.`,
    );
  }
  const message = `Sign in to the platform and approve this assistant. The page must name ${host} and show the code ${userCode}.`;
  return inputRequired({
    inputRequests: { [key]: inputRequired.elicitUrl({ message, url: verificationUriComplete }) },
  });
}

/** Waits for the approval, as long as a call may take. @throws PlatformError when the login ended without it. */
async function isApproved({ approvalWait, context }: LocalCall, { approved }: PendingLogin): Promise<boolean> {
  const ended = new AbortController();
  const waited = approvalWait(AbortSignal.any([context.mcpReq.signal, ended.signal]));
  try {
    return await Promise.race([approved.then(() => true), waited.then(() => false)]);
  } finally {
    ended.abort();
  }
}
