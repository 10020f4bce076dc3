import { useState } from "react";
import type { RecordedCall } from "../session/call-recorder.js";
import { asCurl, asTypeScript } from "./copied-call.js";

/** A call with its request and response, and buttons that copy it. */
export function CallDetails({ call }: { readonly call: RecordedCall }) {
  const { operation, requestId, request, end } = call;
  const [copied, setCopied] = useState("");
  const copy = (name: string, text: string) => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(`${name} was copied.`),
      () => setCopied("The browser does not allow this page to copy. Allow it in the settings of this site."),
    );
  };
  const response = end?.response;
  return (
    <section aria-labelledby="call">
      <h3 id="call">{operation}</h3>
      <p className="hint">
        Request <code>{requestId}</code>
      </p>
      <div className="actions">
        <button type="button" onClick={() => copy("The curl command", asCurl(call))}>
          Copy as curl
        </button>
        <button type="button" onClick={() => copy("The TypeScript program", asTypeScript(call))}>
          Copy as TypeScript
        </button>
        <button type="button" onClick={() => copy("The request", request)}>
          Copy request
        </button>
        <button type="button" disabled={response === undefined} onClick={() => copy("The response", response ?? "")}>
          Copy response
        </button>
      </div>
      <p role="status">{copied}</p>
      <div className="sides">
        <Body title="Request" json={request} />
        {response === undefined ? <p>{withoutResponse(end)}</p> : <Body title="Response" json={response} />}
      </div>
    </section>
  );
}

/** A body in a text field, because every browser scrolls one with the keyboard. */
function Body({ title, json }: { readonly title: string; readonly json: string }) {
  const text = foldedJson(json);
  return (
    <label>
      {title}
      <textarea readOnly spellCheck={false} rows={text.split("\n").length} value={text} />
    </label>
  );
}

function withoutResponse(end: RecordedCall["end"]): string {
  if (end === undefined) return "The call is running.";
  return end.status === undefined
    ? "No response arrived."
    : "The page has dropped this response to save memory. Repeat the call to see it.";
}

const longestText = 80;
const shownCharacters = 40;
const mostLines = 300;

/** Returns a JSON text for the view: indented, with long texts such as ciphertexts cut, and long lists cut. */
export function foldedJson(json: string): string {
  const lines = indented(json).split("\n");
  if (lines.length <= mostLines) return lines.join("\n");
  return [...lines.slice(0, mostLines), `… ${lines.length - mostLines} more lines: copy the text to see all.`].join(
    "\n",
  );
}

function indented(json: string): string {
  try {
    return JSON.stringify(
      JSON.parse(json, (_, value) => (typeof value === "string" ? folded(value) : value)),
      undefined,
      2,
    );
  } catch {
    return folded(json);
  }
}

function folded(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, shownCharacters)}… (${text.length} characters)`;
}
