/**
 * What members of a team may do with its files, by each role and over each endpoint: nobody else finds them, viewers
 * read, editors change, managers give them away.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type DriveClient, driveClient } from "./support/drive.ts";
import { type Client, signIn } from "./support/session.ts";
import { startShared } from "./support/shared-server.ts";
import { ALL, MANAGES, MEMBERS, READS, type Way, type Who, WRITES } from "./support/team-ways.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const PASSWORD = "a long password";

let installation: Installation;
let server: RunningWaymark;
let admin: Client;
let drive: DriveClient;
let paths: Record<string, Record<string, object>>;
const drives = {} as Record<Who, DriveClient>;

beforeAll(async () => {
  ({ installation, server, client: admin } = await startShared("team-files"));
  drive = drives.admin = driveClient(server.url, admin.token);
  for (const who of ["stranger", ...MEMBERS] as const) {
    const username = `team.${who}`;
    await admin.call("POST", "/users", { username, password: PASSWORD, role: "user" });
    drives[who] = driveClient(server.url, (await signIn(server.url, PASSWORD, username)).token);
  }
  const members = MEMBERS.map((role) => ({ account: `team.${role}`, role }));
  await admin.call("POST", "/teams", { name: "press", members });
  await admin.call("POST", "/teams", {
    name: "sales",
    members: [{ account: "team.stranger", role: "manager" }],
  });
  ({ paths } = (await (await admin.fetch("/openapi.json")).json()) as { paths: typeof paths });
});
afterAll(() => installation.remove());

const folderOf = async (owner: string, name: string = crypto.randomUUID()): Promise<number> =>
  (await drive.call("POST", "/folders", { name, owner })).body.data.id;

/** A folder of the team with a file and its version, a share and a drop box of each, an upload, and a file in the trash. */
async function fresh() {
  const folder = await folderOf("team:press");
  const file = async (name: string) =>
    (await drive.upload(name, "text", { folder: String(folder) })).body.data.id;
  const [stays, trashed] = [await file("stays.txt"), await file("trashed.txt")];
  await drive.call("POST", `/files/${trashed}/trash`);
  await drive.send(`/files/${stays}/content`, { method: "PUT", body: "other" });
  const [version] = (await drive.call("GET", `/files/${stays}/versions`)).body.data;
  const codeOf = async (path: string, body: object = {}) =>
    (await drive.call("POST", path, body)).body.data.code as string;
  const begun = await drive.send("/files/tus", {
    method: "POST",
    headers: {
      "Tus-Resumable": "1.0.0",
      "Upload-Length": "4",
      "Upload-Metadata": `filename ${btoa("tus.txt")},folder_id ${btoa(String(folder))}`,
    },
  });
  return {
    folder,
    stays,
    version: version.id as number,
    trashed,
    upload: begun.headers.get("Location")!.split("/").at(-1)!,
    shares: {
      files: await codeOf(`/files/${stays}/share`),
      folders: await codeOf(`/folders/${folder}/share`),
      drop: await codeOf(`/folders/${folder}/drop`, { max_bytes: 10, max_files: 1 }),
    },
  };
}

const TUS = {
  "Tus-Resumable": "1.0.0",
  "Upload-Offset": "0",
  "Content-Type": "application/offset+octet-stream",
  "X-HTTP-Method-Override": "PATCH",
};

async function wayOf(client: DriveClient, method: string, path: string, body?: object): Promise<Way> {
  const isTus = path.startsWith("/files/tus/");
  const response = await client.send(path, {
    method,
    ...(isTus && { headers: TUS }),
    ...(body !== undefined && { body: isTus ? "text" : JSON.stringify(body) }),
  });
  await response.bytes();
  if (response.status === 404) return "hidden";
  return response.status === 403 || response.status === 401 ? "refused" : "let in";
}

function concrete(path: string, at: Awaited<ReturnType<typeof fresh>>): string {
  const id = path.startsWith("/files/tus/")
    ? at.upload
    : path.startsWith("/trash/")
      ? at.trashed
      : path.startsWith("/folders/")
        ? at.folder
        : at.stays;
  const { files, folders, drop } = at.shares;
  const code = path.includes("/drop/") ? drop : path.startsWith("/folders/") ? folders : files;
  const version = String(at.version);
  return path.replace("{id}", String(id)).replace("{code}", code).replace("{version}", version);
}

