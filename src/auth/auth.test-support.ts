/** Test support: the auth room on a real database behind real HTTP routing, with a manual clock. */
import { createClientAddress } from "./proxies.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Changes, createChanges } from "../platform/cluster/changes.ts";
import { createConfig } from "../platform/config/config.service.ts";
import { type Database, openDatabase } from "../platform/db/database.ts";
import { createMigratedFile } from "../platform/db/schema-copy.test-support.ts";
import { createEvents } from "../platform/events/events.service.ts";
import { CORS_OFF } from "../platform/http/app.test-support.ts";
import { createHttpApp } from "../platform/http/app.ts";
import { type Endpoint, endpoint } from "../platform/http/endpoint.ts";
import { silentLogger } from "../lib/logger.ts";
import { createSecretBox } from "../lib/secret-box.ts";
import { createAuth } from "./auth.ts";
import { createPasswords, type Passwords } from "./login/password.ts";
import type { FailureMethod } from "./auth-core.ts";

/** Of password hashes where the cost is not the subject. */
export const LOW_COST = { memoryCost: 64, timeCost: 1 };

export const ADMIN_PASSWORD = "correct horse battery";

export type Envelope = {
  code: number;
  error?: string;
  message: string;
  data?: Record<string, unknown>;
  pagination?: Record<string, number>;
};

export type ApiResponse = { status: number; headers: Headers; text: string; json: Envelope };

export type RequestOptions = {
  body?: unknown;
  headers?: Record<string, string>;
  /** Address of the peer. */
  peer?: string;
};

/** Stand for the endpoints of other rooms. */
const PROBES = (["GET", "POST", "PUT", "PATCH", "DELETE"] as const).flatMap((method) =>
  (["public", "account", "editor", "admin"] as const).map((access) =>
    endpoint(`${method} /probe/${access}`, {
      access,
      scope: access === "public" ? null : "files",
      tag: "probe",
      summary: "",
      handle: ({ account }) => ({ account: account?.username ?? null }),
    }),
  ),
);

