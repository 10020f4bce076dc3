import type {
  DescMessage,
  DescMethod,
  DescMethodUnary,
  DescService,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import {
  type ConnectRouter,
  createMethodImplSpec,
  createServiceImplSpec,
  type HandlerContext,
  type MethodImpl,
  type MethodImplSpec,
  type ServiceImpl,
} from "@connectrpc/connect";
import { type Operation, readOperation } from "../contract/operation.js";

/**
 * Registers implementations, as the `routes` option of `connectNodeAdapter` and other Connect adapters does.
 *
 * @example
 * ```ts
 * import { createFetchHandler, type Routes } from "@platform-rpc/server";
 *
 * const routes: Routes = (router) => platform.routes(router);
 * const handle = createFetchHandler({ admit: platform.admit, routes }, { logger });
 * const url = "https://api.example/platform.v1.VaultService/DeleteItem";
 * console.log((await handle(new Request(url, { method: "GET" }))).status);
 * // 405
 * ```
 */
export type Routes = (router: ConnectRouter) => void;

export interface Route {
  readonly operation: Operation;
  readonly method: DescMethodUnary;
  readonly implementation: (
    request: MessageShape<DescMessage>,
    context: HandlerContext,
  ) => Promise<MessageInitShape<DescMessage>> | MessageInitShape<DescMessage>;
}

/**
 * Collects the routes that `routes` registers, by path.
 *
 * @throws TypeError when an operation streams, or when its options in the contract are incomplete.
 */
export function collectRoutes(routes: Routes): ReadonlyMap<string, Route> {
  const collected = new Map<string, Route>();
  const add = (spec: MethodImplSpec) => {
    const operation = readOperation(spec.method);
    if (spec.kind !== "unary") throw new TypeError(`${operation.operation} streams; only unary operations are served`);
    collected.set(`/${operation.operation}`, { operation, method: spec.method, implementation: spec.impl });
  };
  const router: ConnectRouter = {
    handlers: [],
    service<T extends DescService>(service: T, implementation: Partial<ServiceImpl<T>>) {
      for (const spec of Object.values(createServiceImplSpec(service, implementation).methods)) add(spec);
      return router;
    },
    rpc<M extends DescMethod>(method: M, implementation: MethodImpl<M>) {
      add(createMethodImplSpec(method, implementation));
      return router;
    },
  };
  routes(router);
  return collected;
}
