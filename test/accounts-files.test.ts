/** What accounts of the role `user` may do with files, and what deleting an account removes. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { driveClient, type DriveClient } from "./support/drive.ts";
import { type Client, PASSWORD, signIn, startSignedIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

/** Jobs run once a minute, and this waits longer. */
const OVER_A_MINUTE = 2_800;
const BROWSER =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36";

let installation: Installation;
let server: RunningWaymark;
let admin: Client;
let chief: DriveClient;
let user: DriveClient;
let other: DriveClient;

beforeAll(async () => {
  ({ installation, server, client: admin } = await startSignedIn());
  chief = driveClient(server.url, admin.token);
  user = await account("user");
  other = await account("other");
});
afterAll(() => installation?.remove());

/** The drive of a new account. */
async function account(username: string): Promise<DriveClient & { id: number }> {
  const made = await admin.call("POST", "/users", { username, password: PASSWORD });
  expect(made.status).toBe(201);
  const { token } = await signIn(server.url, PASSWORD, username);
  return { ...driveClient(server.url, token), id: made.body.data.id };
}

const visit = (code: string, query = "") =>
  fetch(`${server.url}/${code}${query}`, { redirect: "manual", headers: { "User-Agent": BROWSER } });

/** Shares the entry at the path and returns the code. */
async function shareOf(drive: DriveClient, path: string): Promise<string> {
  const made = await drive.call("POST", `${path}/share`, {});
  expect(made.status).toBe(201);
  return made.body.data.code;
}

