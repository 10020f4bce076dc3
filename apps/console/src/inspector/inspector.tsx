import { useState, useSyncExternalStore } from "react";
import type { RecordedCall } from "../session/call-recorder.js";
import { useConsole } from "../session/console-context.js";
import { CallDetails } from "./call-details.js";
import "./inspector.css";

const time = new Intl.DateTimeFormat("en", { timeStyle: "medium", hour12: false });

/** Shows the calls of this page as they were on the wire. */
export function Inspector() {
  const { recorder } = useConsole().calls;
  const calls = useSyncExternalStore(recorder.subscribe, recorder.calls);
  const [shownId, setShownId] = useState<number>();
  const shown = calls.find(({ id }) => id === shownId);
  return (
    <section className="inspector" aria-labelledby="inspector">
      <div className="sheet-head">
        <h2 id="inspector">Request inspector</h2>
        <button type="button" disabled={calls.length === 0} onClick={recorder.clear}>
          Clear
        </button>
      </div>
      <p className="hint">
        The last 200 calls of this page, without their tokens. They are kept in memory until you leave the page.
      </p>
      <div className="calls">
        <table>
          <thead>
            <tr>
              <th scope="col">Operation</th>
              <th scope="col">Time</th>
              <th scope="col">Duration</th>
              <th scope="col">Result</th>
              <th scope="col" className="request-id">
                Request
              </th>
            </tr>
          </thead>
          <tbody>
            {calls.map((call) => (
              <tr key={call.id} aria-current={call.id === shownId || undefined}>
                <td>
                  <button type="button" className="link" title={call.operation} onClick={() => setShownId(call.id)}>
                    {call.operation.split("/")[1]}
                  </button>
                </td>
                <td>{time.format(call.startedAt)}</td>
                <td>{call.end && `${call.end.durationMs} ms`}</td>
                <td>{resultOf(call)}</td>
                <td className="request-id">
                  <code>{call.requestId}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {calls.length === 0 && <p>No calls yet: each change and each refresh of this page appears here.</p>}
      {shown && <CallDetails key={shown.id} call={shown} />}
    </section>
  );
}

function resultOf({ end }: RecordedCall): string {
  if (end === undefined) return "running";
  return [end.status, end.reason].filter((part) => part !== undefined).join(" ");
}
