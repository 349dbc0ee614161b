import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "../../lib/logger.ts";
import { type MountedApi, mountApi } from "../../links/links-api.test-support.ts";
import { importEndpoints } from "./imports.routes.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-forms-"));
let api: MountedApi;
beforeAll(async () => {
  const imports = { makeFolder: async () => undefined, pathOf: (file: string) => join(folder, file) };
  api = await mountApi(async () => importEndpoints({ imports: imports as never, logger: silentLogger }));
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

test("with strict handling unknown fields of the form are refused, and no file stays", async () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ product: "csv", onconflict: "fail" })) form.set(name, value);
  form.set("file", new File(["code,target\na,https://x.y/1\n"], "links.csv"));
  const headers = { Prefer: "handling=strict" };
  const refused = await api.ask("/imports", { method: "POST", body: form, headers });
  expect([refused.status, (await refused.json()).message]).toEqual([400, "onconflict is unknown."]);
  expect(readdirSync(folder)).toEqual([]);
});
