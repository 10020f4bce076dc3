import { brandName } from "@platform-rpc/accounts/pages/brand";
import { useEffect } from "react";

export function useTitle(name: string): void {
  useEffect(() => {
    const before = document.title;
    document.title = `${name} · ${brandName}`;
    return () => {
      document.title = before;
    };
  }, [name]);
}
