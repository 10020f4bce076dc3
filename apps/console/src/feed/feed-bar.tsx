import type { FeedSnapshot } from "./vault-feed.js";

const words: Readonly<Record<FeedSnapshot["state"], string>> = {
  loading: "Loading…",
  live: "Live: changes appear at once.",
  paused: "Paused: changes are not shown.",
  reconnecting: "Reconnecting…",
};

export interface FeedBarProps {
  readonly snapshot: FeedSnapshot;
  readonly onToggle: () => void;
  readonly onInspect: () => void;
  readonly onHelp: () => void;
}

/** Says how current the items are, and pauses and resumes the feed. */
export function FeedBar({ snapshot, onToggle, onInspect, onHelp }: FeedBarProps) {
  const { state, copy, resyncs } = snapshot;
  return (
    <div className="feed">
      <p role="status" data-state={state}>
        {words[state]}
        {resyncs > 0 && " The vault was restored from a backup, and read again from the start."}
      </p>
      <p className="hint">Change {copy.sequence}</p>
      <div className="actions">
        <button type="button" onClick={onToggle}>
          {state === "paused" ? "Resume" : "Pause"}
        </button>
        <button type="button" onClick={onInspect}>
          Request inspector
        </button>
        <button type="button" onClick={onHelp}>
          Keyboard shortcuts
        </button>
      </div>
    </div>
  );
}
