/**
 * Texts that a database may refuse, in every parameter of every endpoint of the real program, on PostgreSQL, which
 * refuses most, and on the others in the long suite.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { forEachDialect } from "../src/platform/db/for-each-dialect.test-support.ts";
import { driveClient } from "./support/drive.ts";
import { type Client, startSignedIn } from "./support/session.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const HOSTILE = ["%00", "a%00b", "%ED%A0%80", "%FF", "%F4%8F%BF%BF", "9".repeat(400)];

type Parameter = { name: string; in: string };
type Operation = { parameters?: Parameter[] };
type Request = { method: string; url: string };

forEachDialect((dialect) => {
  let installation: Installation;
  let server: RunningWaymark;
  let client: Client;
  const known: Record<string, string> = { code: "known", tag: "known", key: "api.cookie_secure" };

  beforeAll(async () => {
    ({ installation, server, client } = await startSignedIn({ WAYMARK__DATABASE__URL: dialect.url() }));
    await client.call("POST", "/links", { code: "known", target: "https://example.com/", tags: ["known"] });
    const drive = driveClient(server.url, client.token);
    known["id"] = String(await drive.folder("known"));
  });
  afterAll(() => installation?.remove());

  const addressOf = (path: string, hostile: Record<string, string> = {}) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => hostile[name] ?? known[name] ?? "none");

  async function requests(): Promise<Request[]> {
    const document = (await (await client.fetch("/openapi.json")).json()) as {
      paths: Record<string, Record<string, Operation>>;
    };
    return Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([verb, { parameters = [] }]) => {
        const method = verb.toUpperCase();
        // A live stream does not end.
        if (path.endsWith("/live") || !["GET", "DELETE"].includes(method)) return [];
        return parameters.flatMap(({ name, in: place }) => {
          if (place === "path") {
            return HOSTILE.map((text) => ({ method, url: addressOf(path, { [name]: text }) }));
          }
          if (place !== "query" || method !== "GET") return [];
          return HOSTILE.map((text) => ({ method, url: `${addressOf(path)}?${name}=${text}` }));
        });
      }),
    );
  }

  test("no text in a path or query makes the server fail", async () => {
    const all = await requests();
    expect(all.length).toBeGreaterThan(400);
    const failed: string[] = [];
    for (const { method, url } of all) {
      const headers = { Authorization: `Bearer ${client.token}`, "Tus-Resumable": "1.0.0" };
      const response = await fetch(server.url + url, { method, headers, redirect: "manual" });
      await response.arrayBuffer();
      if (response.status >= 500) failed.push(`${response.status} ${method} ${url}`);
    }
    expect(failed).toEqual([]);
  });

  test("a filter with NUL is refused with a sentence", async () => {
    for (const path of ["/events?actor", "/users?search", "/links?search"]) {
      const { status, body } = await client.call("GET", `${path}=a%00b`);
      expect([status, body.code]).toEqual([400, 1000]);
      expect(body.message).toEndWith("must not have a NUL.");
    }
  });
});