test("every endpoint of a file, folder, share and entry of the trash lets those in whom their role allows", async () => {
  const operations = Object.entries(paths)
    .filter(([path]) => /^\/(files|folders|shares|trash)\b.*\{/.test(path))
    .flatMap(([path, methods]) => Object.keys(methods).map((name) => ({ path, method: name.toUpperCase() })))
    .filter(({ method }) => method !== "OPTIONS");
  expect(operations.length).toBeGreaterThan(25);
  const unchanged = await fresh();
  for (const { method, path } of operations) {
    const isRead = method === "GET" || method === "HEAD";
    let at = isRead ? unchanged : await fresh();
    for (const who of ALL) {
      const body = isRead ? undefined : path.endsWith("/drop") ? { max_bytes: 10, max_files: 1 } : {};
      const way = await wayOf(drives[who], method, concrete(path, at), body);
      expect([method, path, who, way]).toEqual([method, path, who, (isRead ? READS : WRITES)[who]]);
      const isSpent = method === "DELETE" || /\/(trash|restore|tus\/\{id\})$/.test(path);
      if (isSpent && !isRead && way === "let in") at = await fresh();
    }
  }
});

test("lists, searches, uploads and quotas take the team's name, from its members", async () => {
  await fresh();
  for (const who of ALL) {
    const client = drives[who];
    const sees: Way = who === "stranger" ? "refused" : "let in";
    const changes: Way = who === "viewer" ? "refused" : sees;
    for (const path of ["/folders", "/files/usage", "/files/search", "/trash", "/shares"]) {
      const q = path.endsWith("search") ? "&q=stays" : "";
      expect([path, who, await wayOf(client, "GET", `${path}?owner=team:press${q}`)]).toEqual([
        path,
        who,
        sees,
      ]);
      if (sees === "refused") continue;
      const { data } = (await client.call("GET", `${path}?team=press${q}`)).body;
      const list = data.folders ?? data;
      expect([path, (list.length ?? list.used_bytes) > 0]).toEqual([path, true]);
      const own = (await client.call("GET", `${path}?${q.slice(1)}`)).body.data;
      expect([path, own.folders?.length ?? own.length ?? own.used_bytes]).toEqual([path, 0]);
    }
    const name = crypto.randomUUID();
    const tus = await client.send("/files/tus", {
      method: "POST",
      headers: {
        "Tus-Resumable": "1.0.0",
        "Upload-Length": "4",
        "Upload-Metadata": `filename ${btoa(`${name}.tus`)},owner ${btoa("team:press")}`,
      },
    });
    expect([who, tus.status]).toEqual([who, changes === "let in" ? 201 : 403]);
    const form = new FormData();
    form.append("file", new File(["text"], `${name}.txt`));
    const uploaded = await client.send("/files/upload?team=press", { method: "POST", body: form });
    expect([who, uploaded.status]).toEqual([who, changes === "let in" ? 201 : 403]);
    if (uploaded.ok)
      expect(((await uploaded.json()) as { data: object }).data).toMatchObject({ owner: "team:press" });
    else await uploaded.bytes();
    expect([who, await wayOf(client, "POST", "/folders", { name, owner: "team:press" })]).toEqual([
      who,
      changes,
    ]);
    expect([who, await wayOf(client, "DELETE", "/trash?team=press")]).toEqual([who, changes]);
    await fresh();
  }
  expect(await drive.refusal("GET", "/folders?owner=team:nobody")).toEqual([400, 1000]);
  expect(await drive.refusal("GET", "/folders?owner=team.viewer")).toEqual([403, 1003]);
});

test("an empty owner is refused, because it would change nothing", async () => {
  await admin.call("POST", "/links", { code: "kept", target: "https://example.com" });
  const at = await fresh();
  for (const [method, path, more] of [
    ["POST", "/folders", { name: "new" }],
    ["PATCH", `/folders/${at.folder}`, {}],
    ["PATCH", `/files/${at.stays}`, {}],
    ["POST", "/links", { target: "https://example.com" }],
    ["PATCH", "/links/kept", {}],
    ["PUT", "/links/kept", { target: "https://example.com" }],
    ["POST", "/links/batch/query", { filter: { codes: ["kept"] }, action: "update", set: {} }],
  ] as const) {
    const body = "set" in more ? { ...more, set: { owner: "" } } : { ...more, owner: "" };
    const answer = await (path.startsWith("/links") ? admin : drive).call(method, path, body);
    expect([path, answer.status, answer.body.message]).toEqual([
      path,
      400,
      expect.stringContaining("owner must name an account or team:{name}"),
    ]);
  }
});

test("managers give a folder away with all in it, and links to it go along", async () => {
  for (const who of ALL) {
    const at = await fresh();
    const owner = who === "admin" ? "team-files" : `team.${who}`;
    const way = await wayOf(drives[who], "PATCH", `/folders/${at.folder}`, { owner });
    expect([who, way]).toEqual([who, MANAGES[who]]);
    const reader = way === "let in" ? drives[who] : drive;
    const contents = (await reader.call("GET", `/folders/${at.folder}`)).body.data;
    const now = way === "let in" ? owner : "team:press";
    expect(contents).toMatchObject({ owner: now, folder: { owner: now, parent_id: null } });
    expect(contents.files).toMatchObject([{ name: "stays.txt", owner: now }]);
    for (const code of Object.values(at.shares)) {
      expect((await reader.call("GET", `/shares/${code}`)).status).toBe(200);
      expect((await admin.call("GET", `/links/${code}`)).body.data).toMatchObject({ code, owner: now });
    }
    expect((await fetch(`${server.url}/${at.shares.files}`)).status).toBe(200);
  }
  const { stays } = await fresh();
  const given = { owner: "team.manager", name: "mine.txt" };
  expect((await drives.manager.call("PATCH", `/files/${stays}`, given)).body.data).toMatchObject({
    ...given,
    folder_id: null,
  });
  expect(await drives.editor.refusal("GET", `/files/${stays}`)).toEqual([404, 7000]);
  const { events } = { events: (await admin.call("GET", "/events?action=file.transfer")).body.data };
  expect(events[0]).toMatchObject({
    actor: "team.manager",
    before: { owner: "team:press" },
    after: { owner: "team.manager" },
  });
});

test("a folder with a policy that it can't have is not given away either", async () => {
  const at = await fresh();
  const given = { owner: "team.manager", policy_id: 4_711 };
  expect(await drives.manager.refusal("PATCH", `/folders/${at.folder}`, given)).toEqual([404, 7002]);
  const { owner } = (await drives.manager.call("GET", `/folders/${at.folder}`)).body.data;
  expect(owner).toBe("team:press");
});

test("editors turn links of the team into shares of its files and back, and no link leaves what it serves", async () => {
  const at = await fresh();
  const target = "https://example.com/";
  await admin.call("POST", "/users", { username: "writer", password: PASSWORD, role: "editor" });
  const members = [
    ...MEMBERS.map((role) => ({ account: `team.${role}`, role })),
    { account: "writer", role: "manager" },
  ];
  const { data: teams } = (await admin.call("GET", "/teams?search=press")).body;
  const team = teams.find(({ name }: { name: string }) => name === "press").id;
  await admin.call("PATCH", `/teams/${team}`, { members });
  const writer = await signIn(server.url, PASSWORD, "writer");
  await writer.call("POST", "/links", { code: "leads", target });
  const patch = async (body: object) => {
    const answer = await writer.call("PATCH", "/links/leads", body);
    return [answer.status, answer.body.data?.owner ?? answer.body.message];
  };
  expect(await patch({ file_id: at.stays, owner: "writer" })).toEqual([
    400,
    expect.stringContaining("goes with it"),
  ]);
  expect(await patch({ file_id: at.stays })).toEqual([200, "team:press"]);
  expect(await patch({ owner: "writer" })).toEqual([400, expect.stringContaining("goes with it")]);
  expect(await patch({ target, owner: "writer" })).toEqual([200, "writer"]);
  expect(await patch({ file_id: at.stays, owner: "team:press" })).toEqual([200, "team:press"]);
});

test("an account or team that is deleted leaves its files to the owner in transfer_to, within its quota", async () => {
  await admin.call("POST", "/users", { username: "leaver", password: PASSWORD, role: "user" });
  const leaver = driveClient(server.url, (await signIn(server.url, PASSWORD, "leaver")).token);
  const folder = await leaver.folder("work");
  await leaver.upload("a.txt", "12345", { folder: String(folder) });
  const { id } = (await admin.call("GET", "/users?search=leaver")).body.data[0];
  const small = (await admin.call("POST", "/teams", { name: "small", quota_bytes: 4 })).body.data.id;
  const remove = (to: string) => admin.call("DELETE", `/users/${id}?transfer_to=${to}`);
  const refused = await remove("team:small");
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining("5 bytes")]);
  await admin.call("PATCH", `/teams/${small}`, { quota_bytes: 5 });
  expect((await remove("team:small")).status).toBe(200);
  expect((await admin.call("DELETE", `/teams/${small}`)).status).toBe(409);
  expect((await admin.call("DELETE", `/teams/${small}?transfer_to=team-files`)).status).toBe(200);
  const { data } = (await drive.call("GET", "/files/search?q=a.txt")).body;
  expect(data[0].path.map(({ name }: { name: string }) => name)).toEqual(["small", "leaver", "work"]);
});
