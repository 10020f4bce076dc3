import { saveText } from "@platform-rpc/accounts/browser/save-text";
import { useState } from "react";
import { ErrorMessage } from "../elements/error-message.js";
import { callAccount } from "../session/call-account.js";
import { type ActivityFilter, readActivity } from "./activity.js";
import { toCsv } from "./words.js";

/** A file has at most this many entries, and comes from this many requests. */
const limits = { entries: 10_000, requests: 120 };

/** Downloads what the filter selects as a CSV file, and says if it does not contain everything. */
export function ExportButton({ filter }: { readonly filter: ActivityFilter }) {
  const [state, setState] = useState<{ readonly said?: string; readonly busy?: boolean; readonly error?: unknown }>({});
  const download = async () => {
    setState({ busy: true, said: "Collecting the entries…" });
    try {
      const { entries, next, readTo } = await readActivity(filter, undefined, limits, callAccount);
      saveText(`activity-${new Date().toISOString().slice(0, 10)}.csv`, toCsv(entries), "text/csv");
      const cut =
        next === undefined ? "" : ` It was cut: it contains nothing from before ${readTo}. Choose a shorter period.`;
      setState({ said: `The file has ${entries.length} ${entries.length === 1 ? "entry" : "entries"}.${cut}` });
    } catch (error) {
      setState({ error });
    }
  };
  return (
    <div className="actions">
      <button type="button" disabled={state.busy === true} onClick={download}>
        Export as CSV
      </button>
      <span role="status">{state.said}</span>
      <ErrorMessage error={state.error} />
    </div>
  );
}
