const name = "platform-accounts: session";

/** Tells the other pages of this browser that the session may have ended. */
export function reportSessionMaybeEnded(): void {
  const channel = new BroadcastChannel(name);
  channel.postMessage("check");
  channel.close();
}

/** Calls a function when another page of this browser reports that the session may have ended. */
export function onSessionMaybeEnded(check: () => void): void {
  new BroadcastChannel(name).onmessage = check;
}
