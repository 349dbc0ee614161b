import { expect, test } from "bun:test";
import { silentLogger } from "../../lib/logger.ts";
import { createRegistry } from "../../lib/metrics.ts";
import { createConnectionLimit } from "./connection-limit.ts";

function setUp(limit: number | null, { base = 0 } = {}) {
  const warnings: unknown[] = [];
  const files = { open: base, counted: 0 };
  const logger = { ...silentLogger, warn: (fields: unknown) => void warnings.push(fields) } as never;
  const openFiles = () => (files.counted++, files.open);
  const registry = createRegistry();
  return { ...createConnectionLimit({ registry, logger, limit, openFiles }), files, warnings };
}

test("connections take half of the files that are free after the start", () => {
  const { isFull, files } = setUp(1_000, { base: 200 });
  files.open = 200;
  expect([isFull(0, 1), isFull(399, 1), isFull(400, 1)]).toEqual([false, false, true]);
});

test("other files that open meanwhile leave room for fewer connections", () => {
  const { isFull, files } = setUp(1_000);
  files.open = 350;
  expect([isFull(50, 1), isFull(199, 1), isFull(200, 1)]).toEqual([false, false, true]);
  files.open = 220;
  expect(isFull(200, 2)).toBe(false);
});

test("files are counted once a second", () => {
  const { isFull, files } = setUp(1_000);
  for (let connections = 0; connections < 100; connections++) isFull(connections, 1);
  expect(files.counted).toBe(2);
});

test("connections of two servers share the bound, and none counts twice", () => {
  const { isFull, forServer, files } = setUp(1_000);
  const other = forServer();
  files.open = 450;
  expect([isFull(300, 1), other.isFull(150, 1), isFull(349, 1), other.isFull(199, 1)]).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect([isFull(350, 1), other.isFull(200, 1)]).toEqual([true, true]);
});

test("when files can't be counted there is no room", () => {
  const { isFull, files } = setUp(1_000);
  files.open = Number.POSITIVE_INFINITY;
  expect(isFull(1, 1)).toBe(true);
});

test.each([null, Number.POSITIVE_INFINITY])("without a limit (%p) there is room", (limit) => {
  expect(setUp(limit).isFull(1_000_000, 1)).toBe(false);
});

test("connections that come and go at the bound do not fill the log", () => {
  const { ended, warnings } = setUp(1_000);
  for (let count = 0; count < 100; count++) ended(5);
  ended(14);
  expect(warnings).toEqual([{ limit: 1_000, ended: 1 }]);
  ended(15);
  expect(warnings[1]).toEqual({ limit: 1_000, ended: 102 });
});
