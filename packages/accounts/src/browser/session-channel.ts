const name = "platform-accounts: session";

/** What the pages of this browser tell each other: that the session may have ended, or that the browser is locked. */
type Message = "check" | "lock";

function send(message: Message): void {
  const channel = new BroadcastChannel(name);
  channel.postMessage(message);
  channel.close();
}

/** Tells the other pages of this browser that the session may have ended. */
export function reportSessionMaybeEnded(): void {
  send("check");
}

/** Tells the other pages of this browser that it is locked. */
export function reportLocked(): void {
  send("lock");
}

/** Calls a function when another page of this browser reports something. */
export function onReport(report: { readonly check: () => void; readonly lock: () => void }): void {
  new BroadcastChannel(name).onmessage = ({ data }: MessageEvent<Message>) => report[data]();
}
