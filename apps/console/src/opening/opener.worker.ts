import { type ItemsToOpen, openItems } from "./open-items.js";

// A thread of its own: the page stays responsive while 10,000 titles are decrypted.
addEventListener("message", ({ data }: MessageEvent<ItemsToOpen>) => {
  void openItems(data).then((opened) => postMessage(opened));
});
