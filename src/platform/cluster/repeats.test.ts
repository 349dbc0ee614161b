import { beforeAll, beforeEach, expect, test } from "bun:test";
import type { Database } from "../db/database.ts";
import { forEachDialect } from "../db/for-each-dialect.test-support.ts";
import { AppError } from "../../lib/errors.ts";
import { createRepeats } from "./repeats.ts";

const KEY = "8e03978e-40d5-43dd-bc93-6894a57f9324";
const REQUEST = { accountId: 1, key: KEY, fingerprint: "POST /links {}" };
const MINUTE = 60_000;

forEachDialect((dialect) => {
  let database: Database;
  const clock = { time: 0, now: () => clock.time };
  let nodes: ReturnType<typeof createRepeats>[];

  beforeAll(async () => {
    database = await dialect.openDb({ threads: true });
    nodes = [createRepeats({ database, clock }), createRepeats({ database, clock })];
  });
  beforeEach(async () => {
    clock.time = Date.parse("2026-11-20T13:00:00Z");
    await database.write.deleteFrom("repeats").execute();
  });

  const ask = (more: Partial<typeof REQUEST> = {}) => nodes[0]!.claim({ ...REQUEST, ...more });
  async function claimed(more: Partial<typeof REQUEST> = {}) {
    const claim = await ask(more);
    if ("kept" in claim) throw new Error("the answer is kept already");
    return claim;
  }
  const refusal = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    return error instanceof AppError ? [error.name, error.details?.["retryAfterSeconds"]] : error;
  };
  const CARRIED_OUT = ["Conflict", undefined];
  const RUNNING = ["Conflict", 5];

  test("of two at once on two nodes one is carried out, and repetitions have its response for a day", async () => {
    const claims = await Promise.allSettled(nodes.map((node) => node.claim(REQUEST)));
    expect(claims.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const first = claims.find(({ status }) => status === "fulfilled") as PromiseFulfilledResult<Claim>;
    await first.value.keep("the secret answer");
    expect(await nodes[1]!.claim(REQUEST)).toEqual({ kept: "the secret answer" });
    const [row] = await database.read.selectFrom("repeats").selectAll().execute();
    expect(JSON.stringify(row)).not.toMatch(/secret|8e03978e|POST/);
    clock.time += 24 * 60 * MINUTE;
    await claimed();
    expect(await refusal(ask())).toEqual(RUNNING);
  });
  type Claim = Awaited<ReturnType<typeof claimed>>;

  test("another request with the key is refused, another account has its own", async () => {
    await (await claimed()).keep("a");
    expect(await refusal(ask({ fingerprint: "POST /links {other}" }))).toEqual([
      "IdempotencyKeyReused",
      undefined,
    ]);
    await claimed({ accountId: 2 });
    await (await claimed({ key: KEY.toUpperCase() })).release();
    await claimed({ key: KEY.toUpperCase() });
  });

  test("a claim without work ends after a minute, and its late work is undone", async () => {
    const lost = await claimed();
    expect(await refusal(ask())).toEqual(RUNNING);
    clock.time += MINUTE;
    const next = await claimed();
    expect(await refusal(database.transaction((tx) => lost.confirm(tx)))).toEqual(CARRIED_OUT);
    await lost.keep("late");
    await lost.release();
    await database.transaction((tx) => next.confirm(tx));
    await next.keep("kept");
    expect(await ask()).toEqual({ kept: "kept" });
  });

  test("work whose response was lost is not done again", async () => {
    const lost = await claimed();
    await database.transaction((tx) => lost.confirm(tx));
    await lost.release();
    expect(await refusal(ask())).toEqual(RUNNING);
    clock.time += MINUTE;
    expect(await refusal(ask())).toEqual(CARRIED_OUT);
    const long = await claimed({ key: "0123456789abcdef" });
    await long.keep("x".repeat(256 * 1024 + 1));
    expect(await refusal(ask({ key: "0123456789abcdef" }))).toEqual(CARRIED_OUT);
  });

  test("a transaction that is rolled back confirms nothing", async () => {
    const first = await claimed();
    const failed = database.transaction(async (tx) => {
      await first.confirm(tx);
      throw new AppError("BadRequest", "");
    });
    expect(await refusal(failed)).toEqual(["BadRequest", undefined]);
    await first.release();
    await claimed();
  });

  test("an account has a bounded number, and expired ones are removed", async () => {
    const row = {
      account_id: 1,
      fingerprint: "",
      claim: "",
      state: "done",
      claimed_until: 0,
      size: 0,
      answer: null,
    };
    const rows = Array.from({ length: 10_000 }, (_, at) => ({
      ...row,
      id: `${at}`,
      expires_at: clock.time + 1,
    }));
    await database.dialect.insertMany(database.write, "repeats", rows);
    expect(await refusal(ask())).toEqual(["RateLimitExceeded", 3600]);
    clock.time += 1;
    await claimed();
    await nodes[0]!.job.run(new AbortController().signal);
    expect(await database.read.selectFrom("repeats").select("account_id").execute()).toHaveLength(1);
    clock.time += 24 * 60 * MINUTE;
    await nodes[0]!.job.run(AbortSignal.timeout(20_000));
    expect(await database.read.selectFrom("repeats").select("account_id").execute()).toEqual([]);
  });
});
