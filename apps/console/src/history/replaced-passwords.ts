import type { Content } from "../opening/open-content.js";
import type { Earlier } from "./earlier-contents.js";

export interface ReplacedPassword {
  readonly value: string;
  readonly replacedAt: Date;
}

/** Returns the passwords that were replaced, the newest first, without those of contents that are not verified. @param now the content of today */
export function replacedPasswords(
  earlier: readonly Earlier[],
  now: Pick<Content, "fields"> | undefined,
): readonly ReplacedPassword[] {
  let newer = passwordIn(now);
  return earlier.flatMap(({ replacedAt, content }) => {
    const value = content.isUnverified ? undefined : passwordIn(content);
    if (value === undefined || value === newer) return [];
    newer = value;
    return [{ value, replacedAt }];
  });
}

function passwordIn(content: Pick<Content, "fields"> | undefined): string | undefined {
  return content?.fields?.find(({ name, value }) => name === "password" && value !== "")?.value;
}
