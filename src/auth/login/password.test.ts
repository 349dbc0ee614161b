import { describe, expect, test } from "bun:test";
import { createPasswords, DUMMY_HASH, type PasswordQueue } from "./password.ts";

const passwords = createPasswords();
const verify = (plain: string, hash: string) => passwords.verifyPassword(plain, hash, "sign-in");
/** The parameters that determine the cost of a verification. */
const parameters = (hash: string) => hash.split("$").slice(1, 4).join("$");

describe("passwords", () => {
  test("match their own hash only", async () => {
    const hash = await passwords.hashPassword("correct horse");
    expect(parameters(hash)).toBe("argon2id$v=19$m=19456,t=2,p=1");
    expect(await verify("correct horse", hash)).toBe(true);
    expect(await verify("correct horsf", hash)).toBe(false);
    expect(await verify("", hash)).toBe(false);
    expect(await passwords.hashPassword("correct horse")).not.toBe(hash);
  });

  test("are hashed whole, with NUL and up to 1024 bytes", async () => {
    const nul = await passwords.hashPassword("before\0after");
    expect(await verify("before\0other", nul)).toBe(false);
    const long = "x".repeat(1024);
    const hash = await passwords.hashPassword(long);
    expect(await verify(`${long.slice(1)}y`, hash)).toBe(false);
    expect(await verify(long, hash)).toBe(true);
  });

  test("the dummy hash costs as much as a real one and has no known password", async () => {
    expect(parameters(DUMMY_HASH)).toBe(parameters(await passwords.hashPassword("any")));
    expect(DUMMY_HASH.length).toBe((await passwords.hashPassword("any")).length);
    expect(await verify("any", DUMMY_HASH)).toBe(false);
  });

  test.each([
    "",
    "plain",
    "$argon2id$",
    "$argon2id$v=19$m=19456,t=2,p=1$",
    "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$!!!",
    "$2b$10$abcdefghijklmnopqrstuv",
    // 4 GiB of memory, and 999 passes: refused before any computation.
    "$argon2id$v=19$m=4194304,t=2,p=1$2h2ljnFXnOY/xGwVZMqfXw$f0gV5drrZKvKpuCbNQjFfS1SVR8hG3Dk/kq8Mg6xwMo",
    "$argon2id$v=19$m=19456,t=999,p=1$2h2ljnFXnOY/xGwVZMqfXw$f0gV5drrZKvKpuCbNQjFfS1SVR8hG3Dk/kq8Mg6xwMo",
  ])("%p matches no password", async (hash) => {
    expect(await verify("plain", hash)).toBe(false);
  });

  test("are refused beyond the bound of the queue, then checked again", async () => {
    const narrow = createPasswords(1);
    const check = () => narrow.verifyPassword("any", DUMMY_HASH, "sign-in");
    const settled = await Promise.allSettled(Array.from({ length: 5 }, check));
    expect(settled.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
      "rejected",
    ]);
    expect((settled[4] as PromiseRejectedResult).reason).toMatchObject({
      name: "ServiceUnavailable",
      details: { retryAfterSeconds: 1 },
    });
    expect(await check()).toBe(false);
  });

  test("in other queues are accepted and take turns while one queue is full", async () => {
    // Many, since a hash takes as long as several others on a busy machine.
    const narrow = createPasswords(16);
    const done: string[] = [];
    const wait = async (queue: PasswordQueue) => {
      await narrow.verifyPassword("any", DUMMY_HASH, queue);
      done.push(queue);
    };
    const flood = Promise.allSettled(Array.from({ length: 40 }, () => wait("sign-in")));
    const isFull = (queue: PasswordQueue): boolean => {
      try {
        narrow.refuseWhenFull(queue);
        return false;
      } catch {
        return true;
      }
    };
    expect([isFull("sign-in"), isFull("shares")]).toEqual([true, false]);
    await Promise.all([wait("shares"), wait("account 7"), narrow.hashPassword("new")]);
    expect((await flood).filter(({ status }) => status === "fulfilled")).toHaveLength(18);
    for (const queue of ["shares", "account 7"]) {
      expect(done.indexOf(queue)).toBeLessThan(done.lastIndexOf("sign-in"));
    }
    expect(done).toHaveLength(20);
  });
});
