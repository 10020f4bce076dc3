import { BlockList, isIPv6, type Socket } from "node:net";
import type { ConnectionLimits } from "./limits.js";
import { networkOf } from "./network.js";

/** How long a connection must be idle before it makes room for another, in milliseconds. */
const idleMs = 1_000;
/** How many addresses are searched for a connection that makes room. */
const searchedNetworks = 16;

/** The connections of one address. Each is in one of its lists. */
interface Network {
  readonly key: string;
  count: number;
  /** Connections that have been served and have no request in flight. The first has been idle longest. */
  readonly idle: Place;
  /** Connections without a complete request head yet. The last is the newest. */
  readonly fresh: Place;
  /** Connections with a request in flight, whose body may not be complete. The last is the newest. */
  readonly busy: Place;
  /** Connections that were used since room was last needed: a connection is sorted into the lists above only then. */
  readonly used: Place;
}

/** A request, as far as places are concerned: whether all of it has arrived. */
export interface Arriving {
  readonly complete: boolean;
}

/**
 * The place of one connection among the limited number of a listener: an element of a circular list, whose head is a place without
 * a socket. A Set would create garbage with every request.
 */
export class Place {
  /** When its request began, or when it became idle, by the monotonic clock. */
  since = 0;
  isReleased = false;
  isUsed = false;
  /** The request in flight. Undefined for an idle connection, which retains none. */
  request: Arriving | undefined;
  readonly socket: Socket | undefined;
  readonly network: Network | undefined;
  #before: Place = this;
  #after: Place = this;

  constructor(socket: Socket | undefined, network: Network | undefined) {
    this.socket = socket;
    this.network = network;
  }

  get first(): Place {
    return this.#after;
  }

  get last(): Place {
    return this.#before;
  }

  /** Returns the newest connection of this list whose request has not arrived completely. */
  newestIncomplete(): Place | undefined {
    for (let place = this.#before; place !== this; place = place.#before) {
      if (place.request?.complete === false) return place;
    }
    return undefined;
  }

  *[Symbol.iterator](): Generator<Place> {
    for (let place = this.#after; place !== this; place = place.#after) yield place;
  }

  moveToEndOf(head: Place): void {
    this.leaveList();
    this.#before = head.#before;
    this.#after = head;
    head.#before.#after = this;
    head.#before = this;
  }

  leaveList(): void {
    this.#before.#after = this.#after;
    this.#after.#before = this.#before;
    this.#before = this;
    this.#after = this;
  }
}

/**
 * Creates the places of a listener's connections. When all are taken, a new connection takes the place of another one at the address
 * with the most connections, so that one address cannot lock others out:
 * - the one that has been idle longest, for a second at least,
 * - otherwise the newest one that has not sent a complete request, headers and body.
 *
 * It never takes a place of an address with fewer connections than its own has. The addresses of trusted proxies, which stand for many
 * callers, neither have a limit nor make room.
 *
 * @throws TypeError when an element of `trustedProxies` is not an address or a range such as `10.0.0.0/8`.
 */
export function createPlaces(limits: Pick<ConnectionLimits, "connections" | "connectionsPerAddress">, trust: Trust) {
  const places = new Map<Socket, Place>();
  const networks = new Map<string, Network>();
  /** The addresses by the number of their connections. */
  const byCount: Set<Network>[] = [];
  const isTrusted = trust === "all" ? () => true : trustedAddresses(trust);

  function recount(network: Network, count: number): void {
    byCount[network.count]?.delete(network);
    while (byCount.length > 0 && byCount.at(-1)?.size === 0) byCount.pop();
    network.count = count;
    if (count === 0) {
      networks.delete(network.key);
      return;
    }
    while (byCount.length <= count) byCount.push(new Set());
    byCount[count]?.add(network);
  }

  /** Returns some of the addresses with at least this many connections, the one with the most first. */
  function mostCrowded(least: number): Network[] {
    const crowded: Network[] = [];
    for (let count = byCount.length - 1; count >= least && crowded.length < searchedNetworks; count -= 1) {
      for (const network of byCount[count] ?? []) if (crowded.push(network) === searchedNetworks) break;
    }
    return crowded;
  }

  function sort({ used, idle, busy }: Network): void {
    for (const place of [...used].sort((a, b) => a.since - b.since)) {
      place.isUsed = false;
      place.moveToEndOf(place.request === undefined ? idle : busy);
    }
  }

  function makeRoom(newcomer: Network | undefined): boolean {
    const idleBefore = performance.now() - idleMs;
    for (const network of mostCrowded(Math.max(1, newcomer?.count ?? 0))) {
      sort(network);
      const { idle, fresh, busy } = network;
      const isIdle = idle.first.socket !== undefined && idle.first.since <= idleBefore;
      const socket = isIdle ? idle.first.socket : (fresh.last.socket ?? busy.newestIncomplete()?.socket);
      if (socket === undefined) continue;
      release(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  function networkAt(address: string): Network {
    const key = networkOf(address);
    const network = networks.get(key) ?? {
      key,
      count: 0,
      idle: new Place(undefined, undefined),
      fresh: new Place(undefined, undefined),
      busy: new Place(undefined, undefined),
      used: new Place(undefined, undefined),
    };
    networks.set(key, network);
    return network;
  }

  function release(socket: Socket): void {
    const place = places.get(socket);
    if (place === undefined) return;
    places.delete(socket);
    place.isReleased = true;
    place.leaveList();
    if (place.network !== undefined) recount(place.network, place.network.count - 1);
  }

  return {
    /** Gives a place to a connection. Returns undefined when there is none, or when its address has as many as it may have. */
    take(socket: Socket): Place | undefined {
      const address = socket.remoteAddress;
      // Without an address, the caller has already disconnected.
      const network = address === undefined || isTrusted(address) ? undefined : networkAt(address);
      const isOver = network !== undefined && network.count >= limits.connectionsPerAddress;
      if (isOver || (places.size >= limits.connections && !makeRoom(network))) {
        if (network?.count === 0) networks.delete(network.key);
        return undefined;
      }
      const place = new Place(socket, network);
      places.set(socket, place);
      if (network !== undefined) {
        // It was forgotten if its last connection has just made room.
        networks.set(network.key, network);
        recount(network, network.count + 1);
        place.moveToEndOf(network.fresh);
      }
      return place;
    },
    /** Frees the place of a connection that has closed. */
    release,
    /** Notes the request that is in flight on a connection since a time, or that none is. Cheap, because every request calls it twice. */
    use(place: Place, request: Arriving | undefined, since: number): void {
      if (place.network === undefined || place.isReleased) return;
      place.request = request;
      place.since = since;
      if (place.isUsed) return;
      place.isUsed = true;
      place.moveToEndOf(place.network.used);
    },
    sockets: (): Iterable<Socket> => places.keys(),
  };
}

export type Places = ReturnType<typeof createPlaces>;

/** The addresses of proxies: a list of addresses and ranges, or all addresses, when only a proxy can reach the listener. */
export type Trust = readonly string[] | "all";

function trustedAddresses(list: readonly string[]): (address: string) => boolean {
  if (list.length === 0) return () => false;
  const trusted = new BlockList();
  for (const entry of list) {
    const [address = "", bits] = entry.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  return (address) => trusted.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}
