import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Icon } from "../elements/icon.js";
import { useConsole } from "../session/console-context.js";
import { ConnectAgent } from "./connect-agent.js";

const storedAs = "vault: first steps";

interface FirstStepsProps {
  /** Whether the vault is the person's, and they have no item in any other one. */
  readonly isFirst: boolean;
  /** Whether the person can add items. */
  readonly canAdd: boolean;
}

/** What a person can do about a vault without items. */
export function FirstSteps({ isFirst, canAdd }: FirstStepsProps) {
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
            Only you can read what is in it. Agents and programs that you connect ask you before they may do anything.
          </p>
          <div className="actions">
            <button type="button" className="quiet" onClick={dismiss}>
              Not now
            </button>
            <ConnectAgent />
            {canAdd && <Import />}
            {canAdd && <AddItem />}
          </div>
        </section>
      ) : (
        <>
          <Icon name="items" />
          <p>No items are here yet.</p>
          <div className="actions">
            <ConnectAgent />
            {canAdd && <Import />}
            {canAdd && <AddItem />}
          </div>
        </>
      )}
    </>
  );
}

function AddItem() {
  return (
    <Link className="button primary" to="." search={{ new: "login" }}>
      Add an item
    </Link>
  );
}

function Import() {
  return (
    <Link className="button" to="/import">
      Import
    </Link>
  );
}
