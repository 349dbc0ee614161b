/** Settings decide who signs in and how. What deletes all of a person deletes an account. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApi } from "../src/server/app-http.ts";
import { accountWith } from "../src/auth/second-factor/factors.test-support.ts";
import { loadEnv } from "../src/platform/settings/env.ts";
import type { Endpoint, HttpContext } from "../src/platform/http/endpoint.ts";
import type { SignInMethod } from "../src/lib/credential.ts";
import { silentLogger } from "../src/lib/logger.ts";
import { refusal } from "../src/links/links.test-support.ts";
import { openServices } from "../src/server/services.ts";

const ABSENT = undefined as never;
/** They store nothing. */
const FREE = ["POST /config/reload", "POST /config/:key/action"];

const folder = mkdtempSync(join(tmpdir(), "waymark-factor-"));
const env = loadEnv({ cwd: folder, processEnv: { WAYMARK__DATA__DIR: folder } });
let services: Awaited<ReturnType<typeof openServices>>;
let changes: [route: string, admit: Endpoint["admit"]][];

beforeAll(async () => {
  services = await openServices(env, { logger: silentLogger, server: false });
  const parts = { health: ABSENT, system: ABSENT, scrape: ABSENT, live: ABSENT, explainLink: ABSENT };
  changes = createApi({ services, ...parts, ask: ABSENT })
    .tables.flatMap(({ endpoints }) => endpoints)
    .filter(({ tag, method }) => ["config", "privacy"].includes(tag) && method !== "GET")
    .map(({ method, path, admit }): [string, Endpoint["admit"]] => [`${method} ${path}`, admit])
    .filter(([route]) => !FREE.includes(route));
});
afterAll(async () => {
  await services.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a session changes settings, and deletes what is stored of a person, once it has shown the second factor", async () => {
  expect(changes.length).toBe(5);
  for (const app of [true, false]) {
    const account = await accountWith(services.database, services as never, { app });
    const asked = async (signedInBy: SignInMethod | null, token?: object) => {
      const credential = { sessionId: "", expiresAt: 0, signedInBy, signedInAt: 0, factorId: null };
      const caller = token === undefined ? { ...account, credential } : { ...account, token };
      const c = { get: () => caller } as unknown as HttpContext;
      return Promise.all(changes.map(([, admit]) => refusal(Promise.resolve(admit?.(c)))));
    };
    const unproved = changes.map(() => (app ? "Forbidden" : "no error"));
    for (const by of [null, "password", "oidc"] as const) expect(await asked(by)).toEqual(unproved);
    for (const by of ["totp", "recovery_code", "passkey", "oidc_mfa"] as const)
      expect(await asked(by)).toEqual(changes.map(() => "no error"));
    expect(await asked(null, {})).toEqual(changes.map(() => "no error"));
  }
});
