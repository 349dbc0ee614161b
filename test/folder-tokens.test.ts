/**
 * An API token of one folder reaches that folder and what is below it: every endpoint of files, with things inside and
 * outside. An endpoint that says nothing of such tokens refuses them.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type DriveClient, driveClient } from "./support/drive.ts";
import { type Client, clientOf, signIn } from "./support/session.ts";
import { startShared } from "./support/shared-server.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const SCOPES = ["files:read", "files:write", "links:read", "links:write", "analytics:read"];
const BOX = { max_bytes: 10, max_files: 1 };

let installation: Installation;
let server: RunningWaymark;
let admin: Client;
let drive: DriveClient;
let operations: { method: string; path: string }[];

beforeAll(async () => {
  ({ installation, server, client: admin } = await startShared());
  drive = driveClient(server.url, admin.token);
  const { paths } = (await (await admin.fetch("/openapi.json")).json()) as { paths: Record<string, object> };
  operations = Object.entries(paths)
    .filter(([path]) => /^\/(files|folders|shares|trash)\b/.test(path))
    .flatMap(([path, methods]) => Object.keys(methods).map((name) => ({ path, method: name.toUpperCase() })))
    .filter(({ method }) => method !== "OPTIONS");
});
afterAll(() => installation.remove());

const tokenOf = async (folder: number) => {
  const body = { name: crypto.randomUUID(), scopes: SCOPES, folder_id: folder };
  const { data } = (await admin.call("POST", "/tokens", body)).body;
  expect(data.folder_id).toBe(folder);
  return { folder, drive: driveClient(server.url, data.token), client: clientOf(server.url, data.token) };
};

const tusHeaders = (folder: number) => ({
  "Tus-Resumable": "1.0.0",
  "Upload-Length": "4",
  "Upload-Offset": "0",
  "Content-Type": "application/offset+octet-stream",
  "X-HTTP-Method-Override": "PATCH",
  "Upload-Metadata": `filename ${btoa(`${crypto.randomUUID()}.tus`)},folder_id ${btoa(String(folder))}`,
});

/** A folder with one of each. Their names begin with `mark`. */
async function things(mark: string, parent: number | null) {
  const folder = await drive.folder(`${mark} ${crypto.randomUUID()}`, parent);
  const inner = await drive.folder(`${mark} inner`, folder);
  const file = async (name: string) =>
    (await drive.upload(`${mark} ${name}.txt`, mark, { folder: String(inner) })).body.data.id as number;
  const [stays, trashed] = [await file("stays"), await file("trashed")];
  await drive.call("POST", `/files/${trashed}/trash`);
  const codeOf = async (path: string, body: object = {}) =>
    (await drive.call("POST", path, body)).body.data.code as string;
  const { headers } = await drive.send("/files/tus", {
    method: "POST",
    headers: { ...tusHeaders(inner), "Content-Type": "" },
  });
  return {
    folder,
    inner,
    stays,
    trashed,
    upload: headers.get("Location")!.split("/").at(-1)!,
    files: await codeOf(`/files/${stays}/share`),
    folders: await codeOf(`/folders/${inner}/share`),
    items: await codeOf("/shares", { items: [{ file_id: stays }, { folder_id: inner }] }),
    drop: await codeOf(`/folders/${inner}/drop`, BOX),
  };
}
type Things = Awaited<ReturnType<typeof things>>;

async function ask(client: DriveClient, { method, path }: (typeof operations)[number], at: Things) {
  const isTus = path.startsWith("/files/tus");
  const id = isTus
    ? at.upload
    : path.startsWith("/trash")
      ? at.trashed
      : path.startsWith("/folders")
        ? at.inner
        : at.stays;
  const code = path.includes("/drop/") ? at.drop : path.startsWith("/folders") ? at.folders : at.files;
  const given = path
    .replace("{id}", String(id))
    .replace("{code}", code)
    .replace(/\{\w+\}/g, "1");
  const query = { "/files/search": "?q=txt", "/files/upload": `?folder_id=${at.inner}` }[path] ?? "";
  const form = new FormData();
  form.append("file", new File(["text"], `${crypto.randomUUID()}.txt`));
  const json =
    path === "/folders"
      ? { name: crypto.randomUUID(), parent_id: at.inner }
      : path === "/shares"
        ? { items: [{ file_id: at.stays }] }
        : path.endsWith("/drop")
          ? BOX
          : {};
  const body = path === "/files/upload" ? form : isTus ? "text" : JSON.stringify(json);
  const answer = await client.send(given + query, {
    method,
    ...(isTus && { headers: tusHeaders(at.inner) }),
    ...(!["GET", "HEAD"].includes(method) && { body }),
  });
  return { status: answer.status, text: await answer.text() };
}

