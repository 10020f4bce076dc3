/** How often the tab that works tells the others, in milliseconds, and after which silence another takes over. */
const everyMs = 500;
const longestSilenceMs = 1_200;

interface SharedWork<News> {
  /** Works until the signal is aborted. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** What the tab that works tells the others. */
  news(): News;
  /** What another tab tells, which works. */
  onNews(news: News): void;
  /** Another tab asks this one, which does the work, for news. */
  onAsked(): void;
}

/**
 * Does work in one tab of the browser. If it is closed, the browser gives its lock to the next one. If it is silent, because it is frozen or
 * too slow, a tab that the person sees takes the lock: the timers of hidden ones are slow, too.
 */
export function inOneTab<News>(name: string, { run, news, onNews, onAsked }: SharedWork<News>) {
  const channel = new BroadcastChannel(name);
  /** Ends what this tab does: it waits for the lock, or has it. */
  let turn: AbortController | undefined;
  let works = false;
  let heardAt = performance.now();

  const tell = () => {
    if (works) channel.postMessage({ news: news() });
  };

  const takeTurn = (steal: boolean): void => {
    turn?.abort();
    const mine = new AbortController();
    turn = mine;
    works = false;
    heardAt = performance.now();
    const work = async () => {
      if (mine.signal.aborted) return;
      works = true;
      tell();
      await run(mine.signal);
    };
    navigator.locks.request(name, steal ? { steal } : { signal: mine.signal }, work).catch(() => {
      // Another tab has taken the lock.
      if (turn === mine) takeTurn(false);
    });
  };

  channel.onmessage = ({ data }: MessageEvent<{ readonly news: News } | "ask">) => {
    if (data === "ask") {
      if (works) onAsked();
    } else {
      heardAt = performance.now();
      if (!works) onNews(data.news);
    }
  };
  const timer = setInterval(() => {
    if (works) tell();
    else if (document.visibilityState === "visible" && performance.now() - heardAt > longestSilenceMs) takeTurn(true);
  }, everyMs);
  takeTurn(false);
  return {
    /** Tells the other tabs the news at once, if this one works. */
    tell,
    ask: () => (works ? onAsked() : channel.postMessage("ask")),
    stop() {
      turn?.abort();
      turn = undefined;
      works = false;
      clearInterval(timer);
      channel.close();
    },
  };
}
