import { useState } from "react";
import { Sheet } from "../elements/sheet.js";
import { areShortcutsOn, shortcuts, turnShortcuts } from "./shortcuts.js";

export function HelpSheet({ onClose }: { readonly onClose: () => void }) {
  const [on, setOn] = useState(areShortcutsOn);
  return (
    <Sheet title="Keyboard shortcuts" onClose={onClose}>
      <dl className="keys">
        {Object.entries(shortcuts).map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{/^[A-Z]$/.test(key) ? `Shift ${key}` : key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>Ctrl K</kbd> or <kbd>⌘ K</kbd>
          </dt>
          <dd>Go to or do anything</dd>
        </div>
      </dl>
      <label className="choice">
        <input
          type="checkbox"
          checked={on}
          onChange={(event) => {
            setOn(event.target.checked);
            turnShortcuts(event.target.checked);
          }}
        />
        Single keys are shortcuts in this browser
      </label>
    </Sheet>
  );
}
