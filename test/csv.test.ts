/**
 * Links exported from one installation and imported into another, over HTTP and by command, with the server running and
 * stopped.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sendRaw } from "./support/raw-http.ts";
import { type Client, startSignedIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import { type Installation, install, type RunningWaymark } from "./support/waymark.ts";

const HEADER = "code,target,created_at,expires_at,password,click_count";

let installation: Installation;
let server: RunningWaymark;
let client: Client;

beforeAll(async () => {
  ({ installation, server, client } = await startSignedIn());
  // Clicks counted between two exports would make them differ.
  await client.call("PUT", "/config/click.enable_tracking", { value: "false" });
});
afterAll(() => installation.remove());

const targetOf = async (code: string): Promise<string | null> =>
  (await fetch(`${server.url}/${code}`, { redirect: "manual" })).headers.get("Location");

async function upload(text: string, mode?: string) {
  const form = new FormData();
  form.set("file", new File([text], "links.csv", { type: "text/csv" }));
  if (mode !== undefined) form.set("mode", mode);
  const response = await client.fetch("/links/import", { method: "POST", body: form });
  return { status: response.status, body: await response.json() };
}
const exported = async (query = ""): Promise<string> => (await client.fetch(`/links/export${query}`)).text();

test("an import applies to the next redirect, even for cached links", async () => {
  expect(await targetOf("sale")).toBeNull();
  const first = await upload("code,target,password\nsale,https://x.y/1,secret\nsale/now,https://x.y/2,\n");
  expect(first.body.data).toMatchObject({ total_rows: 2, success_count: 2, failed_items: [] });
  expect(await targetOf("sale")).toBe("https://x.y/1");
  expect(await targetOf("sale/now")).toBe("https://x.y/2");
  await upload("code,target\nsale,https://x.y/3\n", "overwrite");
  expect(await targetOf("sale")).toBe("https://x.y/3");
  await upload("code,target\nsale,https://x.y/4\n");
  expect(await targetOf("sale")).toBe("https://x.y/3");
});

test("import and export need an administrator", async () => {
  for (const [method, path] of [
    ["GET", "export"],
    ["POST", "import"],
  ] as const) {
    const response = await fetch(`${server.url}/admin/v1/links/${path}`, { method });
    expect([response.status, (await response.json()).code]).toEqual([401, 1001]);
  }
});

test("an export is a chunked download without Content-Length", async () => {
  const { head, text } = await sendRaw(
    server.url,
    `GET /admin/v1/links/export?search=sale%2F HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.token}\r\n\r\n`,
  );
  expect(head).toStartWith("HTTP/1.1 200");
  expect(head).toMatch(/\r\nTransfer-Encoding: chunked(\r\n|$)/i);
  expect(head).not.toMatch(/content-length/i);
  expect(head).toMatch(/\r\nContent-Type: text\/csv; charset=utf-8(\r\n|$)/i);
  expect(head).toMatch(
    /\r\nContent-Disposition: attachment; filename="shortlinks_export_\d{8}_\d{6}\.csv"(\r\n|$)/i,
  );
  expect(text).toContain(`\r\n${HEADER}\nsale/now,https://x.y/2,`);
});

test("a running server serves links that a command imports", async () => {
  expect(await targetOf("sale")).toBe("https://x.y/3");
  const imported = await installation.cli(
    ["links", "import", "-", "--mode", "overwrite"],
    "code,target\nsale,https://x.y/5\nnew,https://x.y/6\n",
  );
  expect(imported).toMatchObject({ exitCode: 0, stdout: "2 rows: 2 imported, 0 skipped, 0 failed.\n" });
  await until(async () => (await targetOf("sale")) === "https://x.y/5");
  await until(async () => (await targetOf("new")) === "https://x.y/6");
});

test("an export restores a fresh installation byte for byte", async () => {
  await upload(
    'code,target,created_at,expires_at,password,click_count\nq,"https://x.y/?a=""b"",c",2001-02-03T04:05:06.789Z,2099-01-01T00:00:00Z,pw,12\n',
  );
  const text = await exported();
  expect(text).toContain(
    'q,"https://x.y/?a=""b"",c",2001-02-03T04:05:06.789Z,2099-01-01T00:00:00.000Z,"$argon2id$',
  );

  const path = join(installation.dataDir, "links.csv");
  const { exitCode, stderr } = await installation.cli(["links", "export", path, "--search", "new"]);
  expect([exitCode, stderr]).toEqual([
    0,
    expect.stringMatching(
      /Left out: \d+ links that the filter does not find; columns such as domain.*--columns all/,
    ),
  ]);
  expect((await installation.cli(["links", "export", path])).exitCode).toBe(0);
  expect(readFileSync(path, "utf8")).toBe(text);
  expect(statSync(path).mode & 0o777).toBe(0o600);

  // A target that is no regular file is written through, not replaced.
  const link = join(installation.dataDir, "link.csv");
  symlinkSync(path, link);
  expect((await installation.cli(["links", "export", link])).exitCode).toBe(0);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(path, "utf8")).toBe(text);

  const other = install();
  try {
    const result = await other.cli(["links", "import", path, "--json"]);
    expect(JSON.parse(result.stdout)).toMatchObject({ failed_count: 0, skipped_count: 0 });
    expect((await other.cli(["links", "export"])).stdout).toBe(text);
  } finally {
    await other.remove();
  }
});

test("the commands report errors with an exit code", async () => {
  const path = join(installation.dataDir, "bad.csv");
  writeFileSync(path, "code,target\nadmin,https://x.y\nfine,https://x.y\n");
  const half = await installation.cli(["links", "import", path]);
  expect(half).toMatchObject({ exitCode: 1, stdout: "2 rows: 1 imported, 0 skipped, 1 failed.\n" });
  expect(half.stderr).toStartWith('line 2 ("admin"): ');
  const refused: string[][] = [
    ["links", "import", join(installation.dataDir, "none.csv")],
    ["links", "import", path, "--mode", "replace"],
    ["links", "export", "--only-active", "--only-expired"],
    ["links", "export", "--created-after", "yesterday"],
    ["links", "export", join(installation.dataDir, "none", "links.csv")],
  ];
  for (const args of refused) {
    const { exitCode, stdout, stderr } = await installation.cli(args);
    expect([args.join(" "), exitCode, stdout]).toEqual([args.join(" "), 2, ""]);
    expect(stderr).toStartWith("waymark: ");
  }
});
