import { Component, type ComponentType, type FunctionComponent, type ReactNode, Suspense, use } from "react";
import { reloadIfUpdated } from "../session/page-version.js";
import { ErrorMessage } from "./error-message.js";
import { idle } from "./idle.js";

/** Thrown while a part renders whose script could not be loaded: the network is away, or the server has another version now. */
class PartNotLoadedError extends Error {
  override readonly name = "PartNotLoadedError";

  constructor(options: ErrorOptions) {
    super("This part of the page could not be loaded. Check your network, and try again.", options);
  }
}

interface Part {
  /** Loads the script, once. */
  readonly load: () => Promise<unknown>;
  /** Lets `load` try again if it failed. */
  readonly forgetFailure: () => void;
}

const parts: Part[] = [];

/**
 * Returns a component whose script is loaded when it is first shown, or while the browser is idle. Unlike `React.lazy`, it can be tried
 * again after a failure.
 */
export function lazyPart<Props extends object>(
  importComponent: () => Promise<ComponentType<Props>>,
): FunctionComponent<Props> {
  let loading: ReturnType<typeof importAll> | undefined;
  let failed = false;
  // The library of queries is loaded with the first part, and not with the page.
  const importAll = () => Promise.all([importComponent(), import("./queries.js")]);
  const load = () => {
    loading ??= importAll().catch((cause: unknown) => {
      failed = true;
      throw new PartNotLoadedError({ cause });
    });
    return loading;
  };
  const forgetFailure = () => {
    if (failed) loading = undefined;
    failed = false;
  };
  parts.push({ load, forgetFailure });
  return function LazyPart(props: Props) {
    const [Loaded, { Queries }] = use(load());
    return (
      <Queries>
        <Loaded {...props} />
      </Queries>
    );
  };
}

/** Loads all parts, one after the other, while the browser has nothing else to do: then they are there when the network is not. */
export async function loadPartsWhileIdle(): Promise<void> {
  for (const { load, forgetFailure } of parts) {
    await idle();
    // It is tried again when it is shown.
    await load().catch(forgetFailure);
  }
}

interface PartBoundaryProps {
  readonly children: ReactNode;
  /** What is shown while the part loads. Default: nothing. */
  readonly fallback?: ReactNode;
  /** The heading of the page, if the part is the whole page. */
  readonly heading?: string;
  /** Closes what failed, such as a dialog. Undefined: it cannot be closed. */
  readonly onClose?: () => void;
}

interface State {
  readonly error: unknown;
}

/** Shows an error in place of the part of the page that failed to load or to render, and offers to try again. Everything else stays as it is. */
export class PartBoundary extends Component<PartBoundaryProps, State> {
  override readonly state: State = { error: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override componentDidCatch(error: unknown): void {
    if (error instanceof PartNotLoadedError) void reloadIfUpdated();
  }

  #reset = () => {
    // Every part that failed to load is loaded again when it is next shown.
    for (const { forgetFailure } of parts) forgetFailure();
    this.setState({ error: undefined });
  };

  override render(): ReactNode {
    const { children, fallback, heading, onClose } = this.props;
    const { error } = this.state;
    if (error === undefined) return <Suspense fallback={fallback}>{children}</Suspense>;
    return (
      <>
        {heading && <h1>{heading}</h1>}
        <ErrorMessage error={error} />
        <div className="actions">
          <button type="button" onClick={this.#reset}>
            Try again
          </button>
          {onClose && (
            <button
              type="button"
              onClick={() => {
                this.#reset();
                onClose();
              }}
            >
              Close
            </button>
          )}
        </div>
      </>
    );
  }
}
