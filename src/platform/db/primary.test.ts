import { expect, test } from "bun:test";
import { createPrimaryFinder } from "./primary.ts";

const addresses = ["a", "b", "c"].map((host) => ({ host, port: undefined }));
type Reply = number | Error | Promise<number>;

function finderOf(replies: Record<string, Reply>) {
  let probes = 0;
  const stepsBack: string[] = [];
  const finder = createPrimaryFinder({
    addresses,
    ask: async ({ host = "" }) => {
      probes++;
      const reply = replies[host]!;
      if (reply instanceof Error) throw reply;
      return reply;
    },
    steppedBack: ({ host }, term, former) => void stepsBack.push(`${host}: ${former} to ${term}`),
  });
  return {
    probes: () => probes,
    stepsBack,
    find: async () => (await finder.find()).host,
    again: async () => {
      finder.forget();
      return (await finder.find()).host;
    },
  };
}

test("finds the server that takes writes, without waiting for one that never responds", async () => {
  const { find } = finderOf({ a: new Promise<number>(() => {}), b: new Error("it is a standby"), c: 1 });
  expect(await find()).toBe("c");
});

test("of several the newest counts, then the former choice, then the order of the list", async () => {
  const replies: Record<string, Reply> = { a: new Error("away"), b: 4, c: 4 };
  const { find, again } = finderOf(replies);
  expect(await find()).toBe("b");
  replies["a"] = 4;
  expect(await again()).toBe("b");
  replies["c"] = 5;
  expect(await again()).toBe("c");
  replies["c"] = new Error("away");
  expect(await again()).toBe("a");
});

test("tells once of each step back to an older term, and of none to a server without terms", async () => {
  const away = new Error("away");
  const replies: Record<string, Reply> = { a: 4, b: away, c: away };
  const { again, stepsBack } = finderOf(replies);
  const choose = async (next: Record<string, Reply>) => {
    Object.assign(replies, { a: away, b: away, c: away }, next);
    await again();
  };
  for (const next of [{ a: 4 }, { b: 5 }, { c: 0 }, { b: 5 }]) await choose(next);
  expect(stepsBack).toEqual([]);
  for (const next of [{ a: 4 }, { a: 4 }, { b: 6 }, { a: 4 }]) await choose(next);
  expect(stepsBack).toEqual(["a: 5 to 4", "a: 6 to 4"]);
});

test("connections that are opened together ask once", async () => {
  const { find, probes } = finderOf({
    a: 1,
    b: new Error("it is a standby"),
    c: new Error("it is a standby"),
  });
  await Promise.all([find(), find()]);
  await find();
  expect(probes()).toBe(3);
});

test("reports for each server why it does not take writes, and passes on the code of one that responded", async () => {
  const refused = Object.assign(new Error("too many connections"), { code: "53300" });
  const { find } = finderOf({
    a: new Error("it is a standby"),
    b: new Error("connect ECONNREFUSED"),
    c: refused,
  });
  const error = (await find().catch((reason: unknown) => reason)) as Error;
  expect(error).toMatchObject({ name: "ServiceUnavailable", cause: { code: "53300" } });
  expect(String(error.cause)).toContain(
    "a: it is a standby; b: connect ECONNREFUSED; c: too many connections",
  );
});
