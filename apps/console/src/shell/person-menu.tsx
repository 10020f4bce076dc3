import { Suspense } from "react";
import { Icon } from "../elements/icon.js";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";
import { useConsole } from "../session/console-context.js";

// No part of the first load, but requested at once: it is there before anybody opens the menu.
const PersonMenuEntries = lazyPart(async () => (await import("./person-menu-entries.js")).PersonMenuEntries);

/** The person, and what they can do with this browser. */
export function PersonMenu() {
  const { displayName } = useConsole().session;
  return (
    <div className="person">
      <button type="button" className="quiet" popoverTarget="person-menu">
        <span dir="auto">{displayName}</span>
        <Icon name="down" />
      </button>
      <div id="person-menu" className="menu" popover="auto">
        <PartBoundary>
          <Suspense>
            <PersonMenuEntries />
          </Suspense>
        </PartBoundary>
      </div>
    </div>
  );
}
