import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Sheet } from "../elements/sheet.js";
import { callAccount } from "../session/call-account.js";
import { sessionEnded } from "../session/session.js";
import { IdentityProof } from "./prove-dialog.js";

/** Ends every session of the person and, if they want that, the access of agents and apps. Asks for a proof first. */
export function SignOutEverywhere() {
  const [asking, setAsking] = useState(false);
  const [software, setSoftware] = useState(false);
  const close = () => setAsking(false);
  const signOut = async () => {
    await callAccount("access/end-all", { software });
    return sessionEnded();
  };
  return (
    <div className="actions">
      <Button className="danger" onPress={() => setAsking(true)}>
        Sign out everywhere
      </Button>
      {asking && (
        <Sheet title="Sign out everywhere?" onClose={close}>
          <p>This signs you out of all browsers, including this one. Their vaults lock, and your keys leave them.</p>
          <p>Agents and apps stay: a command line that is signed in, for example, still acts for you.</p>
          <label className="choice">
            <input type="checkbox" checked={software} onChange={({ target }) => setSoftware(target.checked)} />
            Remove the access of all agents and apps, too
          </label>
          <p>Confirm that it is you.</p>
          <IdentityProof onProven={signOut} onCancel={close} />
        </Sheet>
      )}
    </div>
  );
}
