/** Takes the disk of a linked folder away, by unmounting it, while two nodes list, send and share what lies there. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DIALECT_NAMES } from "../../src/platform/db/fresh.test-support.ts";
import { createMigrated } from "../../src/platform/db/schema-copy.test-support.ts";
import { type DriveClient, driveClient } from "../support/drive.ts";
import { PASSWORD, signIn } from "../support/session.ts";
import { until } from "../support/until.ts";
import { install } from "../support/waymark.ts";
import { type Bounds, type Fault, missingCommand, missingRoot, type Outcome, run } from "./row.ts";

const FILES = 20;
const READERS = 4;
const LONGEST_AWAY_MS = 4_000;

const textOf = (at: number): string => `file ${at} `.repeat(50_000);

/** A folder that is on a disk of its own. */
function mountedFolder() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "waymark-linked-")));
  const [source, path] = [join(folder, "source"), join(folder, "photos")];
  for (const one of [source, path]) mkdirSync(one);
  for (let at = 0; at < FILES; at++) writeFileSync(join(source, `${at}.txt`), textOf(at));
  const back = () => void run(["mount", "--bind", source, path]);
  back();
  return {
    folder,
    path,
    back,
    /** Running reads keep it open. */
    away: () => void run(["umount", "-l", path]),
    remove() {
      Bun.spawnSync(["umount", "-l", path]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function takeDiskAway({ database, rounds, say }: Bounds): Promise<Outcome[]> {
  const fresh = await createMigrated(database);
  const disk = mountedFolder();
  const settings = { WAYMARK__DATABASE__URL: fresh.url, WAYMARK__STORAGE__LOCAL_ROOTS: disk.folder };
  const nodes = [install(settings), install(settings)];
  const said = new Map<string, number>();
  const outcome: Outcome = {
    subject: "files",
    rounds: 0,
    answered: 0,
    refused: 0,
    lost: [],
    doubled: [],
    recoveryMs: 0,
    said,
  };
  try {
    await nodes[0]!.run(["reset-password", "--stdin"], PASSWORD);
    const { id } = JSON.parse(await nodes[0]!.run(["files", "link", disk.path, "/Photos", "--json"]));
    await nodes[0]!.run(["files", "share", "/Photos", "--code", "photos"]);
    const clients: { url: string; me: DriveClient }[] = [];
    for (const node of nodes) {
      const { url } = await node.serve();
      clients.push({ url, me: driveClient(url, (await signIn(url)).token) });
    }
    const list = async ({ me }: (typeof clients)[number]) => me.call("GET", `/folders/${id}`);
    const idsOf = async (client: (typeof clients)[number]): Promise<string> => {
      const { files } = (await list(client)).body.data as { files: { id: number; name: string }[] };
      return JSON.stringify(files.map((file) => [file.id, file.name]));
    };
    const known = JSON.parse(await idsOf(clients[0]!)) as [id: number, name: string][];
    if (known.length !== FILES) throw new Error(`${known.length} files are listed`);
    const state = { isOver: false };

    /** 200 with the right bytes, cut, or told as away: never as gone, empty or something else. */
    function judge(what: string, status: number, isRight: boolean): void {
      if (status === 200 && isRight) outcome.answered++;
      else if (status === 502) {
        outcome.refused++;
        said.set(`${what}: 502`, (said.get(`${what}: 502`) ?? 0) + 1);
      } else outcome.lost.push(`${what}: ${status}${isRight ? "" : ", and not what is there"}`);
    }
    async function read(turn: number): Promise<void> {
      for (let at = turn; !state.isOver; at++) {
        const client = clients[at % clients.length]!;
        const [file, name] = known[at % FILES]!;
        const sent = await client.me.send(`/files/${file}/download`);
        const text = await sent.text().catch(() => null);
        if (text !== null) judge(name, sent.status, text === textOf(Number(name.replace(".txt", ""))));
        const listed = await list(client);
        judge("the list", listed.status, listed.body.data?.files?.length === FILES);
        const page = await fetch(`${client.url}/photos`, { headers: { Accept: "text/html" } });
        judge("the share", page.status, (await page.text()).includes("19.txt"));
      }
    }
    const reading = Array.from({ length: READERS }, (_, turn) => read(turn));
    for (; outcome.rounds < rounds; outcome.rounds++) {
      await Bun.sleep(500 + Math.random() * 1_000);
      disk.away();
      const { refused } = outcome;
      await Bun.sleep(Math.random() * LONGEST_AWAY_MS);
      await until(() => outcome.refused > refused);
      disk.back();
      const begun = performance.now();
      for (const client of clients) await until(async () => (await list(client)).status === 200);
      outcome.recoveryMs = Math.max(outcome.recoveryMs, performance.now() - begun);
      say(`${outcome.answered} answered, ${outcome.refused} refused`);
    }
    state.isOver = true;
    await Promise.all(reading);
    for (const client of clients)
      if ((await idsOf(client)) !== JSON.stringify(known)) outcome.lost.push("the list has changed");
    return [outcome];
  } finally {
    await Promise.all(nodes.map((node) => node.remove()));
    disk.remove();
    await fresh.drop();
  }
}

export const LINKED_AWAY: Fault = {
  name: "a linked folder: its disk goes away and comes back",
  databases: DIALECT_NAMES,
  rounds: 3,
  missing: () => missingRoot() ?? missingCommand("mount", "umount"),
  run: takeDiskAway,
};
