/** What a disk refuses half-way leaves it as it was. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DiskMove, HIDDEN } from "../disk.ts";
import { timeOf } from "./disk-listing.ts";

const NOBODY = 65_534;
/** Everybody may rename and remove what is there; in a sticky folder, what is his own. */
const OPEN = 0o777;
const STICKY = 0o1777;
const isRoot = process.getuid?.() === 0 && Bun.which("setpriv") !== null;

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "waymark-writing-")));
  for (const [name, mode] of Object.entries({ "": OPEN, in: STICKY, out: OPEN, [HIDDEN]: OPEN })) {
    mkdirSync(join(root, name), { recursive: true });
    chmodSync(join(root, name), mode);
  }
  writeFileSync(join(root, "in", "a"), "first");
  chmodSync(join(root, "in", "a"), 0o666);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Moves in a process of an account that owns none of the files. Returns the code of the error. */
function moveAsOther(move: DiskMove): string {
  const script = `
    const { moveInside } = await import(${JSON.stringify(join(import.meta.dir, "disk-writing.ts"))});
    try {
      moveInside(${JSON.stringify(root)}, ${JSON.stringify(move)});
    } catch (error) {
      console.log(error.cause.code);
    }`;
  const as = ["setpriv", `--reuid=${NOBODY}`, "--clear-groups"];
  const { stdout, stderr } = Bun.spawnSync([...as, process.execPath, "-e", script], {
    env: { HOME: root, TMPDIR: root },
  });
  return `${stdout}${stderr}`.trim();
}

test.skipIf(!isRoot)("a file that can't be removed from its place gets no second name", () => {
  expect(moveAsOther({ inode: null, from: ["in", "a"], to: ["out", "b"] })).toBe("EPERM");
  expect([readdirSync(join(root, "in")), readdirSync(join(root, "out"))]).toEqual([["a"], []]);
});

test.skipIf(!isRoot)("a file that can't be replaced is not kept beside its place either", () => {
  const found = statSync(join(root, "in", "a"), { bigint: true });
  const over = { size: 5, time: timeOf(found), kept: [HIDDEN, "kept"] };
  writeFileSync(join(root, HIDDEN, "part"), "second");
  chownSync(join(root, HIDDEN, "part"), NOBODY, NOBODY);
  const move = { inode: null, from: [HIDDEN, "part"], to: ["in", "a"], over };
  expect(moveAsOther(move)).toBe("EPERM");
  expect(readFileSync(join(root, "in", "a"), "utf8")).toBe("first");
  expect(readdirSync(join(root, HIDDEN))).toEqual(["part"]);
});
