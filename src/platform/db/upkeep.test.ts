import { currentTime } from "./queries.ts";
import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "../../lib/logger.ts";
import { openDatabase } from "./database.ts";
import { forEachDialect } from "./for-each-dialect.test-support.ts";

forEachDialect(({ openDb }) => {
  test("the database's clock differs from this machine's by at most a minute", async () => {
    const database = await openDb();
    expect(Math.abs((await currentTime(database.read, database.dialect)) - Date.now())).toBeLessThan(60_000);
  });

  test("a SQLite database is copied during writes; for a server the error names the dump command", async () => {
    const database = await openDb();
    const { snapshot, dumpAdvice } = database.dialect;
    if (snapshot === null) {
      expect(dumpAdvice).toMatch(/dump/);
      return;
    }
    const dir = mkdtempSync(join(tmpdir(), "waymark-snapshot-"));
    const path = join(dir, "copy.db");
    const enough = new AbortController();
    const writing = (async () => {
      for (let at = 0; !enough.signal.aborted; at++) {
        const row = { name: `job ${at}`, owner: "a", expires_at: at };
        await database.transaction((tx) => database.dialect.insertMany(tx, "leases", [row]));
      }
    })();
    await snapshot(database.slow, path);
    enough.abort();
    await writing;
    const copy = await openDatabase(
      { url: `sqlite:${path}`, poolSize: 1 },
      { threads: false, logger: silentLogger },
    );
    const count = async (from: typeof database) =>
      Number(
        (
          await from.read
            .selectFrom("leases")
            .select((eb) => eb.fn.countAll<number>().as("n"))
            .executeTakeFirstOrThrow()
        ).n,
      );
    expect(await count(copy)).toBeLessThanOrEqual(await count(database));
    await copy.close();
    await expect(snapshot(database.slow, path)).rejects.toThrow();
    expect(existsSync(path)).toBe(true);
    rmSync(dir, { recursive: true });
  });
});
