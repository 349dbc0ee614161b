/** An API token of one folder in WebDAV and MCP. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type DriveClient, driveClient } from "../support/drive.ts";
import type { Client } from "../support/session.ts";
import { startShared } from "../support/shared-server.ts";
import type { Installation, RunningWaymark } from "../support/waymark.ts";

let installation: Installation;
let server: RunningWaymark;
let admin: Client;
let drive: DriveClient;

beforeAll(async () => {
  ({ installation, server, client: admin } = await startShared());
  drive = driveClient(server.url, admin.token);
});
afterAll(() => installation.remove());

const tokenOf = async (folder: number) => {
  const body = { name: crypto.randomUUID(), scopes: ["files:read", "files:write"], folder_id: folder };
  return (await admin.call("POST", "/tokens", body)).body.data.token as string;
};

test("WebDAV reaches the folder; those above only lead there, and nothing outside is there", async () => {
  const top = await drive.folder("Top of all");
  await drive.upload("OUTSIDE.txt", "out", { folder: String(top) });
  const bound = await drive.folder("Bound é", top);
  await drive.upload("in.txt", "in", { folder: String(bound) });
  const token = await tokenOf(bound);
  const ask = async (method: string, path: string, headers: Record<string, string> = {}, body?: string) => {
    const address = encodeURI(`/admin/dav/${path}`);
    const answer = await fetch(server.url + address, {
      method,
      headers: { Authorization: `Basic ${btoa(`admin:${token}`)}`, ...headers },
      ...(body !== undefined && { body }),
    });
    const text = await answer.text();
    const hrefs = [...text.matchAll(/<D:href>([^<]*)<\/D:href>/g)].map(([, href]) => decodeURI(href!));
    expect([path, text.includes("OUTSIDE"), text.includes("quota-used")]).toEqual([path, false, false]);
    return { status: answer.status, text, hrefs };
  };
  const HOME = "files/Top of all/Bound é";
  for (const [path, hrefs] of [
    ["", ["/admin/dav/", "/admin/dav/files/"]],
    ["files", ["/admin/dav/files/", "/admin/dav/files/Top of all/"]],
    ["files/Top of all", ["/admin/dav/files/Top of all/", `/admin/dav/${HOME}/`]],
    [HOME, [`/admin/dav/${HOME}/`, `/admin/dav/${HOME}/in.txt`]],
  ] as const)
    expect((await ask("PROPFIND", path, { Depth: "1" })).hrefs).toEqual([...hrefs]);
  for (const path of ["teams", "files/other", "files/Top of all/OUTSIDE.txt", "files/Top of all/new"]) {
    expect([path, (await ask("PROPFIND", path, { Depth: "0" })).status]).toEqual([path, 404]);
    expect([path, (await ask("GET", path)).status]).toEqual([path, 404]);
    expect([path, (await ask("PUT", path, {}, "x")).status]).toEqual([path, 404]);
  }
  expect((await ask("GET", `${HOME}/in.txt`)).text).toBe("in");
  expect((await ask("PUT", `${HOME}/new.txt`, {}, "new")).status).toBe(201);
  const to = (path: string) => ({ Destination: server.url + encodeURI(`/admin/dav/${path}`) });
  expect((await ask("MOVE", `${HOME}/new.txt`, to("files/Top of all/new.txt"))).status).toBe(404);
  expect((await ask("COPY", `${HOME}/new.txt`, to("files/new.txt"))).status).toBe(404);
  expect((await ask("MOVE", `${HOME}/new.txt`, to(`${HOME}/moved.txt`))).status).toBe(201);
  // The folder itself stays as it is, and those above.
  for (const path of [HOME, "files/Top of all", "files"])
    for (const method of ["DELETE", "MKCOL", "PUT"])
      expect([method, path, (await ask(method, path)).status]).toEqual([method, path, 405]);
  expect((await ask("MOVE", HOME, to(`${HOME}/x`))).status).toBe(405);
});

test("the header If tells nothing of what is outside of the folder", async () => {
  const top = await drive.folder("Above");
  const bound = await drive.folder("Bound", top);
  const dav = `${server.url}/admin/dav/files`;
  const send = (
    token: string,
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ) =>
    fetch(`${dav}/${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...headers },
      ...(body !== undefined && { body }),
    });
  await drive.upload("in.txt", "in", { folder: String(bound) });
  const all = (await admin.call("POST", "/tokens", { name: "all", scopes: ["files:read", "files:write"] }))
    .body;
  const token = await tokenOf(bound);
  const lock = `<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope></lockinfo>`;
  const urn = (await send(all.data.token, "LOCK", "Above/out.txt", {}, lock)).headers.get("Lock-Token")!;
  const tagOf = async (path: string) => (await send(all.data.token, "HEAD", path, {})).headers.get("ETag")!;
  const put = async (path: string, condition: string) => {
    const headers = { If: `</admin/dav/files/${path}> (${condition})` };
    return (await send(token, "PUT", "Above/Bound/new.txt", headers, "x")).status < 300;
  };
  expect(await put("Above/Bound/in.txt", `[${await tagOf("Above/Bound/in.txt")}]`)).toBe(true);
  for (const condition of [`[${await tagOf("Above/out.txt")}]`, '["x"]', urn, "<urn:x>"])
    for (const path of ["Above/out.txt", "Above/none.txt"])
      expect([await put(path, condition), await put(path, `Not ${condition}`)]).toEqual([false, true]);
});

test("MCP offers it what needs no more than the folder", async () => {
  const token = await tokenOf(await drive.folder("For a model"));
  const answer = await fetch(`${server.url}/admin/v1/mcp`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
  });
  const text = await answer.text();
  const offers = (tool: string) => text.includes(`"name":"${tool}"`);
  expect([answer.status, ...["list_folder", "list_shares", "shorten"].map(offers)]).toEqual([
    200,
    true,
    true,
    false,
  ]);
});
