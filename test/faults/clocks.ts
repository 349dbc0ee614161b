/** Clocks of programs that jump while they run, by Debian's `faketime`. Monotonic clocks and the kernel's timers stay. */
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LIBRARY = [...new Bun.Glob("/usr/lib/*/faketime/libfaketimeMT.so.1").scanSync({ cwd: "/" })][0];

export const missingFaketime = (): string | null =>
  LIBRARY !== undefined && existsSync(LIBRARY) ? null : "no libfaketime (Debian: faketime)";

export function jumpingClock(): { env: Record<string, string>; jump(seconds: number): void; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "waymark-clock-"));
  const file = join(folder, "offset");
  const jump = (seconds: number) => {
    writeFileSync(`${file}.new`, `${seconds < 0 ? "-" : "+"}${Math.abs(seconds)}\n`);
    renameSync(`${file}.new`, file);
  };
  jump(0);
  return {
    env: {
      LD_PRELOAD: LIBRARY!,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
    jump,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
