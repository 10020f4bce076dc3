import sprite from "./icons.svg?url";

export type IconName =
  | "login"
  | "secure_note"
  | "card"
  | "identity"
  | "ssh_key"
  | "api_key"
  | "file"
  | "other"
  | "trash"
  | "vault"
  | "agents"
  | "activity"
  | "security"
  | "items"
  | "menu"
  | "plus"
  | "more"
  | "down"
  | "back"
  | "person"
  | "warning"
  | "star"
  | "import"
  | "device"
  | "lock"
  | "show"
  | "hide"
  | "large"
  | "open"
  | "copy"
  | "done"
  | "qr";

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" aria-hidden="true">
      <use href={`${sprite}#${name}`} />
    </svg>
  );
}
