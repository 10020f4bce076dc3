import { type LockAfter, lockAfter, lockChoices, setLockAfter } from "@platform-rpc/accounts/browser/lock-time";
import { useState } from "react";
import { lockNow } from "../session/session.js";

const words: Readonly<Record<LockAfter, string>> = {
  1: "After 1 minute without use",
  5: "After 5 minutes without use",
  15: "After 15 minutes without use",
  60: "After an hour without use",
  never: "Never: keep my keys in this browser until I sign out",
};

/** When this browser locks by itself: the setting of the person, in this browser. */
export function LockSetting() {
  const [after, setAfter] = useState(() => lockAfter(localStorage));
  const choose = (chosen: string) => {
    const found = lockChoices.find((choice) => choice === chosen);
    if (found === undefined) return;
    setLockAfter(localStorage, found);
    setAfter(found);
  };
  return (
    <section aria-labelledby="lock">
      <h2 id="lock">Lock</h2>
      <p>A locked browser has no key of yours: nobody who uses it can read your items. Your passkey unlocks it.</p>
      <p>
        <label htmlFor="lock-after">Lock this browser by itself</label>
      </p>
      <select id="lock-after" value={after} onChange={({ target }) => choose(target.value)}>
        {lockChoices.map((choice) => (
          <option key={choice} value={choice}>
            {words[choice]}
          </option>
        ))}
      </select>
      <div className="actions">
        <button type="button" onClick={lockNow}>
          Lock now
        </button>
      </div>
    </section>
  );
}
