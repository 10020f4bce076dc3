import { findingInWords } from "@platform-rpc/items/vault/memory";
import type { Content } from "../opening/open-content.js";

/** Says why a person should not rely on an item as the server has sent it. */
export function Doubts({ content }: { readonly content: Content | undefined }) {
  return (
    <>
      {content?.finding !== undefined && <p className="notice">{findingInWords(content.finding)}</p>}
      {content?.isUnverified && (
        <p className="notice">
          Not verified: you have not signed this item. Another program wrote it, or it is older than the key of the
          vault. If you do not expect that, do not rely on it: somebody may have forged it.
        </p>
      )}
    </>
  );
}
