/**
 * The commands of the documents, run as they stand. A comment above each block of `sh` says `not run: REASON`, or `run`
 * and lines: `TEXT => VALUE` replaces a text, `with FILE` is a file of the repository that the reader has, `exit code N`
 * is that of the last command. The blocks of a page run in one shell, beside a server with PASSWORD, and curl fails for
 * a status of 400 or more.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./proxies.ts";
import { install, PROGRAM } from "./waymark.ts";

const ROOT = join(import.meta.dir, "../..");
const PASSWORD = "a good password";

export type Block = {
  /** `docs/cli.md:11` */
  place: string;
  text: string;
  /** What the comment says; null: there is none. */
  said:
    | { kind: "run"; values: [text: string, value: string][]; files: string[]; exitCode: string }
    | { kind: "not run"; reason: string }
    | null;
};

function readComment(lines: readonly string[], fence: number): Block["said"] {
  if (!lines[fence - 1]?.trim().endsWith("-->")) return null;
  let begin = fence - 1;
  while (begin >= 0 && !lines[begin]!.includes("<!--")) begin--;
  const text = lines.slice(begin, fence).join("\n").trim().slice("<!--".length, -"-->".length).trim();
  const reason = /^not run: (.+)$/s.exec(text)?.[1];
  if (reason !== undefined) return { kind: "not run", reason };
  const [first, ...rest] = text.split("\n").map((line) => line.trim());
  if (first !== "run") return null;
  const said = {
    kind: "run" as const,
    values: [] as [string, string][],
    files: [] as string[],
    exitCode: "0",
  };
  for (const line of rest) {
    const [, file, exitCode] = /^with (\S+)$|^exit code (\d+)$/.exec(line) ?? [];
    if (line.includes(" => ")) said.values.push(line.split(" => ") as [string, string]);
    else if (file !== undefined) said.files.push(file);
    else if (exitCode !== undefined) said.exitCode = exitCode;
    else return null;
  }
  return said;
}

/** The blocks of `sh` of a page, whose path is from the root. */
export function readBlocks(page: string): Block[] {
  const lines = readFileSync(join(ROOT, page), "utf8").split("\n");
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (lines[at]!.trim() !== "```sh") continue;
    const end = lines.findIndex((line, index) => index > at && line.trim() === "```");
    const indent = lines[at]!.indexOf("`");
    const text = lines
      .slice(at + 1, end)
      .map((line) => line.slice(indent))
      .join("\n");
    blocks.push({ place: `${page}:${at + 1}`, text, said: readComment(lines, at) });
    at = end;
  }
  return blocks;
}

export const pagesWithCommands = (): string[] =>
  ["*.md", "docs/*.md", "bench/*.md", "clients/*/*.md"]
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })])
    .filter((page) => page !== "CHANGELOG.md" && readBlocks(page).length > 0)
    .toSorted();

const PRELUDE = `set -eo pipefail
trap 'echo "failed at $place: $BASH_COMMAND" >&2' ERR
# A stream that does not end is left after some seconds.
curl() {
  local status=0
  case " $* " in
  *" -N "*) command curl --fail-with-body -sS --max-time 5 "$@" || status=$?; [[ $status == 28 ]] ;;
  *) command curl --fail-with-body -sS "$@" ;;
  esac
}
`;

/** @param port what stands for 9000, where a page starts another server */
function scriptOf(blocks: readonly Block[], host: string, port: number): string {
  const parts = blocks.map(({ place, text, said }) => {
    if (said?.kind !== "run") return "";
    const filled = said.values.reduce((so, [from, to]) => so.replaceAll(from, to), text);
    const end = said.exitCode === "0" ? "" : ` || [[ $? == ${said.exitCode} ]]`;
    const copies = said.files.map((file) => `cp ${join(ROOT, file)} .\n`).join("");
    return `place=${place}\n${copies}${filled}${end}\n`;
  });
  return (
    PRELUDE +
    parts
      .join("")
      .replaceAll("127.0.0.1:8080", host)
      .replaceAll(/\b9000\b/g, String(port))
      .replaceAll("https://go.example.com/", `http://${host}/`)
  );
}

/** Makes a folder with what pages name of the repository. */
function placeOfPage(): string {
  const folder = mkdtempSync(join(tmpdir(), "waymark-page-"));
  for (const name of ["deploy", "docs", "scripts", "test"]) symlinkSync(join(ROOT, name), join(folder, name));
  mkdirSync(join(folder, "bin"));
  symlinkSync(PROGRAM, join(folder, "bin/waymark"));
  return folder;
}

/** Makes a clone of the last commit, without its packages. */
export function cloneRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), "waymark-clone-"));
  const made = Bun.spawnSync(["git", "clone", "--quiet", "--shared", ROOT, folder]);
  if (made.exitCode !== 0) throw new Error(made.stderr.toString());
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** What `git status` shows in a clone, but for the link to the packages. */
export const changesIn = (clone: string): string =>
  Bun.spawnSync(["git", "status", "--porcelain", "--", ".", ":!node_modules"], {
    cwd: clone,
  }).stdout.toString();

/** Runs what a page has, in a clone or in a new folder. `exitCode` is 0 when that of each command was. */
export async function runPage(page: string, clone?: string): Promise<{ exitCode: number; output: string }> {
  const folder = clone ?? placeOfPage();
  const installation = install();
  const own = mkdtempSync(join(tmpdir(), "waymark-home-"));
  try {
    await installation.run(["reset-password", "--stdin"], PASSWORD);
    const server = await installation.serve();
    const script = join(own, "page.sh");
    writeFileSync(script, scriptOf(readBlocks(page), new URL(server.url).host, await freePort()));
    const child = Bun.spawn(["bash", script], {
      cwd: folder,
      env: {
        PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
        HOME: own,
        LANG: "C.UTF-8",
        GIT_AUTHOR_NAME: "A reader",
        GIT_COMMITTER_NAME: "A reader",
        EMAIL: "reader@example.com",
        WAYMARK__DATA__DIR: installation.dataDir,
        WAYMARK__SERVER__PORT: "0",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [printed, told] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { exitCode: await child.exited, output: `${printed}\n${told}` };
  } finally {
    await installation.remove();
    for (const made of clone === undefined ? [own, folder] : [own])
      rmSync(made, { recursive: true, force: true });
  }
}
