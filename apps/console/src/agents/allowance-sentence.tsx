import { momentInWords } from "../elements/moment.js";
import { useVaultNames } from "../vaults/vault-names.js";
import type { Agent } from "./agents.js";
import { allowanceInWords } from "./allowance.js";

interface AllowanceSentenceProps {
  readonly agent: Agent;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What software may still do, such as `Can read items in Personal, until Friday.` */
export function AllowanceSentence({ agent, now }: AllowanceSentenceProps) {
  const nameOf = useVaultNames();
  return allowanceInWords(agent, now).map(({ text, names }) => {
    if (names === "vault") return <em key={text}>{nameOf(text)}</em>;
    if (names === undefined) return text;
    return (
      <time key={names} dateTime={agent.endsAt} title={momentInWords(agent.endsAt)}>
        {text}
      </time>
    );
  });
}
