import { type UseAs, useAsName, useAsOf } from "@platform-rpc/items/item-use";

const ways: readonly (readonly [type: UseAs["type"], words: string])[] = [
  ["bearer", "Bearer token"],
  ["basic", "Basic (user name and password)"],
  ["header", "Header…"],
  ["query", "Query parameter…"],
  ["placeholders", "Placeholders"],
  ["none", "Never"],
];

interface UseAsEditorProps {
  readonly id: string;
  readonly kind: string;
  /** What the item says. Empty: the default of its kind. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Chooses how agents use an item. */
export function UseAsEditor({ id, kind, value, onChange }: UseAsEditorProps) {
  const { type: usual } = useAsOf(kind, { fields: [] });
  const [type = "", name = ""] = value.split(/ (.*)/s);
  const isKnown = type === "" || ways.some(([way]) => way === type);
  return (
    <>
      <select
        id={id}
        aria-describedby={`${id}-hint`}
        value={type}
        onChange={({ target }) => onChange(isNamed(target.value) ? `${target.value} ` : target.value)}
      >
        <option value="">Default: {ways.find(([way]) => way === usual)?.[1]}</option>
        {ways.map(([way, words]) => (
          <option key={way} value={way}>
            {words}
          </option>
        ))}
        {!isKnown && <option value={type}>Unknown: {value}</option>}
      </select>
      {isNamed(type) && (
        <input
          id={`${id}-name`}
          aria-label={type === "header" ? "Name of the header" : "Name of the query parameter"}
          placeholder={type === "header" ? "X-Api-Key" : "key"}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={name}
          onChange={({ target }) => onChange(`${type} ${target.value}`)}
        />
      )}
      <p className="hint" id={`${id}-hint`}>
        {type === "placeholders"
          ? "Agents write {{password}} in a request, for example. A website that publishes what it gets then publishes the password."
          : "How an agent that you allow uses this item, without seeing it."}
      </p>
    </>
  );
}

/** Returns whether the name of a header or query parameter is missing, or none that agents may set. */
export function lacksName(kind: string, value: string): boolean {
  const [type = ""] = value.split(" ");
  return isNamed(type) && useAsOf(kind, { fields: [{ name: useAsName, type: "text", value }] }).type === "none";
}

function isNamed(type: string): boolean {
  return type === "header" || type === "query";
}
