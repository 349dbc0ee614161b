import { afterEach, expect, test } from "bun:test";
import { appError } from "../../lib/errors.ts";
import { silentLogger } from "../../lib/logger.ts";
import { DatabaseError } from "./failures.ts";
import { createAvailability, isFromServer, type Availability } from "./availability.ts";

const made: Availability[] = [];
afterEach(() => {
  for (const availability of made.splice(0)) availability.stop();
});

/** A server that responds, fails or hangs as the test sets, with limits in milliseconds. */
function watch(limits: object = {}) {
  const server = { respond: async (): Promise<void> => {}, probes: 0 };
  const availability = createAvailability({
    probe: () => {
      server.probes++;
      return server.respond();
    },
    logger: silentLogger,
    limits: { beatMs: 2, quietMs: 5, probeMs: 5, giveUpMs: 10, ...limits },
  });
  made.push(availability);
  return { availability, server };
}

const hang = () => new Promise<void>(() => {});
const refuse = async () => {
  throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
};
const until = async (condition: () => boolean) => {
  while (!condition()) await Bun.sleep(1);
};

const patiently = new Promise<string>(() => {});

test("a server is probed only when a query waits and no reply arrived", async () => {
  const busy = watch({ quietMs: 10_000 });
  void busy.availability.follow(patiently);
  const idle = watch();
  await Bun.sleep(20);
  expect([busy.server.probes, idle.server.probes]).toEqual([0, 0]);
  const quiet = watch();
  void quiet.availability.follow(patiently);
  await until(() => quiet.server.probes > 2);
  expect([busy, idle, quiet].map(({ availability }) => availability.isAway())).toEqual([false, false, false]);
});

test("a hanging server is away: new queries are refused, running ones abandoned, until its next reply", async () => {
  const { availability, server } = watch();
  const work = availability.follow(patiently);
  const hung = Promise.withResolvers<void>();
  server.respond = () => hung.promise;
  await until(availability.isAway);
  expect(() => availability.check()).toThrow("not available");
  await expect(work).rejects.toMatchObject({ name: "ServiceUnavailable", failure: "unavailable" });
  const before = availability.backAt();
  hung.resolve();
  await until(() => !availability.isAway());
  availability.check();
  expect(availability.backAt()).toBeGreaterThan(before);
});

test("a failed connection starts a probe at once", async () => {
  const { availability, server } = watch({ quietMs: 10_000 });
  server.respond = refuse;
  availability.suspect();
  await until(availability.isAway);
  expect(server.probes).toBe(1);
  server.respond = async () => {};
  await until(() => !availability.isAway());
});

test("work that ends while the server is away keeps its outcome if the server returns soon enough", async () => {
  const { availability, server } = watch({ giveUpMs: 10_000 });
  const slow = Promise.withResolvers<number>();
  const work = availability.follow(slow.promise);
  server.respond = hang;
  await until(availability.isAway);
  slow.resolve(7);
  expect(await work).toBe(7);
});

test("work still unanswered shortly after the server returns is given up: its connection may be dead", async () => {
  const { availability, server } = watch();
  const old = availability.follow(patiently);
  const hung = Promise.withResolvers<void>();
  server.respond = () => hung.promise;
  await until(availability.isAway);
  hung.resolve();
  await until(() => !availability.isAway());
  const later = Promise.withResolvers<string>();
  const young = availability.follow(later.promise);
  await expect(old).rejects.toMatchObject({ failure: "unavailable" });
  later.resolve("answered");
  expect(await young).toBe("answered");
});

test("every query waits less than three seconds", () => {
  const availability = createAvailability({ probe: async () => {}, logger: silentLogger });
  made.push(availability);
  expect(availability.mostWaitMs).toBeLessThan(3_000);
});

test("a late probe is awaited, not repeated", async () => {
  const { availability, server } = watch();
  server.respond = hang;
  availability.suspect();
  await until(availability.isAway);
  await Bun.sleep(30);
  expect(server.probes).toBe(1);
});

test("a server that responds with an error is available", async () => {
  const { availability, server } = watch();
  server.respond = async () => {
    throw Object.assign(new Error("too many connections"), { code: "53300" });
  };
  void availability.follow(patiently);
  await until(() => server.probes > 2);
  expect(availability.isAway()).toBe(false);
});

const failed = (fields: object) => Object.assign(new Error("x"), fields);

test("some errors count as a reply of the server", () => {
  for (const error of [
    failed({ code: "53300" }),
    failed({ code: "ER_CON_COUNT_ERROR", errno: 1040, sqlState: "08004" }),
    failed({ code: "ER_DUP_ENTRY", sqlState: "23000" }),
    failed({ code: "SELF_SIGNED_CERT_IN_CHAIN" }),
    Object.assign(new Error("self signed certificate in chain"), { code: "HANDSHAKE_SSL_ERROR" }),
    new DatabaseError("unique", failed({ code: "23505" })),
    appError("ServiceUnavailable", "the server's version is too old"),
  ])
    expect(isFromServer(error)).toBe(true);
  for (const error of [
    failed({ code: "57P03" }),
    failed({ code: "ER_SERVER_SHUTDOWN", sqlState: "08S01" }),
    failed({ code: "ECONNREFUSED" }),
    failed({ code: "EPIPE" }),
    Object.assign(new Error("read ECONNRESET"), { code: "HANDSHAKE_SSL_ERROR" }),
    failed({ code: "PROTOCOL_CONNECTION_LOST" }),
    new DatabaseError("timeout", new Error("no answer within 5000 ms")),
    new Error("timeout exceeded when trying to connect"),
    null,
  ])
    expect(isFromServer(error)).toBe(false);
});
