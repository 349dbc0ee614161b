import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { knownServerOrigin, noteServerAddress } from "./server-address.ts";

test("commands know where the server of their data folder listens", () => {
  const folder = mkdtempSync(join(tmpdir(), "waymark-test-"));
  expect(knownServerOrigin(folder)).toBeNull();
  for (const [address, origin] of [
    ["http://0.0.0.0:18080", "http://localhost:18080"],
    ["https://[::]:443", "https://localhost"],
    ["http://127.0.0.1:9", "http://127.0.0.1:9"],
    ["unix:/run/waymark.sock", null],
  ] as const) {
    noteServerAddress(folder, address);
    expect([address, knownServerOrigin(folder)]).toEqual([address, origin]);
  }
  noteServerAddress(join(folder, "none"), "http://127.0.0.1:9");
  rmSync(folder, { recursive: true });
});
