import { useState } from "react";

/** Where the script of the accounts origin reads after how many minutes without use it locks the browser. */
const storedAs = "platform: lock after";

const choices = [
  ["1", "After 1 minute without use"],
  ["5", "After 5 minutes without use"],
  ["15", "After 15 minutes without use"],
  ["60", "After an hour without use"],
  ["never", "Never: keep my keys in this browser until I sign out"],
] as const;

/** When this browser locks by itself: the setting of the person, in this browser. */
export function LockSetting() {
  const [after, setAfter] = useState(() => localStorage.getItem(storedAs) ?? "15");
  const choose = (value: string) => {
    localStorage.setItem(storedAs, value);
    setAfter(value);
  };
  return (
    <section aria-labelledby="lock">
      <h2 id="lock">Lock</h2>
      <p>A locked browser has no key of yours: nobody who uses it can read your items. Your passkey unlocks it.</p>
      <label htmlFor="lock-after">Lock this browser by itself</label>
      <select id="lock-after" value={after} onChange={({ target }) => choose(target.value)}>
        {choices.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
      <div className="actions">
        <button type="button" onClick={() => dispatchEvent(new Event("platform-lock"))}>
          Lock now
        </button>
      </div>
    </section>
  );
}
