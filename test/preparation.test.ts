/** `npm start` and `npm test` begun at once in a new clone prepare it once. */
import { afterAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./support/until.ts";

const ROOT = join(import.meta.dir, "..");
const folder = mkdtempSync(join(tmpdir(), "waymark-preparation-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** They note that they began, and end when the test says so. */
const NPM = `#!/bin/sh
echo npm >> began
while [ ! -e npm-may-end ]; do sleep 0.05; done
mkdir -p node_modules/vite/bin && cp vite.js node_modules/vite/bin/
`;
const VITE = `
const { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs");
appendFileSync("../began", "vite\\n");
while (!existsSync("../vite-may-end")) Bun.sleepSync(50);
mkdirSync("dist/.vite", { recursive: true });
writeFileSync("dist/index.html", "<p>");
const pages = readFileSync("../scripts/panel.ts", "utf8").match(/[\\w-]+\\/[\\w-]+\\.tsx/g);
const chunks = Object.fromEntries(pages.map((page) => ["src/" + page, { file: "page.js" }]));
writeFileSync("dist/.vite/manifest.json", JSON.stringify(chunks));
`;

let clones = 0;
function newClone() {
  const root = join(folder, String(++clones));
  mkdirSync(join(root, "programs"), { recursive: true });
  mkdirSync(join(root, "panel"));
  cpSync(join(ROOT, "scripts"), join(root, "scripts"), { recursive: true });
  symlinkSync(join(ROOT, "src"), join(root, "src"));
  writeFileSync(join(root, "package-lock.json"), "{}");
  writeFileSync(join(root, "vite.js"), VITE);
  writeFileSync(join(root, "programs", "npm"), NPM, { mode: 0o755 });
  const write = (name: string, text = "") => writeFileSync(join(root, name), text);
  return {
    write,
    read: (name: string) => readFileSync(join(root, name), "utf8"),
    prepare() {
      const steps = `node scripts/setup.mjs && "${process.execPath}" scripts/panel.ts`;
      const child = Bun.spawn(["/bin/sh", "-c", steps], {
        cwd: root,
        env: { ...process.env, PATH: `${join(root, "programs")}:${process.env["PATH"]}` },
        stdin: "ignore",
        stdout: "ignore",
        stderr: "pipe",
      });
      const said = { text: "" };
      const reading = (async () => {
        for await (const chunk of child.stderr) said.text += new TextDecoder().decode(chunk);
      })();
      return { said, ended: () => Promise.all([child.exited, reading]).then(([code]) => code) };
    },
  };
}

test("processes that begin at once install and build once, and the others wait with one line for each", async () => {
  const clone = newClone();
  const all = [clone.prepare(), clone.prepare(), clone.prepare()];
  const waitingFor = (what: string) =>
    all.filter(({ said }) => said.text.includes(`another process ${what}`));
  await until(() => waitingFor("installs the packages").length === 2);
  clone.write("npm-may-end");
  await until(() => waitingFor("builds the panel").length === 2);
  clone.write("vite-may-end");
  expect(await Promise.all(all.map(({ ended }) => ended()))).toEqual([0, 0, 0]);
  expect(clone.read("began")).toBe("npm\nvite\n");
  const lines = all.flatMap(({ said }) => said.text.split("\n")).filter((line) => line.includes("waiting"));
  expect(lines).toHaveLength(4);
  expect(JSON.parse(clone.read("panel/dist/panel.pack")).files).toHaveProperty(["index.html"]);
});

test("the lock of a process that was killed holds up nobody, and one takes it over", async () => {
  const clone = newClone();
  const dead = Bun.spawn(["true"]);
  await dead.exited;
  for (const name of ["npm-may-end", "vite-may-end"]) clone.write(name);
  mkdirSync(join(folder, String(clones), ".cache"));
  clone.write(".cache/set-up.lock", `${dead.pid} 0f1e`);
  clone.write(".cache/panel.lock", `${dead.pid} 0f1e`);
  const all = Array.from({ length: 4 }, () => clone.prepare());
  expect(await Promise.all(all.map(({ ended }) => ended()))).toEqual([0, 0, 0, 0]);
  expect(clone.read("began")).toBe("npm\nvite\n");
});
