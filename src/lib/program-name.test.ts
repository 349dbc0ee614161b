import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programName } from "./program-name.ts";

const nowhere = () => null;

test("names the program as typed in this folder", () => {
  const named = (program: string, cwd: string) => programName(program, { cwd, which: nowhere });
  expect(named("/opt/waymark/bin/waymark", "/opt/waymark")).toBe("bin/waymark");
  expect(named("/srv/waymark", "/srv")).toBe("./waymark");
  expect(named("/srv/waymark", "/home")).toBe("/srv/waymark");
  expect(named("/srv/my links/waymark", "/home")).toBe("'/srv/my links/waymark'");
});

test("the bare name is enough if PATH has this program, even through a link", () => {
  const folder = mkdtempSync(join(tmpdir(), "waymark-name-"));
  try {
    const program = join(folder, "waymark");
    writeFileSync(program, "");
    symlinkSync(program, join(folder, "link"));
    expect(programName(program, { cwd: "/", which: () => join(folder, "link") })).toBe("waymark");
    expect(programName(program, { cwd: "/nowhere", which: () => "/bin/sh" })).toBe(program);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the bare name is that of a script before the program, too", () => {
  const which = () => "/usr/bin/waymark";
  expect(programName("/usr/lib/waymark/waymark", { cwd: "/", which })).toBe("waymark");
  expect(programName("/opt/lib/waymark/waymark", { cwd: "/usr", which })).toBe("/opt/lib/waymark/waymark");
});

test("the program of a checkout is in its bin folder", () => {
  const root = join(import.meta.dir, "..", "..");
  expect(programName(undefined, { cwd: root, which: nowhere })).toBe("bin/waymark");
});
