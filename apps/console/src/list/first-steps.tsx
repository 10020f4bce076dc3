import { useState } from "react";
import { Icon } from "../elements/icon.js";
import { useConsole } from "../session/console-context.js";
import { ConnectAgent } from "./connect-agent.js";

const storedAs = "vault: first steps";

interface FirstStepsProps {
  /** Whether the vault is the person's, and they have no item in any other one. */
  readonly isFirst: boolean;
}

/** What a person can do about a vault without items. */
export function FirstSteps({ isFirst }: FirstStepsProps) {
  const { displayName } = useConsole().session;
  const [shown, setShown] = useState(() => isFirst && localStorage.getItem(storedAs) !== "done");
  const dismiss = () => {
    localStorage.setItem(storedAs, "done");
    setShown(false);
  };
  return (
    <>
      {shown ? (
        <section className="card first-run" aria-labelledby="first-run">
          <h2 id="first-run">
            Your vault is ready, <bdi>{displayName}</bdi>
          </h2>
          <p>
            Only you can read what is in it. Connect an agent or a program: it asks you before it may do anything, and
            what it changes appears here at once.
          </p>
          <div className="actions">
            <button type="button" className="quiet" onClick={dismiss}>
              Not now
            </button>
            <ConnectAgent />
          </div>
        </section>
      ) : (
        <>
          <Icon name="items" />
          <p>No items are here yet: a program that has your keys can add one.</p>
          <ConnectAgent />
        </>
      )}
    </>
  );
}
