import { describe, expect, test } from "bun:test";
import { createPasswords, DUMMY_HASH } from "./password.ts";

const passwords = createPasswords();
/** What decides how long a verification takes. */
const parameters = (hash: string) => hash.split("$").slice(1, 4).join("$");

describe("passwords", () => {
  test("verify against their own hash only", async () => {
    const hash = await passwords.hashPassword("correct horse");
    expect(parameters(hash)).toBe("argon2id$v=19$m=19456,t=2,p=1");
    expect(await passwords.verifyPassword("correct horse", hash)).toBe(true);
    expect(await passwords.verifyPassword("correct horsf", hash)).toBe(false);
    expect(await passwords.verifyPassword("", hash)).toBe(false);
    expect(await passwords.hashPassword("correct horse")).not.toBe(hash);
  });

  test("keep everything after a NUL and everything of a long text", async () => {
    const nul = await passwords.hashPassword("before\0after");
    expect(await passwords.verifyPassword("before\0other", nul)).toBe(false);
    const long = "x".repeat(1024);
    const hash = await passwords.hashPassword(long);
    expect(await passwords.verifyPassword(`${long.slice(1)}y`, hash)).toBe(false);
    expect(await passwords.verifyPassword(long, hash)).toBe(true);
  });

  test("the dummy hash costs as much as a real one and has no known password", async () => {
    expect(parameters(DUMMY_HASH)).toBe(parameters(await passwords.hashPassword("any")));
    expect(DUMMY_HASH.length).toBe((await passwords.hashPassword("any")).length);
    expect(await passwords.verifyPassword("any", DUMMY_HASH)).toBe(false);
  });

  test.each([
    "",
    "plain",
    "$argon2id$",
    "$argon2id$v=19$m=19456,t=2,p=1$",
    "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$!!!",
    "$2b$10$abcdefghijklmnopqrstuv",
    // A memory of four gigabytes, a thousand passes: refused before anything is computed.
    "$argon2id$v=19$m=4194304,t=2,p=1$2h2ljnFXnOY/xGwVZMqfXw$f0gV5drrZKvKpuCbNQjFfS1SVR8hG3Dk/kq8Mg6xwMo",
    "$argon2id$v=19$m=19456,t=999,p=1$2h2ljnFXnOY/xGwVZMqfXw$f0gV5drrZKvKpuCbNQjFfS1SVR8hG3Dk/kq8Mg6xwMo",
  ])("%p is a hash of nothing", async (hash) => {
    expect(await passwords.verifyPassword("plain", hash)).toBe(false);
  });

  test("refuse who would wait beyond the bound, then go on", async () => {
    const narrow = createPasswords(1);
    const attempts = Array.from({ length: 5 }, () => narrow.verifyPassword("any", DUMMY_HASH));
    const settled = await Promise.allSettled(attempts);
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
    expect(await narrow.verifyPassword("any", DUMMY_HASH)).toBe(false);
  });
});
