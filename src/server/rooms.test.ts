import { expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "../lib/logger.ts";
import type { Platform } from "../platform/room-shape.ts";
import { openRooms } from "./open.ts";
import { ROOMS } from "./rooms.ts";
import { loadEnv } from "./settings.ts";

test("a room has started when all of its steps are made, also with a slow database", async () => {
  const folder = mkdtempSync(join(tmpdir(), "waymark-rooms-"));
  const processEnv = {
    WAYMARK__DATA__DIR: folder,
    WAYMARK__SERVER__ACME: "true",
    WAYMARK__SERVER__ACME_DIRECTORY: "https://authority.invalid",
  };
  const made: string[] = [];
  const early: string[] = [];
  const starts = ROOMS.filter(({ start }) => start !== undefined).map((room) => {
    const start = room.start!.bind(room);
    return spyOn(room, "start").mockImplementation(async (core, needs, begun) => {
      let open = 0;
      const step: Platform["step"] = async (work) => {
        open++;
        await Bun.sleep(20);
        const result = await work();
        open--;
        made.push(room.name);
        return result;
      };
      const slow = { get: (on: object, key: PropertyKey) => (key === "step" ? step : Reflect.get(on, key)) };
      const started = await start(core, new Proxy<object>(needs, slow) as never, begun);
      if (open > 0) early.push(room.name);
      return started;
    });
  });
  try {
    const env = loadEnv({ cwd: folder, processEnv });
    const opened = await openRooms(env, { logger: silentLogger, isServer: true });
    await opened.close();
    expect(early).toEqual([]);
    const withSteps = ["acme", "links", "storage", "webhooks"];
    const isThere = (name: string) => ROOMS.some((room) => room.name === name);
    expect([...new Set(made)].sort()).toEqual(withSteps.filter(isThere));
  } finally {
    for (const one of starts) one.mockRestore();
    rmSync(folder, { recursive: true, force: true });
  }
});
