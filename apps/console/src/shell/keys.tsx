import { Suspense, useEffect, useState } from "react";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";
import { useShortcuts } from "../keyboard/shortcuts.js";

const HelpSheet = lazyPart(async () => (await import("../keyboard/help-sheet.js")).HelpSheet);
const CommandPalette = lazyPart(async () => (await import("./command-palette.js")).CommandPalette);

/** The keys that work on every page: the help, and the palette of everything. */
export function Keys() {
  const [open, setOpen] = useState<"help" | "palette">();
  const close = () => setOpen(undefined);
  useShortcuts({ "?": () => setOpen("help") });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || event.altKey || event.shiftKey || !(event.ctrlKey || event.metaKey))
        return;
      event.preventDefault();
      if (document.querySelector("[role=dialog]") === null) setOpen("palette");
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <PartBoundary onClose={close}>
      <Suspense>
        {open === "help" && <HelpSheet onClose={close} />}
        {open === "palette" && <CommandPalette onClose={close} />}
      </Suspense>
    </PartBoundary>
  );
}
