import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ItemRow } from "./item-rows.js";
import { stateOf } from "./shredding.js";
import { stateInWords } from "./state-words.js";

const time = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });

/** The fields of an item, or why they cannot be shown. */
export function ItemContent({
  row,
  retentionDays,
}: {
  readonly row: ItemRow;
  readonly retentionDays: number | undefined;
}) {
  const { item, content } = row;
  const state = stateInWords(stateOf(item, retentionDays));
  return (
    <>
      <p className="hint">
        {item.kind}, version {item.version}
        {item.updatedAt && `, changed ${time.format(timestampDate(item.updatedAt))}`}
        {state && `. ${state}`}
      </p>
      {content?.closed !== undefined && <p className="notice">{content.closed}</p>}
      <dl>
        {content?.fields?.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
