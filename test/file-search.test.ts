/** The search for files over HTTP: answers, pages, refusals. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { driveClient, type DriveClient } from "./support/drive.ts";
import { type Client, PASSWORD, signIn } from "./support/session.ts";
import { startShared } from "./support/shared-server.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

let installation: Installation;
let server: RunningWaymark;
let admin: Client;
let me: DriveClient;

beforeAll(async () => {
  ({ installation, server, client: admin } = await startShared());
  me = driveClient(server.url, admin.token);
});
afterAll(() => installation.remove());

type Found = { data: { name: string }[]; next_cursor: string | null };
const search = async (query: string, by = me): Promise<Found> =>
  (await by.call("GET", `/files/search?${query}`)).body as never;

test("entries are found with their paths, in pages, and only by their owner", async () => {
  const folder = await me.folder("Reports & more");
  const file = (await me.upload("report 1.txt", "hello", { folder: String(folder) })).body.data;
  expect(await search("q=%26")).toMatchObject({ data: [{ id: folder, kind: "folder", folder_id: null }] });
  expect(await search("q=REPORT%201")).toEqual({
    code: 0,
    message: "OK",
    data: [
      {
        id: file.id,
        kind: "file",
        name: "report 1.txt",
        folder_id: folder,
        path: [{ id: folder, name: "Reports & more" }],
        size: 5,
        mime_type: "text/plain",
        modified_at: file.modified_at,
        is_linked: false,
        policy_id: null,
        created_at: file.created_at,
        updated_at: file.updated_at,
      },
    ],
    next_cursor: null,
  } as never);
  const first = await search("q=report&limit=1");
  const cursor = first.next_cursor ?? "";
  expect(first.data.map(({ name }) => name)).toEqual(["Reports & more"]);
  const second = await search(`q=report&limit=1&cursor=${cursor}`);
  expect([second.data.map(({ name }) => name), second.next_cursor]).toEqual([["report 1.txt"], null]);

  await admin.call("POST", "/users", { username: "other", password: PASSWORD });
  const other = driveClient(server.url, (await signIn(server.url, PASSWORD, "other")).token);
  expect((await search("q=report", other)).data).toEqual([]);
});

test.each([
  ["", [400, 1000]],
  ["q=", [400, 1000]],
  [`q=${"x".repeat(256)}`, [400, 1000]],
  ["q=x&cursor=%21", [400, 1000]],
  [`q=x&cursor=${Buffer.from('{"parentId":-1,"name":""}').toString("base64url")}`, [400, 1000]],
] as [string, [number, number]][])("the query %p is refused", async (query, refusal) => {
  expect(await me.refusal("GET", `/files/search?${query}`)).toEqual(refusal);
});

test("the address allows GET only, and hides no file", async () => {
  expect(await me.refusal("DELETE", "/files/search")).toEqual([405, 1006]);
  expect((await search("q=%00")).data).toEqual([]);
  expect((await search("q=%ff")).data).toEqual([]);
});
