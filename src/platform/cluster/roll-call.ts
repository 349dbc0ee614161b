/**
 * Has every process of the cluster count its clicks, and reports when all have. Calls and replies travel by the change
 * feed, so commands and other nodes take part. The feed does not wait for the work.
 */
import type { Logger } from "../../lib/logger.ts";
import type { Changes } from "./changes.ts";
import type { Processes } from "./processes.ts";

type Deps = {
  changes: Pick<Changes, "subscribe" | "write" | "poll">;
  processes: Pick<Processes, "number" | "look">;
  logger: Logger;
  boundMs?: number;
};

const BOUND_MS = 10_000;
const LOOK_MS = 50;
const [REQUESTED, DONE] = ["asked ", "done "];

export type RollCall = ReturnType<typeof createRollCall>;

export function createRollCall({ changes, processes, logger, boundMs = BOUND_MS }: Deps) {
  /** Numbers of the processes that have replied, by call. */
  const responses = new Map<string, Set<string>>();
  changes.subscribe("clicks", (keys) => {
    for (const key of keys) {
      const [call = "", number = ""] = key.startsWith(DONE) ? key.slice(DONE.length).split(" ") : [];
      responses.get(call)?.add(number);
    }
  });
  const publish = (keys: readonly string[]) =>
    changes.write(async ({ changed }) => {
      changed("clicks", keys);
    });

  async function respond(calls: readonly string[], work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      const number = await processes.number();
      await publish(calls.map((call) => `${DONE}${call} ${number}`));
    } catch (err) {
      logger.warn({ err }, "clicks that another process asked for could not be counted");
    }
  }

  return {
    /** The work of this process. */
    respondBy(work: () => Promise<unknown>): void {
      changes.subscribe("clicks", (keys) => {
        const calls = keys
          .filter((key) => key.startsWith(REQUESTED))
          .map((key) => key.slice(REQUESTED.length));
        if (calls.length > 0) void respond(calls, work);
      });
    },

    /** Returns how many processes have not replied in time; 0: all have. Rejects while the database is away. */
    async call(): Promise<number> {
      const call = crypto.randomUUID();
      const responded = new Set<string>();
      responses.set(call, responded);
      try {
        // The first reading of a command only finds the end of the feed.
        await changes.poll();
        await publish([REQUESTED + call]);
        for (const end = performance.now() + boundMs; ; await Bun.sleep(LOOK_MS)) {
          await changes.poll();
          const { running } = await processes.look();
          const missing = running.difference(responded).size;
          if (missing === 0 || performance.now() > end) return missing;
        }
      } finally {
        responses.delete(call);
      }
    },
  };
}
