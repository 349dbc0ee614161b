/**
 * Bounds what strangers currently send into boxes, in this process: requests per box and sender, and bytes per box,
 * which never exceed its limit. What has come of unfinished resumable uploads is in rows (gate.ts).
 */
import type { Clock } from "../../lib/clock.ts";
import { createRateBuckets } from "../../lib/rate-buckets.ts";
import { dropRefusal } from "./drop.ts";

const MOST_OF_BOX = 400;
const MOST_OF_SENDER = 8;
/** An address at a box may send this many requests at once, then one each interval. */
const AT_ONCE = 300;
const INTERVAL_MS = 200;
const REMEMBERED = 10_000;

type Box = { requests: number; bytes: number; bySender: Map<string, number> };

export type InFlight = ReturnType<typeof createInFlight>;

export function createInFlight({ clock }: { clock: Clock }) {
  const boxes = new Map<number, Box>();
  const turns = createRateBuckets({
    clock,
    atOnce: AT_ONCE,
    intervalMs: INTERVAL_MS,
    generationSize: REMEMBERED,
  });

  return {
    /** For each request that sends something. @throws RateLimitExceeded */
    takeTurn(linkId: number, address: string): void {
      const waitMs = turns.tryNow(`${linkId} ${address}`);
      if (waitMs > 0) throw dropRefusal("rate", { retryAfterSeconds: Math.ceil(waitMs / 1000) });
    },

    /** Call `leave` once. @throws RateLimitExceeded */
    enter({ linkId, maxBytes }: { linkId: number; maxBytes: number }, sender: string) {
      const box = boxes.get(linkId) ?? { requests: 0, bytes: 0, bySender: new Map() };
      const own = box.bySender.get(sender) ?? 0;
      if (own >= MOST_OF_SENDER) throw dropRefusal("rate");
      if (box.requests >= MOST_OF_BOX) throw dropRefusal("busy");
      boxes.set(linkId, box);
      box.requests++;
      box.bySender.set(sender, own + 1);
      let held = 0;
      return {
        /** @throws RateLimitExceeded if others hold the rest */
        add(bytes: number): void {
          if (box.bytes + bytes > maxBytes) throw dropRefusal("busy");
          held += bytes;
          box.bytes += bytes;
        },
        leave(): void {
          box.requests--;
          box.bytes -= held;
          held = 0;
          const left = box.bySender.get(sender)! - 1;
          if (left > 0) box.bySender.set(sender, left);
          else box.bySender.delete(sender);
          if (box.requests === 0) boxes.delete(linkId);
        },
      };
    },
  };
}