test("nothing outside is reached by any endpoint, and nothing of it changes", async () => {
  const outside = await things("OUTSIDE", null);
  const bound = await tokenOf((await things("inside", outside.folder)).folder);
  const seen = async () =>
    JSON.stringify([
      (await drive.call("GET", `/folders/${outside.inner}`)).body.data,
      (await drive.call("GET", "/shares?search=OUTSIDE")).body.data.length,
      (await drive.call("GET", "/trash")).body.data.filter(({ name }: { name: string }) =>
        name.startsWith("OUTSIDE"),
      ).length,
    ]);
  const before = await seen();
  expect(operations.length).toBeGreaterThan(40);
  for (const operation of operations) {
    const { status, text } = await ask(bound.drive, operation, outside);
    // These are about what is in the folder of the token.
    const isList = ["/files/search", "/files/usage", "/shares", "/trash"].includes(operation.path);
    const isOk = isList && (status === 200 || operation.method === "POST");
    expect([operation, isOk || [403, 404].includes(status), text.includes("OUTSIDE")]).toEqual([
      operation,
      true,
      false,
    ]);
  }
  expect(await seen()).toBe(before);
});

test("inside, what needs no more than the folder works, and endpoints about all files refuse", async () => {
  const outside = await things("OUTSIDE", null);
  const inside = await things("inside", outside.folder);
  const bound = await tokenOf(inside.folder);
  const refused: string[] = [];
  for (const operation of operations) {
    const { status, text } = await ask(bound.drive, operation, inside);
    const name = `${operation.method} ${operation.path}`;
    if (status === 403 || status === 404) refused.push(name);
    expect([name, text.includes("OUTSIDE")]).toEqual([name, false]);
    if (["DELETE", "POST"].includes(operation.method) && status < 300) {
      // It may be gone now.
      Object.assign(inside, await things("inside", inside.folder), { folder: bound.folder });
    }
  }
  expect(refused).toContain("GET /folders");
  for (const works of [
    "GET /files/search",
    "GET /files/usage",
    "GET /shares",
    "GET /trash",
    "DELETE /trash",
    "POST /trash/{id}/restore",
    "DELETE /trash/{id}",
    "POST /files/upload",
    "POST /files/tus",
    "PATCH /files/tus/{id}",
    "GET /files/{id}",
    "GET /files/{id}/download",
    "GET /files/{id}/sha256",
    "PUT /files/{id}/content",
    "GET /files/{id}/versions",
    "PATCH /files/{id}",
    "DELETE /files/{id}",
    "POST /files/{id}/trash",
    "POST /folders",
    "GET /folders/{id}",
    "PATCH /folders/{id}",
    "DELETE /folders/{id}",
    "GET /folders/{id}/archive",
    "POST /folders/{id}/share",
    "POST /folders/{id}/drop",
    "POST /shares",
    "GET /shares/{code}",
    "PATCH /shares/{code}",
    "DELETE /shares/{code}",
  ])
    expect([works, refused.includes(works)]).toEqual([works, false]);
  const found = (await bound.drive.call("GET", "/files/search?q=stays")).body.data;
  expect(new Set(found.map(({ path }: { path: { id: number }[] }) => path[0]?.id))).toEqual(
    new Set([inside.folder]),
  );
  const listed = (await bound.drive.call("GET", `/folders/${inside.inner}`)).body.data;
  expect(listed.path[0].id).toBe(inside.folder);
});

test("trash, usage and shares are those of what is in the folder", async () => {
  const outside = await things("OUTSIDE", null);
  const inside = await things("inside", outside.folder);
  const { drive: bound } = await tokenOf(inside.folder);
  const data = async (path: string) => (await bound.call("GET", path)).body.data;
  const [trashed, ...others] = await data("/trash");
  expect(others).toEqual([]);
  expect([trashed.id, trashed.path.map(({ id }: { id: number }) => id)]).toEqual([
    inside.trashed,
    [inside.folder, inside.inner],
  ]);
  expect((await data("/trash?cursor=&limit=5")).length).toBe(1);
  expect((await data("/files/usage")).used_bytes).toBe("inside".length);
  const codes = async (query = "") =>
    (await data(`/shares${query}`)).map(({ code }: { code: string }) => code).toSorted();
  const own = [inside.files, inside.folders, inside.items, inside.drop].toSorted();
  expect([await codes(), await codes("?cursor=")]).toEqual([own, own]);
  const mixed = { items: [{ file_id: inside.stays }, { file_id: outside.stays }] };
  await drive.call("POST", "/shares", mixed);
  expect(await codes()).toEqual(own);
  await drive.call("POST", `/folders/${outside.folder}/share`, {});
  for (const query of ["", "&around=true", "&around=true&cursor="])
    expect([query, await codes(`?entries=${inside.stays},${inside.inner}${query}`)]).toEqual([query, own]);
  expect((await bound.call("GET", "/shares?all=true")).status).toBe(403);
  const restored = await bound.call("POST", `/trash/${inside.trashed}/restore`, {});
  expect([restored.status, restored.body.data.path[0].id]).toEqual([200, inside.folder]);
  await drive.call("POST", `/files/${inside.trashed}/trash`);
  const elsewhere = { folder_id: outside.inner };
  expect((await bound.call("POST", `/trash/${inside.trashed}/restore`, elsewhere)).status).toBe(404);
  expect((await bound.call("DELETE", "/trash")).body.data.deleted).toBe(1);
  const left = (await drive.call("GET", "/trash")).body.data.map(({ id }: { id: number }) => id);
  expect([left.includes(outside.trashed), left.includes(inside.trashed)]).toEqual([true, false]);
});

