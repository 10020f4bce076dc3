import { randomFillSync } from "node:crypto";
import type { Clock } from "../ports/clock.js";

const randomBytesOfId = 10;
const idsInPool = 512;
const lastCount = 0xfff;

/**
 * Creates a generator of UUIDv7s. Each is greater than the one before, also within a millisecond and when the clock steps
 * back.
 *
 * `rand_a` is a counter (RFC 9562 section 6.2, method 1). It is seeded at random in each millisecond with its highest bit
 * clear, so that at least 2048 ids fit. When it overflows, the timestamp runs ahead of the clock by a millisecond. Random
 * bytes come from a pool, because a system call for each id would cost more than everything else.
 *
 * @see RFC 9562 section 5.7
 */
export function createUuidV7({ clock }: { readonly clock: Clock }): () => string {
  const pool = Buffer.alloc(idsInPool * randomBytesOfId);
  const id = Buffer.alloc(16);
  let drawn = pool.length;
  let timestamp = 0;
  let count = 0;

  return () => {
    if (drawn === pool.length) {
      randomFillSync(pool);
      drawn = 0;
    }
    pool.copy(id, 6, drawn, drawn + randomBytesOfId);
    drawn += randomBytesOfId;

    const now = clock.now();
    count += 1;
    if (now > timestamp || count > lastCount) {
      timestamp = Math.max(now, timestamp + 1);
      count = id.readUInt16BE(6) & (lastCount >> 1);
    }
    id.writeUIntBE(timestamp, 0, 6);
    id.writeUInt16BE(0x7000 | count, 6);
    id.writeUInt8(0x80 | (id.readUInt8(8) & 0x3f), 8);

    const hex = id.toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  };
}
