import { Sheet } from "../elements/sheet.js";

interface LargeTypeProps {
  readonly label: string;
  readonly value: string;
  readonly onClose: () => void;
}

/** Characters that are not seen. */
const names: Partial<Record<string, string>> = { " ": "space", "\t": "tab", "\n": "new line", "\r": "return" };

/** A secret in large letters, numbered, for reading it aloud or typing it elsewhere. */
export function LargeType({ label, value, onClose }: LargeTypeProps) {
  return (
    <Sheet title={label} onClose={onClose}>
      <ol className="large-type" dir="ltr">
        {Array.from(value, (character, index) => ({ place: index + 1, character })).map(({ place, character }) => (
          <li key={place}>{names[character] ?? character}</li>
        ))}
      </ol>
    </Sheet>
  );
}
