import { useEffect } from "react";

/** Names the page in the title of the window, while it is shown. */
export function useTitle(name: string): void {
  useEffect(() => {
    const before = document.title;
    document.title = `${name} · Platform`;
    return () => {
      document.title = before;
    };
  }, [name]);
}
