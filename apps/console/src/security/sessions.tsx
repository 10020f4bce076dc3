import { type ComponentProps, useState } from "react";
import { Button } from "react-aria-components/Button";
import { Ago, Moment } from "../elements/moment.js";
import { SettingsCard } from "../elements/settings-card.js";
import { Sheet } from "../elements/sheet.js";
import { callAccount } from "../session/call-account.js";
import { sessionEnded } from "../session/session.js";
import { networkInWords } from "./network-in-words.js";
import { IdentityProof } from "./prove-dialog.js";
import { Rename } from "./rename.js";
import type { EndedAccess, ListedSession, Renamed } from "./sign-ins.js";

export interface SectionProps {
  readonly busy: boolean;
  /** What a form needs that gives a passkey or a device another name. */
  readonly renaming: (
    kind: Renamed["kind"],
    id: string,
  ) => Pick<ComponentProps<typeof Rename>, "busy" | "onRename" | "error">;
  readonly onEnd: (access: EndedAccess) => void;
}

export function endButtonId(id: string): string {
  return `end-${id}`;
}

/** Where the person is signed in. This session is ended by signing out. */
export function Sessions({ sessions, ...section }: SectionProps & { readonly sessions: readonly ListedSession[] }) {
  const trusted = sessions.some((session) => session.current && session.trusted);
  return (
    <SettingsCard id="sessions" icon="device" title="Where you are signed in">
      <p>End the sessions that you do not know or need.</p>
      <ul className="entries">
        {sessions.map(({ id, current, deviceId, device, browser, address, how, signedInAt, lastSeenAt }) => (
          <li key={id}>
            <div>
              <h3>
                <bdi>{device}</bdi> {current && <span className="badge good">This device</span>}
              </h3>
              <p className="hint">
                {device !== browser && `${browser}. `}From {networkInWords(address)}. Last used{" "}
                <Ago at={new Date(lastSeenAt)} />, signed in with a {how} <Moment at={signedInAt} />.
              </p>
              {trusted && <Rename key={device} id={deviceId} name={device} {...section.renaming("device", deviceId)} />}
            </div>
            {!current && (
              <button
                type="button"
                data-change
                id={endButtonId(id)}
                aria-label={`End the session of ${device}, signed in ${signedInAt}`}
                disabled={section.busy}
                onClick={() => section.onEnd({ kind: "session", id, done: `The session of ${device} has ended.` })}
              >
                End
              </button>
            )}
          </li>
        ))}
      </ul>
      <SignOutEverywhere />
    </SettingsCard>
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
      <Button data-change className="danger" onPress={() => setAsking(true)}>
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
