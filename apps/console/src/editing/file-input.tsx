import { encodeBase64url } from "@platform-rpc/accounts/keys/bytes";
import type { ContentField } from "@platform-rpc/items/item-content";
import { useState } from "react";

/** In bytes: as text, a file takes a third more, and the whole item has at most 36 kB. */
const largestFile = 26_000;

interface FileInputProps {
  readonly id: string;
  readonly label: string;
  readonly fileName: string | undefined;
  readonly onChange: (changes: Partial<ContentField>) => void;
}

/** Takes a small file into an item. A larger one is refused before it is read. */
export function FileInput({ id, label, fileName, onChange }: FileInputProps) {
  const [problem, setProblem] = useState<string>();
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    const tooLarge = file.size > largestFile;
    setProblem(
      tooLarge
        ? `This file has ${Math.ceil(file.size / 1000)} kB. An item can contain a file of at most ${largestFile / 1000} kB.`
        : undefined,
    );
    if (tooLarge) return;
    const bytes = new Uint8Array(await file.arrayBuffer());
    onChange({ value: encodeBase64url(bytes), fileName: file.name });
  };
  return (
    <>
      <input
        type="file"
        id={id}
        aria-label={label}
        aria-describedby={`${id}-hint ${id}-error`}
        onChange={({ target }) => void take(target.files?.[0])}
      />
      <p className="hint" id={`${id}-hint`}>
        {fileName === undefined ? `At most ${largestFile / 1000} kB.` : `Contains ${fileName}.`}
      </p>
      <p className="error field-error" id={`${id}-error`} role="alert">
        {problem}
      </p>
    </>
  );
}