test("nothing leads out: targets of moves, shares and links, the folder itself, other owners", async () => {
  const outside = await things("OUTSIDE", null);
  const inside = await things("inside", outside.folder);
  const { drive: bound, client } = await tokenOf(inside.folder);
  const status = async (method: string, path: string, body?: object) =>
    (await bound.call(method, path, method === "GET" ? undefined : (body ?? {}))).status;
  for (const [path, body] of [
    [`/files/${inside.stays}`, { folder_id: outside.inner }],
    [`/files/${inside.stays}`, { folder_id: null }],
    [`/files/${inside.stays}`, { owner: "admin" }],
    [`/folders/${inside.inner}`, { parent_id: outside.folder }],
    [`/folders/${inside.inner}`, { parent_id: null }],
    [`/folders/${inside.folder}`, { name: "another" }],
    [`/shares/${inside.files}`, { file_id: outside.stays }],
    [`/shares/${inside.files}`, { folder_id: outside.folder }],
    [`/shares/${inside.files}`, { drop: { folder_id: outside.inner, ...BOX } }],
    [`/shares/${inside.files}`, { items: [{ file_id: inside.stays }, { file_id: outside.stays }] }],
    [`/shares/${outside.items}`, { title: "x" }],
  ] as const)
    expect([path, body, [403, 404].includes(await status("PATCH", path, body))]).toEqual([path, body, true]);
  expect(await status("DELETE", `/folders/${inside.folder}`)).toBe(403);
  expect(await status("POST", `/folders/${inside.folder}/trash`)).toBe(403);
  expect(await status("POST", "/folders", { name: "top" })).toBe(403);
  expect((await bound.upload("top.txt", "x")).status).toBe(403);
  expect(
    await status("POST", "/shares", { items: [{ file_id: inside.stays }, { file_id: outside.stays }] }),
  ).toBe(404);
  for (const query of ["names=admin", "search=ad"])
    expect((await client.call("GET", `/people?${query}`)).status).toBe(403);
  // Links to URLs are as the scopes say; what they serve is changed at /shares.
  await admin.call("POST", "/links", { code: "plain", target: "https://example.com" });
  expect((await client.call("PATCH", "/links/plain", { title: "T" })).status).toBe(200);
  for (const use of [
    { file_id: outside.stays },
    { file_id: inside.stays },
    { drop: { folder_id: inside.inner, ...BOX } },
  ])
    expect((await client.call("PATCH", "/links/plain", use)).status).toBe(403);
  for (const code of [outside.files, inside.files])
    expect((await client.call("DELETE", `/links/${code}`)).status).toBe(403);
  // The folder goes, and is nobody's any more.
  await drive.call("DELETE", `/folders/${inside.folder}`);
  expect(await status("GET", `/folders/${inside.folder}`)).toBe(404);
  expect(await status("GET", "/files/search?q=OUTSIDE")).toBe(404);
});

test("a token is bound when it is made, to a folder that its account reaches, and not with the scope admin", async () => {
  const { folder } = await things("inside", null);
  const refusal = async (more: object, client = admin) => {
    const body = { name: crypto.randomUUID(), scopes: ["files:read"], folder_id: folder, ...more };
    return (await client.call("POST", "/tokens", body)).status;
  };
  expect(await refusal({ scopes: ["files:read", "admin"] })).toBe(400);
  expect(await refusal({ scopes: ["links:read"] })).toBe(400);
  expect(await refusal({ folder_id: 999_999_999 })).toBe(404);
  await admin.call("POST", "/users", { username: "bound.user", password: "a long password", role: "user" });
  const user = await signIn(server.url, "a long password", "bound.user");
  expect(await refusal({}, user)).toBe(404);
  const args = ["tokens", "add", "app", "--scope", "files:read", "--folder", String(folder), "--json"];
  expect(JSON.parse(await installation.run(args))).toMatchObject({ name: "app", folder_id: folder });
  const events = (await admin.call("GET", "/events?action=token.create")).body.data;
  expect(events[0]).toMatchObject({ subject: "app", after: { folder_id: folder } });
});
