/** The generated TypeScript client against the real program: sign in, links, a token, files, refusals. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createWaymark,
  dataOf,
  type Link,
  signIn,
  upload,
  type WaymarkClient,
  WaymarkError,
} from "../clients/typescript/client.ts";
import { pixelsOfPng, scan } from "../src/links/qr/reading.test-support.ts";
import { installWithPassword, PASSWORD } from "./support/session.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const CLIENT = join(import.meta.dir, "..", "clients", "typescript");

let installation: Installation;
let server: RunningWaymark;
let admin: WaymarkClient;

beforeAll(async () => {
  installation = await installWithPassword();
  server = await installation.serve();
  admin = await signIn({ url: `${server.url}/` }, { password: PASSWORD });
});
afterAll(() => installation.remove());

const refusalOf = (call: Promise<unknown>): Promise<WaymarkError> =>
  call.then(
    () => Promise.reject(new Error("was accepted")),
    (error: unknown) => error as WaymarkError,
  );

test("a link is made, read, changed, listed and deleted", async () => {
  const body = { code: "a/b", target: "https://example.com/", title: "First" };
  const made: Link = await dataOf(admin.POST("/admin/v1/links", { body }));
  expect(made).toMatchObject({ ...body, click_count: 0, short_url: `${server.url}/a/b` });
  const params = { path: { code: "a/b" } };
  await dataOf(admin.PUT("/admin/v1/links/{code}", { params, body: { target: "https://example.org/" } }));
  expect(await dataOf(admin.GET("/admin/v1/links/{code}", { params }))).toMatchObject({
    target: "https://example.org/",
  });
  const { data: page } = await admin.GET("/admin/v1/links", { params: { query: { search: "first" } } });
  expect([page?.data.map(({ code }) => code), page?.pagination?.total]).toEqual([["a/b"], 1]);
  const { data: picture } = await admin.GET("/admin/v1/links/{code}/qr", {
    params: { ...params, query: { format: "png", size: 256 } },
    parseAs: "arrayBuffer",
  });
  expect(scan(pixelsOfPng(new Uint8Array(picture as unknown as ArrayBuffer)))).toBe(`${server.url}/a/b`);
  await dataOf(admin.DELETE("/admin/v1/links/{code}", { params }));
  const gone = await refusalOf(dataOf(admin.GET("/admin/v1/links/{code}", { params })));
  expect([gone.status, gone.error, gone.code]).toEqual([404, "LinkNotFound", 3000]);
});

test("a refusal says which fields are wrong", async () => {
  const wrong = await refusalOf(dataOf(admin.POST("/admin/v1/links", { body: { target: "nowhere" } })));
  expect(wrong).toBeInstanceOf(WaymarkError);
  expect([wrong.status, wrong.error]).toEqual([400, "LinkInvalidUrl"]);
  expect(wrong.details).toEqual([{ field: "target", message: wrong.message }]);
  const failed = await refusalOf(signIn({ url: server.url }, { password: "wrong" }));
  expect([failed.status, failed.error]).toEqual([401, "AuthFailed"]);
});

test("a file is uploaded into a folder and downloaded with an API token", async () => {
  const { token } = await dataOf(
    admin.POST("/admin/v1/tokens", { body: { name: "client", scopes: ["files:read", "files:write"] } }),
  );
  const client = createWaymark({ url: server.url, token });
  const folder = await dataOf(client.POST("/folders", { body: { name: "reports" } }));
  const file = await upload(client, new File(["hello"], "hello.txt"), folder.id);
  expect(file).toMatchObject({ name: "hello.txt", size: 5, folder_id: folder.id });
  const { data: content } = await client.GET("/files/{id}/download", {
    params: { path: { id: file.id } },
    parseAs: "text",
  });
  expect(content).toBe("hello");
  const refused = await refusalOf(dataOf(client.GET("/admin/v1/stats")));
  expect([refused.status, refused.error]).toEqual([403, "Forbidden"]);
});

test("the example of the README works", async () => {
  const { token } = await dataOf(
    admin.POST("/admin/v1/tokens", {
      body: { name: "example", scopes: ["admin", "links:read", "links:write", "files:write"] },
    }),
  );
  const readme = await Bun.file(join(CLIENT, "README.md")).text();
  const example = /```ts\n([^]*?)```/
    .exec(readme)![1]!
    .replace("@waymark/client", join(CLIENT, "client.ts"))
    .replace("https://go.example.com", server.url);
  const folder = mkdtempSync(join(tmpdir(), "waymark-client-"));
  try {
    await Bun.write(join(folder, "example.ts"), example);
    const child = Bun.spawn([process.execPath, join(folder, "example.ts")], {
      env: { ...process.env, WAYMARK_TOKEN: token },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect([await child.exited, err, out]).toEqual([0, "", `${server.url}/docs/start\ndocs/start 0\n`]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("another admin prefix", async () => {
  const other = await installWithPassword();
  try {
    await other.run(["config", "set", "routes.admin_prefix", "/manage/it"]);
    const moved = await other.serve();
    const client = await signIn({ url: moved.url, adminPrefix: "/manage/it" }, { password: PASSWORD });
    const link = await dataOf(client.POST("/admin/v1/links", { body: { target: "https://example.com/" } }));
    expect(link.target).toBe("https://example.com/");
  } finally {
    await other.remove();
  }
});
