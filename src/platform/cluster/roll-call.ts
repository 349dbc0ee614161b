/**
 * Has every process of the cluster count its clicks, and tells when all have. Calls and answers travel by the change
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
const [ASKED, DONE] = ["asked ", "done "];

export type RollCall = ReturnType<typeof createRollCall>;

export function createRollCall({ changes, processes, logger, boundMs = BOUND_MS }: Deps) {
  /** Numbers of the processes that have answered, by call. */
  const answers = new Map<string, Set<string>>();
  changes.subscribe("clicks", (keys) => {
    for (const key of keys) {
      const [call = "", number = ""] = key.startsWith(DONE) ? key.slice(DONE.length).split(" ") : [];
      answers.get(call)?.add(number);
    }
  });
  const tell = (keys: readonly string[]) =>
    changes.write(async ({ changed }) => {
      changed("clicks", keys);
    });

  async function answer(calls: readonly string[], work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      const number = await processes.number();
      await tell(calls.map((call) => `${DONE}${call} ${number}`));
    } catch (err) {
      logger.warn({ err }, "clicks that another process asked for could not be counted");
    }
  }

  return {
    /** The work of this process. */
    answerBy(work: () => Promise<unknown>): void {
      changes.subscribe("clicks", (keys) => {
        const calls = keys.filter((key) => key.startsWith(ASKED)).map((key) => key.slice(ASKED.length));
        if (calls.length > 0) void answer(calls, work);
      });
    },

    /** Returns how many processes have not answered in time; 0: all have. Rejects while the database is away. */
    async call(): Promise<number> {
      const call = crypto.randomUUID();
      const answered = new Set<string>();
      answers.set(call, answered);
      try {
        // The first reading of a command only finds the end of the feed.
        await changes.poll();
        await tell([ASKED + call]);
        for (const end = performance.now() + boundMs; ; await Bun.sleep(LOOK_MS)) {
          await changes.poll();
          const { running } = await processes.look();
          const missing = running.difference(answered).size;
          if (missing === 0 || performance.now() > end) return missing;
        }
      } finally {
        answers.delete(call);
      }
    },
  };
}
