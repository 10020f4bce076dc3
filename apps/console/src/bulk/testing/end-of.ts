interface Run {
  snapshot(): { readonly state: string };
  subscribe(listener: () => void): unknown;
}

export function endOf(run: Run): Promise<void> {
  return new Promise((resolve) => {
    const check = () => run.snapshot().state === "ended" && resolve();
    run.subscribe(check);
    check();
  });
}
