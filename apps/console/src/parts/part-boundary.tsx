import { Component, type ReactNode } from "react";
import { reloadIfUpdated } from "../session/page-version.js";
import { ErrorMessage } from "./error-message.js";
import { forgetFailures, PartNotLoadedError } from "./lazy-part.js";

interface PartBoundaryProps {
  readonly children: ReactNode;
  /** The heading of the page, if the part is the whole page. */
  readonly heading?: string;
  /** Closes what failed, such as a dialog. Undefined: it cannot be closed. */
  readonly onClose?: () => void;
}

interface State {
  readonly error: unknown;
}

/** Shows an error in place of the part of the page that failed, and offers to try again. Everything else stays as it is. */
export class PartBoundary extends Component<PartBoundaryProps, State> {
  override readonly state: State = { error: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override componentDidCatch(error: unknown): void {
    if (error instanceof PartNotLoadedError) void reloadIfUpdated();
  }

  #reset = () => {
    forgetFailures();
    this.setState({ error: undefined });
  };

  override render(): ReactNode {
    const { children, heading, onClose } = this.props;
    const { error } = this.state;
    if (error === undefined) return children;
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
