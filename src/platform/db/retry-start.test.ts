import { expect, test } from "bun:test";
import { appError } from "../../lib/errors.ts";
import { silentLogger as logger } from "../../lib/logger.ts";
import { DatabaseError } from "./failures.ts";
import { retryStart } from "./retry-start.ts";

const away = () => new DatabaseError("unavailable", new Error("connect ECONNREFUSED 127.0.0.1:1"));

/** Fails `times` times. */
function failing(times: number, error: () => Error) {
  const work = { tries: 0, run: async () => "done" };
  work.run = async () => {
    work.tries++;
    if (work.tries <= times) throw error();
    return "done";
  };
  return work;
}

test("a start waits for a database that comes up late", async () => {
  const work = failing(2, away);
  expect(await retryStart(work.run, { forMs: 60_000, logger })).toBe("done");
  expect(work.tries).toBe(3);
});

test("a timeout reports the reason and the time waited", async () => {
  const waiting = retryStart(failing(99, away).run, { forMs: 300, logger });
  await expect(waiting).rejects.toMatchObject({ kind: "unavailable" });
  await expect(waiting).rejects.toThrow(/waited 1 s; connect ECONNREFUSED 127.0.0.1:1.*database\.url/);
});

test("there is one attempt without a wait time, or if waiting can't help", async () => {
  const once = failing(99, away);
  await expect(retryStart(once.run, { forMs: 0, logger })).rejects.toThrow("ECONNREFUSED");
  const broken = failing(99, () => appError("ServiceUnavailable", "made by a newer version"));
  await expect(retryStart(broken.run, { forMs: 60_000, logger })).rejects.toThrow("newer version");
  const damaged = failing(99, () => new DatabaseError("damaged", new Error("malformed")));
  await expect(retryStart(damaged.run, { forMs: 60_000, logger })).rejects.toThrow("damaged");
  expect([once.tries, broken.tries, damaged.tries]).toEqual([1, 1, 1]);
});

test("a stop ends the wait", async () => {
  const stop = new AbortController();
  const waiting = retryStart(failing(99, away).run, { forMs: 60_000, logger, signal: stop.signal });
  stop.abort();
  await expect(waiting).rejects.toThrow("stopped during the wait");
});