/** SQLite in a temporary folder, for tests whose queries are the same on every database. */
export function createTestFolder() {
  const folder = mkdtempSync(join(tmpdir(), "waymark-test-"));
  const opened: Database[] = [];
  return {
    /** Opens the named database, migrated; the same name opens the same data. */
    async open(name = "test"): Promise<Database> {
      const path = join(folder, `${name}.db`);
      await createMigratedFile(path);
      const settings = { url: `sqlite:${path}`, poolSize: 1 };
      const database = await openDatabase(settings, { threads: false, logger: silentLogger });
      opened.push(database);
      return database;
    },
    async remove(): Promise<void> {
      for (const database of opened) await database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export type AuthHarness = Awaited<ReturnType<typeof startAuth>>;

/** Mails that were queued. */
export type QueuedMail = { to: string; kind: string; content: { url: string }; onceKey: string | undefined };

type AuthOptions = {
  /** Set: mails can be sent, and come here. */
  mails?: QueuedMail[];
  passwords?: Passwords;
  /** More endpoints below the admin prefix. */
  more?: (changes: Changes) => Promise<readonly Endpoint[]>;
};

export async function startAuth(database: Database, settings: AuthOptions = {}) {
  const { passwords = createPasswords(undefined, LOW_COST), more = async () => [] } = settings;
  const time = { now: Date.UTC(2026, 10, 20, 12) };
  const clock = { now: () => time.now };
  const failures: FailureMethod[] = [];
  const changes = createChanges({ database, clock, logger: silentLogger });
  const events = createEvents({ database, clock });
  const config = createConfig({
    database,
    changes,
    record: events.add,
    clock,
    logger: silentLogger,
    startup: true,
  });
  await changes.poll();
  await config.start();
  const auth = createAuth({
    files: () => ({ giveAll: async () => {}, finishAll: async () => {} }),
    database,
    changes,
    record: events.add,
    config,
    box: createSecretBox(() => new Uint8Array(32)),
    passwords,
    proxies: createClientAddress(() => config.get("api.trusted_proxies")),
    mail: {
      isOffered: () => settings.mails !== undefined,
      panelUrl: (path) => `https://go.example.com/panel${path}`,
      async queue(_, to, { kind, content }, options) {
        const isKnown = settings.mails?.some(
          ({ onceKey }) => onceKey !== undefined && onceKey === options?.onceKey,
        );
        if (settings.mails === undefined || isKnown) return null;
        return settings.mails.push({ to: to.email, kind, content, onceKey: options?.onceKey });
      },
    },
    clock,
    logger: silentLogger,
    describeAgent: (text) => ({ browser: text.split("/")[0] || "Other", os: text.split("/")[1] ?? "Other" }),
    onFailure: (method) => failures.push(method),
  });
  const app = createHttpApp({
    tables: [
      { prefix: "/admin/v1", endpoints: [...auth.endpoints, ...PROBES], guard: auth.guard },
      { prefix: "/panel/v1", endpoints: auth.setUpEndpoints, guard: auth.guard },
      { prefix: "/admin", endpoints: await more(changes), guard: auth.guard },
      { prefix: "/health", endpoints: PROBES, guard: auth.healthGuard },
    ],
    gates: [
      { prefix: "/admin", isOpen: auth.isAdminEnabled },
      { prefix: "/health", isOpen: auth.isHealthEnabled },
    ],
    cors: () => CORS_OFF,
    newRequestId: () => "request",
    logger: silentLogger,
  });

  async function request(method: string, path: string, options: RequestOptions = {}): Promise<ApiResponse> {
    const { body, headers: sent = {}, peer = "192.0.2.1" } = options;
    const headers = new Headers(sent);
    if (body !== undefined && !headers.has("Content-Type")) headers.set("Content-Type", "application/json");
    const init: RequestInit = { method, headers };
    if (body !== undefined) init.body = typeof body === "string" ? body : JSON.stringify(body);
    const connection = {
      peerAddress: () => peer,
      origin: () => "http://localhost",
      prefix: () => "",
      liftIdleTimeout: () => {},
      cut: () => {},
    };
    const response = await app.fetch(new Request(`http://waymark.test${path}`, init), connection);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text.startsWith("{") ? JSON.parse(text) : { code: -1, message: "" },
    };
  }

  return { time, auth, config, events, changes, failures, request };
}

const AUTH_ONLY = ["svc_refresh", "waymark_device"];

/** Keeps cookies as a browser does and sends the CSRF cookie in the header. */
export class Browser {
  readonly cookies = new Map<string, string>();

  constructor(
    readonly harness: AuthHarness,
    readonly peer = "192.0.2.1",
  ) {}

  async send(
    method: string,
    path: string,
    { body, headers = {} }: RequestOptions = {},
  ): Promise<ApiResponse> {
    const isSent = (name: string) => !AUTH_ONLY.includes(name) || path.includes("/auth/");
    const cookies = [...this.cookies].filter(([name]) => isSent(name));
    const csrf = this.cookies.get("csrf_token");
    const received = await this.harness.request(method, path, {
      body,
      headers: {
        ...(cookies.length > 0 && { Cookie: cookies.map(([name, value]) => `${name}=${value}`).join("; ") }),
        ...(csrf !== undefined && { "X-CSRF-Token": csrf }),
        ...headers,
      },
      peer: this.peer,
    });
    for (const cookie of received.headers.getSetCookie()) {
      const [name, value] = cookie.split(";")[0]!.split("=") as [string, string];
      if (cookie.includes("Max-Age=0")) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return received;
  }

  login(password: string, username?: string): Promise<ApiResponse> {
    return this.send("POST", "/admin/v1/auth/login", { body: { password, ...(username && { username }) } });
  }

  refresh = (): Promise<ApiResponse> => this.send("POST", "/admin/v1/auth/refresh");

  status = async (access: "account" | "editor" | "admin" = "account"): Promise<number> =>
    (await this.send("GET", `/admin/v1/probe/${access}`)).status;

  get(name: string): string {
    const value = this.cookies.get(name);
    if (value === undefined) throw new Error(`The browser has no cookie ${name}.`);
    return value;
  }

  /** Another tab, or a thief. */
  copy(): Browser {
    const copy = new Browser(this.harness, this.peer);
    for (const [name, value] of this.cookies) copy.cookies.set(name, value);
    return copy;
  }
}
