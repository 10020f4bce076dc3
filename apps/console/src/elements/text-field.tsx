import type { ComponentProps } from "react";

interface TextFieldProps extends Pick<ComponentProps<"input">, "maxLength" | "autoComplete" | "list"> {
  readonly id: string;
  readonly label: string;
  /** What the field is for, if its label does not say that. */
  readonly hint?: string;
  readonly error?: string | undefined;
  /** A code, which is neither a word nor written in one direction. Default: words of a person. */
  readonly code?: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function TextField({ id, label, hint, error, code = false, value, onChange, ...input }: TextFieldProps) {
  const kind = code ? ({ autoCapitalize: "characters", spellCheck: false } as const) : ({ dir: "auto" } as const);
  return (
    <>
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <input
        id={id}
        type="text"
        autoComplete="off"
        {...kind}
        {...input}
        value={value}
        aria-describedby={`${hint === undefined ? "" : `${id}-hint `}${id}-error`}
        aria-invalid={error === undefined ? undefined : true}
        onChange={({ target }) => onChange(target.value)}
      />
      <p className="error field-error" id={`${id}-error`} role="alert">
        {error}
      </p>
    </>
  );
}
