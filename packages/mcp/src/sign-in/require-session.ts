import { inputRequired, inputResponse } from "@modelcontextprotocol/server";
import type { ToolAnswer, ToolCall } from "../tool-call.js";
import { refusal } from "../tool-result.js";
import type { PendingLogin } from "./login.js";

const key = "login";
const notYet = "The login is not approved yet. Ask the person to approve it in the browser, then call the tool again.";

/**
 * Returns undefined with a session. Without one, asks the person to approve a login in a browser, and returns what the tool has to
 * answer meanwhile: the address to open, or why there is no session.
 */
export async function requireSession(call: ToolCall): Promise<ToolAnswer | undefined> {
  const { session, login } = call.platform;
  if ((await session.scopes()) !== undefined) return undefined;
  const answer = inputResponse(call.context.mcpReq.inputResponses, key);
  const known = await login.pending();
  if (answer.kind === "elicit" && answer.action !== "accept") {
    known?.cancel();
    return refusal("Nobody is signed in: the person declined. Nothing was done.");
  }
  if (known !== undefined && (answer.kind === "elicit" || !call.elicitation.url)) {
    return (await isApproved(call, known)) ? undefined : refusal(notYet);
  }
  return ask(call, await login.start());
}

function ask({ elicitation }: ToolCall, { prompt }: PendingLogin): ToolAnswer {
  const { userCode, verificationUri, verificationUriComplete = verificationUri } = prompt;
  if (!elicitation.url) {
    return refusal(
      `Nobody is signed in. Ask the person to open ${verificationUri} and enter the code ${userCode}, then call the tool again.`,
    );
  }
  const message = `Sign in to the platform and approve this assistant. The page must show the code ${userCode}.`;
  return inputRequired({
    inputRequests: { [key]: inputRequired.elicitUrl({ message, url: verificationUriComplete }) },
  });
}

/** Waits for the approval, as long as a call may take. @throws PlatformError when the login ended without it. */
async function isApproved({ approvalWait, context }: ToolCall, { approved }: PendingLogin): Promise<boolean> {
  const ended = new AbortController();
  const waited = approvalWait(AbortSignal.any([context.mcpReq.signal, ended.signal]));
  try {
    return await Promise.race([approved.then(() => true), waited.then(() => false)]);
  } finally {
    ended.abort();
  }
}
