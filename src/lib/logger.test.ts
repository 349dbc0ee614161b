import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../test/support/until.ts";
import { createLogger } from "./logger.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-log-"));
afterAll(() => {
  process.removeAllListeners("SIGHUP");
  rmSync(folder, { recursive: true });
});

test.each(["json", "pretty"] as const)(
  "SIGHUP opens a %s log file again, and keeps one that works",
  async (format) => {
    const room = join(folder, format);
    const file = join(room, "waymark.log");
    const logger = await createLogger({ level: "info", format, file });
    logger.info("before");
    renameSync(room, `${room}.1`);
    // The folder can't be made.
    writeFileSync(room, "");
    process.kill(process.pid, "SIGHUP");
    const former = () => readFileSync(join(`${room}.1`, "waymark.log"), "utf8");
    await until(() => former().includes("can't be opened again"));
    rmSync(room);
    process.kill(process.pid, "SIGHUP");
    await until(() => existsSync(file));
    logger.info("after");
    await until(() => readFileSync(file, "utf8").includes("after"));
    expect(former()).toContain("before");
    expect(former()).not.toContain("after");
  },
);

test("only the account of the server reads a log file, also one that SIGHUP makes", async () => {
  const umask = process.umask(0);
  try {
    const file = join(folder, "private.log");
    const mode = () => statSync(file).mode & 0o777;
    const logger = await createLogger({ level: "info", format: "json", file });
    logger.info("before");
    expect(mode()).toBe(0o600);
    rmSync(file);
    process.kill(process.pid, "SIGHUP");
    await until(() => existsSync(file));
    expect(mode()).toBe(0o600);
  } finally {
    process.umask(umask);
  }
});

test("a module that can't be found is logged with its name", async () => {
  const file = join(folder, "missing.log");
  const logger = await createLogger({ level: "info", format: "json", file });
  const missing = "./no-such-module.ts";
  const err: unknown = await import(missing).catch((error: unknown) => error);
  logger.error({ err }, "failed");
  expect(readFileSync(file, "utf8")).toContain(missing);
});