const stored = (): string[] =>
  readdirSync(join(installation.dataDir, "files"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^\.waymark-[0-9a-f-]{36}$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

async function expectNothingWrong(): Promise<void> {
  const { stdout, exitCode } = await installation.cli(["doctor", "--storage", "--json"]);
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
}

const beginTus = async (drive: DriveClient, name: string, size: number): Promise<string> => {
  const answer = await drive.send("/files/tus", {
    method: "POST",
    headers: {
      "Tus-Resumable": "1.0.0",
      "Upload-Length": String(size),
      "Upload-Metadata": `filename ${Buffer.from(name).toString("base64")}`,
    },
  });
  expect(answer.status).toBe(201);
  return answer.headers.get("Location")!;
};

test("an account has its own tree and shares, and the administrator sees the shares with their clicks", async () => {
  const folder = await user.folder("papers");
  expect(await other.folder("papers")).not.toBe(folder);
  const { id: file } = (await user.upload("a.txt", "one", { folder: String(folder) })).body.data;
  expect((await user.call("GET", "/folders")).body.data.folders).toHaveLength(1);
  expect((await chief.call("GET", "/folders")).body.data.folders).toHaveLength(0);

  const byFile = await shareOf(user, `/files/${file}`);
  const byFolder = await shareOf(user, `/folders/${folder}`);
  expect(await (await visit(byFile)).text()).toBe("one");
  expect(await (await visit(byFolder)).text()).toContain("a.txt");
  expect(await (await visit(byFolder, `?file=${file}`)).text()).toBe("one");

  const listed = async () =>
    (await admin.call("GET", "/links")).body.data.map(
      (link: { code: string; target: string; click_count: number }) =>
        `${link.code} ${link.target} ${link.click_count}`,
    );
  const expected = [`${byFile} waymark:file/${file} 1`, `${byFolder} waymark:folder/${folder} 1`].sort();
  await until(async () => (await listed()).sort().join() === expected.join(), OVER_A_MINUTE);
  const { data } = (await admin.call("GET", `/links/${byFolder}/analytics`)).body;
  // The file was a step within the folder.
  expect(data.total_clicks).toBe(1);

  expect((await user.call("DELETE", `/files/${file}/share/${byFile}`)).status).toBe(200);
  expect((await visit(byFile)).status).toBe(404);
  expect((await user.call("GET", `/files/${file}/share`)).body.data).toEqual([]);
  expect((await admin.call("DELETE", `/links/${byFolder}`)).status).toBe(403);
  const takeDown = { action: "take_down" };
  expect((await admin.call("POST", `/links/${byFolder}/review`, takeDown)).status).toBe(200);
  expect((await visit(byFolder)).status).toBe(410);
  expect((await admin.call("DELETE", `/links/${byFolder}`)).status).toBe(200);
  expect((await user.call("GET", `/folders/${folder}/share`)).body.data).toEqual([]);
  expect((await visit(byFolder)).status).toBe(404);
});

test("an account cannot choose codes on the site", async () => {
  const { id } = (await user.upload("chosen.txt", "x")).body.data;
  for (const code of ["chosen", ".well-known/acme-challenge/x", "sitemap.xml"]) {
    const refused = await user.call("POST", `/files/${id}/share`, { code });
    expect([refused.status, refused.body.code]).toEqual([403, 1003]);
    expect(refused.body.message).toContain("leave code out");
    expect((await visit(code)).status).toBe(404);
  }
  for (const code of [null, ""]) {
    const made = await user.call("POST", `/files/${id}/share`, { code });
    expect(made.body.data.code).toMatch(/^[A-Za-z0-9]{14}$/);
  }
});

test("no account, not even the administrator, reaches another account's files by id", async () => {
  const folder = await user.folder("private");
  const { id: file } = (await user.upload("private.txt", "secret")).body.data;
  const byFile = await shareOf(user, `/files/${file}`);
  const byFolder = await shareOf(user, `/folders/${folder}`);
  const tus = await beginTus(user, "resumable", 5);
  const bytes = {
    "Tus-Resumable": "1.0.0",
    "Upload-Offset": "0",
    "Content-Type": "application/offset+octet-stream",
  };
  for (const stranger of [other, chief]) {
    const own = await stranger.folder("own");
    const { id: ownFile } = (await stranger.upload("own.txt", "x")).body.data;
    for (const [method, path, body, code] of [
      ["GET", `/folders/${folder}`, undefined, 7001],
      ["PATCH", `/folders/${folder}`, { name: "stolen" }, 7001],
      ["DELETE", `/folders/${folder}`, undefined, 7001],
      ["POST", "/folders", { name: "x", parent_id: folder }, 7001],
      ["PATCH", `/folders/${own}`, { parent_id: folder }, 7001],
      ["POST", `/files/upload?folder_id=${folder}`, {}, 7001],
      ["GET", `/files/${file}`, undefined, 7000],
      ["GET", `/files/${file}/download`, undefined, 7000],
      ["PATCH", `/files/${file}`, { name: "stolen" }, 7000],
      ["PATCH", `/files/${ownFile}`, { folder_id: folder }, 7001],
      ["DELETE", `/files/${file}`, undefined, 7000],
      ["POST", `/files/${file}/share`, {}, 7000],
      ["GET", `/files/${file}/share`, undefined, 7000],
      ["DELETE", `/files/${file}/share/${byFile}`, undefined, 7000],
      ["DELETE", `/files/${ownFile}/share/${byFile}`, undefined, 3000],
      ["POST", `/folders/${folder}/share`, {}, 7001],
      ["GET", `/folders/${folder}/share`, undefined, 7001],
      ["DELETE", `/folders/${folder}/share/${byFolder}`, undefined, 7001],
      ["DELETE", `/folders/${own}/share/${byFolder}`, undefined, 3000],
      // The id of the other kind is not found.
      ["POST", `/files/${own}/share`, {}, 7000],
      ["POST", `/folders/${ownFile}/share`, {}, 7001],
    ] as const)
      expect([method, path, ...(await stranger.refusal(method, path, body))]).toEqual([
        method,
        path,
        404,
        code,
      ]);
    for (const [method, headers] of [
      ["HEAD", { "Tus-Resumable": "1.0.0" }],
      ["PATCH", bytes],
      ["DELETE", { "Tus-Resumable": "1.0.0" }],
    ] as const) {
      const init = { method, headers, ...(method === "PATCH" && { body: "stole" }) };
      expect([method, (await stranger.send(tus, init)).status]).toEqual([method, 404]);
    }
    const listing = JSON.stringify((await stranger.call("GET", "/folders")).body.data);
    expect(listing).not.toContain("private");
  }
  expect((await visit(byFile)).status).toBe(200);
  expect((await user.send(tus, { method: "PATCH", headers: bytes, body: "hello" })).status).toBe(204);
});

test("a disabled account's shares are not served until it is enabled", async () => {
  const resting = await account("resting");
  const { id } = (await resting.upload("rests.txt", "here again")).body.data;
  const rests = await shareOf(resting, `/files/${id}`);
  expect((await visit(rests)).status).toBe(200);
  await admin.call("PATCH", `/users/${resting.id}`, { disabled: true });
  expect((await visit(rests)).status).toBe(404);
  expect(await resting.refusal("GET", `/files/${id}`)).toEqual([401, 1001]);
  expect(await resting.refusal("GET", "/folders")).toEqual([401, 1001]);
  await expectNothingWrong();
  await admin.call("PATCH", `/users/${resting.id}`, { disabled: false });
  expect(await (await visit(rests)).text()).toBe("here again");
});

test("deleting an account deletes its files, shares and unfinished uploads only", async () => {
  const going = await account("going");
  const same = "what two accounts have";
  await chief.upload("kept.txt", same);
  const before = stored().length;
  const top = await going.folder("top");
  const deep = await going.folder("deep", top);
  await going.upload("same.txt", same, { folder: String(deep) });
  for (let i = 0; i < 30; i++) await going.upload(`${i}`, `content ${i}`, { folder: String(deep) });
  const goes = await shareOf(going, `/folders/${top}`);
  const tus = await beginTus(going, "never finished", 10);
  const headers = {
    "Tus-Resumable": "1.0.0",
    "Upload-Offset": "0",
    "Content-Type": "application/offset+octet-stream",
  };
  expect((await going.send(tus, { method: "PATCH", headers, body: "hello" })).status).toBe(204);
  expect(stored().length).toBe(before + 31);
  expect((await visit(goes)).status).toBe(200);

  expect((await admin.call("DELETE", `/users/${going.id}`)).status).toBe(200);
  expect((await visit(goes)).status).toBe(404);
  expect(await going.refusal("GET", "/folders")).toEqual([401, 1001]);
  await expectNothingWrong();
  // The jobs of the minute run at the start: first the tree is deleted, then unfinished uploads.
  for (const left of [before + 1, before]) {
    const { port } = new URL(server.url);
    await server.stop();
    server = await installation.serve({ WAYMARK__SERVER__PORT: port });
    await until(() => stored().length <= left, OVER_A_MINUTE);
    // The job may leave rows for its next run, a minute later.
    await Bun.sleep(500);
  }
  await until(async () => (await admin.call("GET", `/links/${goes}`)).status === 404, OVER_A_MINUTE);
  await expectNothingWrong();
  const { files } = (await chief.call("GET", "/folders")).body.data;
  const kept = files.find(({ name }: { name: string }) => name === "kept.txt");
  expect(await (await chief.send(`/files/${kept.id}/download`)).text()).toBe(same);
  // The name is free, and a new account of that name has no files.
  const next = await account("going");
  expect((await next.call("GET", "/folders")).body.data).toMatchObject({ folders: [], files: [] });
  expect((await next.call("GET", "/files/usage")).body.data).toEqual({ used_bytes: 0, quota_bytes: 0 });
  expect((await visit(goes)).status).toBe(404);
}, 240_000);
