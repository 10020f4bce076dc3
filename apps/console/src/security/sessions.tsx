import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Moment } from "../elements/moment.js";
import { Sheet } from "../elements/sheet.js";
import { callAccount } from "../session/call-account.js";
import { sessionEnded } from "../session/session.js";
import { IdentityProof } from "./prove-dialog.js";
import type { EndedAccess, ListedSession } from "./sign-ins.js";

export interface SectionProps {
  readonly busy: boolean;
  readonly onEnd: (access: EndedAccess) => void;
}

interface EndButtonProps extends SectionProps {
  readonly access: EndedAccess;
  /** What the button does, such as `End`. */
  readonly children: string;
  /** The full name of the button, because a page has several. */
  readonly label: string;
}

function EndButton({ access, busy, onEnd, label, children }: EndButtonProps) {
  return (
    <button type="button" id={endButtonId(access.id)} aria-label={label} disabled={busy} onClick={() => onEnd(access)}>
      {children}
    </button>
  );
}

export function endButtonId(id: string): string {
  return `end-${id}`;
}

/** Where the person is signed in. This session is ended by signing out. */
export function Sessions({ sessions, ...section }: SectionProps & { readonly sessions: readonly ListedSession[] }) {
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      <ul className="card entries">
        {sessions.map(({ id, current, browser, address, how, signedInAt, lastSeenAt }) => (
          <li key={id}>
            <div>
              <h3>
                {browser}
                {current && " (this session)"}
              </h3>
              <p className="hint">
                From {address}. Signed in with a {how} <Moment at={signedInAt} />, last seen <Moment at={lastSeenAt} />.
              </p>
            </div>
            {!current && (
              <EndButton
                access={{ kind: "session", id, done: `The session of ${browser} has ended.` }}
                label={`End the session of ${browser}, signed in ${signedInAt}`}
                {...section}
              >
                End
              </EndButton>
            )}
          </li>
        ))}
      </ul>
      <SignOutEverywhere />
    </section>
  );
}

/** Ends every session of the person and, if they want that, the access of agents and apps. Asks for a proof first. */
function SignOutEverywhere() {
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
