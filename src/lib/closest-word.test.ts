import { expect, test } from "bun:test";
import { closestWord } from "./closest-word.ts";

const SECTIONS = ["server", "database", "storage", "data", "cache", "logging", "oidc"];

test.each([
  ["databse", "database"],
  ["sever", "server"],
  ["Server", "server"],
  ["sevrer", "server"],
  ["storrage", "storage"],
  ["chache", "cache"],
  ["data", "data"],
  ["features", null],
  ["x", null],
  ["", null],
  ["s".repeat(10_000), null],
])("%j is %j", (word, closest) => {
  expect(closestWord(word, SECTIONS)).toBe(closest);
});
