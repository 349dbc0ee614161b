/** Settings decide who signs in and how. What deletes all of a person deletes an account. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openNewRooms } from "../scripts/openapi.ts";
import { accountWith } from "../src/auth/second-factor/factors.test-support.ts";
import type { Endpoint, HttpContext } from "../src/platform/http/endpoint.ts";
import type { SignInMethod } from "../src/lib/credential.ts";
import { refusal } from "../src/links/links.test-support.ts";

/** They store nothing. */
const FREE = ["POST /config/reload", "POST /config/restart", "POST /config/:key/action"];

let opened: Awaited<ReturnType<typeof openNewRooms>>;
let changes: [route: string, admit: Endpoint["admit"]][];

beforeAll(async () => {
  opened = await openNewRooms();
  changes = opened.api.tables
    .flatMap(({ endpoints }) => endpoints)
    .filter(({ tag, method }) => ["config", "privacy"].includes(tag) && method !== "GET")
    .map(({ method, path, admit }): [string, Endpoint["admit"]] => [`${method} ${path}`, admit])
    .filter(([route]) => !FREE.includes(route));
});
afterAll(() => opened.close());

test("a session changes settings, and deletes what is stored of a person, once it has shown the second factor", async () => {
  expect(changes.length).toBe(5);
  for (const app of [true, false]) {
    const account = await accountWith(opened.house.database, opened.house as never, { app });
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
