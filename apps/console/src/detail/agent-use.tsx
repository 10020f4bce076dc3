import type { ContentField } from "@platform-rpc/items/item-content";
import { type UseAs, useAsName, usesOf } from "@platform-rpc/items/item-use";

interface AgentUseProps {
  readonly kind: string;
  readonly fields: readonly ContentField[];
}

/** Says where and how agents can use an item. An item that they cannot use says so only if somebody has decided that. */
export function AgentUse({ kind, fields }: AgentUseProps) {
  const use = usesOf(kind, { fields });
  if (use === undefined) {
    return fields.some(({ name }) => name === useAsName) && <p className="hint">Agents cannot use it.</p>;
  }
  return (
    <p className="hint">
      Agents that you allow may use it at {hosts.format(use.hosts)} {inWords(use.useAs)}. They do not see it.
    </p>
  );
}

const hosts = new Intl.ListFormat("en", { type: "disjunction" });

function inWords(useAs: UseAs): string {
  switch (useAs.type) {
    case "bearer":
      return "as a Bearer token";
    case "basic":
      return "as user name and password";
    case "header":
      return `in the header ${useAs.name}`;
    case "query":
      return `in the query parameter ${useAs.name}`;
    default:
      return "in place of {{…}} in their requests";
  }
}
