/** Files, shares and drop boxes from the command line, beside a running server. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startShared } from "./support/shared-server.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

let installation: Installation;
let server: RunningWaymark;

beforeAll(async () => {
  ({ installation, server } = await startShared());
});
afterAll(() => installation.remove());

const visit = async (code: string) => (await fetch(`${server.url}/${code}`)).text();
const json = async (...args: string[]) => JSON.parse(await installation.run([...args, "--json"]));

test("a folder goes up, is shared, and comes back", async () => {
  const source = join(installation.dataDir, "Reports");
  mkdirSync(join(source, "2026"), { recursive: true });
  writeFileSync(join(source, "2026", "a.txt"), "a report");
  expect(await json("files", "put", source)).toMatchObject({ uploaded: 1, bytes: 8, failed: 0 });
  expect(await json("files", "put", source)).toMatchObject({ uploaded: 0, unchanged: 1 });
  expect(await installation.run(["files", "ls", "/Reports"])).toContain("2026/");

  const share = await json(
    "files",
    "share",
    "/Reports/2026/a.txt",
    "--code",
    "commands-report",
    "--expires",
    "7d",
  );
  expect([share.kind, share.expires_at === null]).toEqual(["file", false]);
  // A running server follows the change feed.
  await until(async () => (await visit("commands-report")) === "a report", 400);
  expect(
    await json("shares", "update", "commands-report", "--title", "Mine", "--max-downloads", "9"),
  ).toMatchObject({
    title: "Mine",
    max_downloads: 9,
  });
  expect(await installation.run(["shares", "ls"])).toContain(share.short_url);

  const box = await json("drops", "create", "/Reports", "--code", "commands-box", "--max-files", "1");
  expect(box).toMatchObject({ kind: "drop", drop: { max_files: 1, max_bytes: 1_000_000_000 } });
  const asks = ["--require", "email", "--sender-folders", "--type", "PDF", "--type", "image/*"];
  const limits = ["--max-files", "2", "--max-file-size", "10"];
  expect(await json("drops", "update", "commands-box", ...limits, ...asks)).toMatchObject({
    drop: {
      max_files: 2,
      max_file_size: 10,
      require: "email",
      sender_folders: true,
      types: [".pdf", "image/*"],
    },
  });
  expect(
    await json(
      "drops",
      "update",
      "commands-box",
      "--require",
      "none",
      "--no-sender-folders",
      "--clear-max-file-size",
      "--clear-types",
    ),
  ).toMatchObject({
    drop: { max_files: 2, max_file_size: null, require: "none", sender_folders: false, types: [] },
  });
  await until(async () => (await fetch(`${server.url}/commands-box`)).ok);
  const form = new FormData();
  form.append("file", new File(["from outside"], "sent.txt"));
  expect((await fetch(`${server.url}/commands-box`, { method: "POST", body: form })).status).toBeLessThan(
    400,
  );
  const received = await json("drops", "files", "commands-box");
  expect(received).toMatchObject({ files: [{ name: "sent.txt", size: 12 }], next_cursor: null });

  await installation.run(["files", "mv", String(received.files[0].file_id), "/Reports/2026/b.txt"]);
  await installation.run(["files", "get", "/Reports/2026/b.txt", "copy.txt"]);
  expect(readFileSync(join(installation.dataDir, "copy.txt"), "utf8")).toBe("from outside");
  expect((await installation.cli(["files", "get", "/Reports/2026/b.txt", "copy.txt"])).exitCode).toBe(4);
  expect(await json("files", "rm", "/Reports/2026/a.txt")).toMatchObject([{ name: "a.txt" }]);
  await until(async () => (await fetch(`${server.url}/commands-report`)).status === 404, 400);
  const [{ id }] = (await json("files", "trash")).trash;
  expect(await json("files", "restore", String(id), "--name", "back.txt")).toMatchObject([
    { id, name: "back.txt", path: [{ name: "Reports" }, { name: "2026" }] },
  ]);
  expect((await installation.cli(["files", "restore", String(id)])).exitCode).toBe(3);
  expect(await json("shares", "rm", "commands-report", "commands-box")).toHaveLength(2);
  expect((await installation.cli(["files", "ls", "/Reports/none"])).exitCode).toBe(3);
});
