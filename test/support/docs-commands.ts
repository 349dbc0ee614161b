/**
 * The commands of the documents, run as they stand. A comment above each block of `sh` says `not run: REASON`, or `run`
 * and lines: `TEXT => VALUE` puts a value in the place of a text, other lines are commands that go before the block.
 * The blocks of a page run in one shell, beside a server with PASSWORD. TOKEN, AUTH and API are set, and curl fails for
 * a status of 400 or more.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signIn } from "./session.ts";
import { install, PROGRAM } from "./waymark.ts";

const ROOT = join(import.meta.dir, "../..");
const PASSWORD = "a good password";

export type Block = {
  /** `docs/cli.md:11` */
  place: string;
  text: string;
  /** What the comment says; null: there is none. */
  said:
    | { kind: "run"; before: string; values: [text: string, value: string][] }
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
  const values = rest
    .filter((line) => line.includes(" => "))
    .map((line) => line.split(" => ") as [string, string]);
  return { kind: "run", before: rest.filter((line) => !line.includes(" => ")).join("\n"), values };
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

function scriptOf(blocks: readonly Block[], host: string): string {
  const parts = blocks.map(({ place, text, said }) => {
    if (said?.kind !== "run") return "";
    const filled = said.values.reduce((so, [from, to]) => so.replaceAll(from, to), text);
    return `place=${place}\n${said.before}\n${filled}\n`;
  });
  return (
    PRELUDE +
    parts.join("").replaceAll("127.0.0.1:8080", host).replaceAll("https://go.example.com", `http://${host}`)
  );
}

/** Runs what a page has. Returns what was printed; `exitCode` is 0 when each command was. */
export async function runPage(page: string): Promise<{ exitCode: number; output: string }> {
  const installation = install();
  const folder = mkdtempSync(join(tmpdir(), "waymark-page-"));
  try {
    await installation.run(["reset-password", "--stdin"], PASSWORD);
    const server = await installation.serve();
    const { token } = await signIn(server.url, PASSWORD);
    for (const name of ["deploy", "scripts", "test"]) symlinkSync(join(ROOT, name), join(folder, name));
    for (const name of ["home", "bin"]) mkdirSync(join(folder, name));
    symlinkSync(PROGRAM, join(folder, "bin/waymark"));
    const script = join(folder, "page.sh");
    writeFileSync(script, scriptOf(readBlocks(page), new URL(server.url).host));
    const child = Bun.spawn(["bash", script], {
      cwd: folder,
      env: {
        PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
        HOME: join(folder, "home"),
        LANG: "C.UTF-8",
        WAYMARK__DATA__DIR: installation.dataDir,
        WAYMARK__SERVER__PORT: "0",
        TOKEN: token,
        AUTH: `Authorization: Bearer ${token}`,
        API: `${server.url}/admin/v1`,
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
    rmSync(folder, { recursive: true, force: true });
  }
}
