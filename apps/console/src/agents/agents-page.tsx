import "./agents.css";
import { useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { RecentActivity } from "../activity/recent.js";
import { ErrorMessage } from "../elements/error-message.js";
import { Link } from "../elements/link.js";
import { Moment, momentInWords } from "../elements/moment.js";
import { Sheet } from "../elements/sheet.js";
import { isTooOld, SignInAgain, useFocusBack } from "../elements/sign-in-again.js";
import { Unfold } from "../elements/unfold.js";
import { useTitle } from "../elements/use-title.js";
import { type Agent, useAgents } from "./agents.js";
import { AllowanceSentence } from "./allowance-sentence.js";
import { Certificates } from "./certificates.js";
import { ChangeLimits } from "./change-limits.js";
import { ConnectSheet } from "./connect-sheet.js";

/** What acts for the person: what each software may still do, and what they can give it or end. */
export function AgentsPage() {
  useTitle("Agents & apps");
  const { listed, agents, changing, ending } = useAgents();
  const [done, setDone] = useState("");
  const [limiting, setLimiting] = useState<Agent>();
  const [asking, setAsking] = useState<Agent>();
  const [connecting, setConnecting] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const loaded = agents !== undefined;
  useFocusBack(loaded);

  const limit = (agent: Agent) => {
    setDone("");
    changing.reset();
    setLimiting(agent);
  };
  const end = (agent: Agent) => {
    setDone("");
    setAsking(undefined);
    ending.mutate(agent, {
      onSuccess: () => setDone(`${agent.name} no longer has access. Its tokens do not work any more.`),
      // Below it, the page says what came of it. The button can be far from there, or gone.
      onSettled: () => heading.current?.focus(),
    });
  };
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        Agents &amp; apps
      </h1>
      <p>
        The software that acts for you, and what it may still do. Only you can change that, here. Each change is
        recorded in your <Link to="/activity">activity</Link>.
      </p>
      <Button onPress={() => setConnecting(true)}>Connect an agent</Button>
      {connecting && <ConnectSheet onClose={() => setConnecting(false)} />}
      <p role="status" className={done === "" ? "" : "notice good"}>
        {done}
      </p>
      <ErrorMessage error={[listed.error, ending.error].find((error) => error !== null && !isTooOld(error))} />
      {isTooOld(ending.error) && ending.variables && <SignInAgain focusId={`end-${ending.variables.id}`} />}
      {!loaded && listed.error === null && <p role="status">Loading…</p>}
      {agents?.length === 0 && (
        <p>
          None. Software asks for access with a code: connect an agent, for example. What you approve then appears here,
          and you can remove it at any time.
        </p>
      )}
      <ul className="cards">
        {agents?.map((agent) => (
          <Entry
            key={agent.id}
            agent={agent}
            now={listed.dataUpdatedAt}
            busy={ending.isPending}
            onLimit={() => limit(agent)}
            onEnd={() => setAsking(agent)}
          />
        ))}
      </ul>
      {loaded && agents.length > 0 && (
        <p className="hint">
          “Last used” is when software last signed in, renewed its token, or deleted or used an item. A call that
          changes nothing is not recorded: with the same token, it may have read for up to 15 minutes after that. The
          server records these times: your browser cannot check them.
        </p>
      )}
      <Certificates />
      {limiting && (
        <ChangeLimits
          opened={limiting}
          current={agents?.find(({ id }) => id === limiting.id)}
          changing={changing}
          onDone={() => {
            setLimiting(undefined);
            setDone(`What ${limiting.name} may do has changed.`);
          }}
          onClose={() => setLimiting(undefined)}
        />
      )}
      {asking && (
        <Sheet title={`Remove the access of ${asking.name}?`} onClose={() => setAsking(undefined)}>
          <p>
            Signed in <Moment at={asking.approvedAt} />. Within a second, its tokens are refused and it gets no others.
            This cannot be undone: to act for you again, it must ask you again.
          </p>
          <div className="actions">
            <Button className="quiet" onPress={() => setAsking(undefined)}>
              Cancel
            </Button>
            <Button className="primary danger" onPress={() => end(asking)}>
              Remove access
            </Button>
          </div>
        </Sheet>
      )}
    </>
  );
}

interface EntryProps {
  readonly agent: Agent;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly busy: boolean;
  readonly onLimit: () => void;
  readonly onEnd: () => void;
}

function Entry({ agent, now, busy, onLimit, onEnd }: EntryProps) {
  const { id, name, oauthClientId, device, deviceKeyId, scopes, renewable, bounds, approvedAt, lastUsedAt, endsAt } =
    agent;
  const which = `${name}, signed in ${momentInWords(approvedAt)}`;
  return (
    <li className="card">
      <div>
        <h2>{name}</h2>
        <p className="allowance">
          <AllowanceSentence agent={agent} now={now} />
        </p>
        <p className="hint">
          Signed in {device !== undefined && `from ${device}, `}
          <Moment at={approvedAt} />. Last used <Moment at={lastUsedAt} />.
        </p>
        {bounds === undefined && !renewable && (
          <p className="hint">
            It has one token, whose limits cannot be changed. You can remove its access before the token ends.
          </p>
        )}
        <Unfold summary={`What ${name} did`}>
          <RecentActivity of={{ software: oauthClientId }} />
        </Unfold>
        <details>
          <summary>Details</summary>
          <ul className="scopes">
            {scopes.map(({ scope, words }) => (
              <li key={scope}>
                {words} <code>{scope}</code>
              </li>
            ))}
          </ul>
          <p className="hint">
            Client <code>{oauthClientId}</code>.{" "}
            {deviceKeyId === undefined ? (
              "Any device that has its tokens can use them: they are bound to no key. "
            ) : (
              <>
                Only the device with the key <code>{deviceKeyId}</code> can renew its tokens.{" "}
              </>
            )}
            {renewable ? "It renews its tokens until" : "Its tokens cannot be renewed, and end"} <Moment at={endsAt} />.
          </p>
        </details>
      </div>
      <div className="actions">
        {(bounds !== undefined || renewable) && bounds?.actions?.length !== 0 && (
          <button
            type="button"
            id={`limits-${id}`}
            aria-label={`Change limits of ${which}`}
            disabled={busy}
            onClick={onLimit}
          >
            Change limits
          </button>
        )}
        <button
          type="button"
          className="danger"
          id={`end-${id}`}
          aria-label={`Remove access of ${which}`}
          disabled={busy}
          onClick={onEnd}
        >
          Remove access
        </button>
      </div>
    </li>
  );
}
