import { pbkdf2Sync } from "node:crypto";
import { expect, test } from "bun:test";
import { isForeignHash, verifyForeign } from "./password-hash.ts";

test.each(["a", "b", "y", ""])("bcrypt of version 2%s is verified, its first 72 bytes", async (letter) => {
  const long = "x".repeat(72);
  const made = await Bun.password.hash(long, { algorithm: "bcrypt", cost: 4 });
  const hash = made.replace("$2b$", () => `$2${letter}$`);
  expect(isForeignHash(hash)).toBe(true);
  expect(await verifyForeign(`${long}more`, hash)).toBe(true);
  expect(await verifyForeign("other", hash)).toBe(false);
  expect(await verifyForeign("", hash)).toBe(false);
});

test.each(["sha1", "sha256", "sha512"])("PBKDF2 with %s is verified", async (digest) => {
  const salt = Buffer.from("a salt");
  const key = pbkdf2Sync("päss", salt, 1_000, 32, digest).toString("base64");
  const hash = `$pbkdf2-${digest}$i=1000$${salt.toString("base64")}$${key}`;
  expect(isForeignHash(hash)).toBe(true);
  expect(await verifyForeign("päss", hash)).toBe(true);
  expect(await verifyForeign("pass", hash)).toBe(false);
});

test("other texts, and hashes that cost too much, are passwords", () => {
  const bcrypt = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";
  expect(isForeignHash(bcrypt)).toBe(true);
  for (const text of [
    "secret",
    "$2b$10$short",
    bcrypt.replace("$10$", () => "$20$"),
    "$pbkdf2-sha256$i=99999999$c2FsdA==$c2FsdHNhbHRzYWx0c2FsdA==",
    "$argon2id$",
  ])
    expect(isForeignHash(text)).toBe(false);
});
