/**
 * Builds the panel (`npm run build:panel`) when its sources, its packages or the API's types have changed: catalogs and
 * pages by Vite, then one compressed file for the server (src/platform/panel/panel.ts). `npm start` runs it; a second process waits
 * for the first. `--force` always builds.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { Glob } from "bun";
import type { Pack } from "../src/platform/panel/panel.ts";
import { exclusively } from "./exclusive.mjs";

const ROOT = join(import.meta.dir, "..");
const PANEL = join(ROOT, "panel");
const DIST = join(PANEL, "dist");
const PACK = join(DIST, "panel.pack");
const STAMP = join(DIST, ".sources");
const SOURCES = [
  "panel/*.*",
  "panel/src/**",
  "clients/typescript/api.ts",
  "src/lib/{tokens,accent,panel-path,chosen-files}.ts",
  "package-lock.json",
  "scripts/panel.ts",
];

const TYPES: Record<string, string> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

const filesBelow = (root: string, patterns: readonly string[]): string[] =>
  patterns.flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: root, onlyFiles: true })]).sort();

function sourcesDigest(): string {
  const hash = createHash("sha256");
  for (const path of filesBelow(ROOT, SOURCES)) hash.update(path).update(readFileSync(join(ROOT, path)));
  return hash.digest("hex");
}

function build(): void {
  const vite = join(ROOT, "node_modules", "vite", "bin", "vite.js");
  const done = Bun.spawnSync([process.execPath, vite, "build", "--logLevel", "warn"], {
    cwd: PANEL,
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (done.exitCode !== 0) throw new Error("The panel could not be built; see the message above.");
}

type Chunk = { file: string; imports?: string[] };

/** Pages that people come back to, by their path; the server tells their files to browsers at once. */
const PAGES = {
  "": "clicks/overview-page.tsx",
  analytics: "clicks/analytics-page.tsx",
  links: "links/links-page.tsx",
  link: "links/link-page.tsx",
  files: "files/files-page.tsx",
  shares: "shares/shares-page.tsx",
};

const CATALOG = /^src\/locales\/(\w+)\.po$/;

/** Scripts of each page, without those of index.html, and the catalog of each language. */
function preloads(): Pick<Pack, "preloads" | "catalogs"> {
  const chunks = JSON.parse(readFileSync(join(DIST, ".vite", "manifest.json"), "utf8")) as Record<
    string,
    Chunk
  >;
  const needed = (roots: readonly string[]): Set<string> => {
    const keys = new Set(roots);
    for (const key of keys) for (const imported of chunks[key]!.imports ?? []) keys.add(imported);
    return new Set([...keys].map((key) => chunks[key]!.file));
  };
  const first = new Set(readFileSync(join(DIST, "index.html"), "utf8").match(/assets\/[\w.-]+/g));
  return {
    preloads: Object.fromEntries(
      Object.entries(PAGES).map(([path, page]) => [
        path,
        [...needed(["src/app/shell.tsx", `src/${page}`]).difference(first)],
      ]),
    ),
    catalogs: Object.fromEntries(
      Object.entries(chunks).flatMap(([source, { file }]) => {
        const language = CATALOG.exec(source)?.[1];
        return language === undefined ? [] : [[language, file]];
      }),
    ),
  };
}

/**
 * Removes the rules of Mantine's components that no script names: their classes contain a hash. The file is named after
 * what is left, because browsers keep it for good.
 */
function trimStyles(): void {
  const read = (path: string): string => readFileSync(join(DIST, path), "utf8");
  const hashes = (text: string): string[] => text.match(/\bm_[0-9a-f]{6,8}\b/g) ?? [];
  const used = new Set(filesBelow(DIST, ["assets/*.js"]).flatMap((path) => hashes(read(path))));
  for (const path of filesBelow(DIST, ["assets/*.css"])) {
    const left = read(path).replace(/([^{}]+)\{[^{}]*\}/g, (rule, selector: string) => {
      const named = hashes(selector);
      return named.length > 0 && !named.some((hash) => used.has(hash)) ? "" : rule;
    });
    const name = `assets/style-${Bun.hash(left).toString(36)}.css`;
    renameSync(join(DIST, path), join(DIST, name));
    writeFileSync(join(DIST, name), left);
    writeFileSync(join(DIST, "index.html"), read("index.html").replace(path, name));
  }
}

function pack(): Pack {
  trimStyles();
  const files = filesBelow(DIST, ["**/*"]).map((path) => {
    const bytes = readFileSync(join(DIST, path));
    const type = TYPES[path.slice(path.lastIndexOf(".") + 1)];
    if (type === undefined) throw new Error(`${path} has no known type; add it to scripts/panel.ts.`);
    const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    const br = brotliCompressSync(bytes, { params: quality }).toString("base64");
    return [path, { type, br, gzip: gzipSync(bytes, { level: 9 }).toString("base64") }] as const;
  });
  return { files: Object.fromEntries(files), ...preloads() };
}

const digest = sourcesDigest();
const isForced = process.argv.includes("--force");
const isWanted = () =>
  isForced || !existsSync(PACK) || !existsSync(STAMP) || readFileSync(STAMP, "utf8") !== digest;

function make(): void {
  if (!isWanted()) return;
  console.error("waymark: building the panel (its sources changed) …");
  build();
  writeFileSync(PACK, JSON.stringify(pack()));
  writeFileSync(STAMP, digest);
}

if (isWanted()) {
  const waiting = "another process builds the panel; waiting for it";
  await exclusively(join(ROOT, ".cache", "panel.lock"), { waiting, work: make });
}
