/** A running instance with links and files, for tests of HTTP on the wire. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type DriveClient, driveClient } from "./drive.ts";
import type { Client } from "./session.ts";
import type { Installation, RunningWaymark } from "./waymark.ts";
import { dial, type Wire } from "./wire.ts";
import type { WireResponse } from "./wire-answer.ts";

export const TARGET = "https://example.com/there";
/** The link `a/b` leads to TARGET, `other` to OTHER. */
export const OTHER = "https://example.com/other";
const LINKS = { "a/b": TARGET, other: OTHER };

type Running = { installation: Installation; server: RunningWaymark; client: Client };

export type WireInstance = Running & {
  me: DriveClient;
  /** The header line of the account's token. */
  auth: string;
  /** Of all files that share the server. */
  countLinks(): Promise<number>;
  open(): Wire;
};

/** On a server of its own or the shared one, which may have the links. */
export async function startOnWire({ installation, server, client }: Running): Promise<WireInstance> {
  for (const [code, target] of Object.entries(LINKS)) {
    const made = await client.call("POST", "/links", { code, target });
    if (made.status !== 201 && made.status !== 409) throw new Error(`${code}: ${made.body.message}`);
  }
  const auth = `Authorization: Bearer ${client.token}\r\n`;
  const me = driveClient(server.url, client.token);
  const countLinks = async () => (await client.call("GET", "/stats")).body.data.total_links;
  return { installation, server, client, me, auth, countLinks, open: () => dial(server.url) };
}

/** Makes the links before a server runs. */
export async function prepare({ run }: Installation): Promise<void> {
  await run(["links", "import", "-"], ["code,target", ...Object.entries(LINKS).map(String)].join("\n"));
}

export const HOST = "Host: wire.example\r\n";

/** A request without a body. `fields` are whole lines. */
export const request = (target: string, fields = "", method = "GET"): string =>
  `${method} ${target} HTTP/1.1\r\n${HOST}${fields}\r\n`;

export const VISIT = request("/a/b");
export const VISIT_OTHER = request("/other");

/** Creates a link, if the body is one. Its refusal of WRONG_LINK shows that it was read. */
export const post = (auth: string, framing: string, body: string): string =>
  `POST /admin/v1/links HTTP/1.1\r\n${HOST}${auth}Content-Type: application/json\r\n${framing}\r\n${body}`;
export const WRONG_LINK = '{"target":"javascript:1"}';
/** The code of the error for WRONG_LINK. */
export const WRONG_LINK_CODE = 3002;

export const codeIn = ({ body }: WireResponse): number => JSON.parse(body.toString()).code;

/** The answer to one request on a connection of its own, which it closes. */
export async function ask(wire: Wire, bytes: string, method = "GET"): Promise<WireResponse> {
  wire.send(bytes);
  const answer = await wire.answer(method);
  wire.hangUp();
  return answer;
}

/**
 * What a server says to bytes that are no valid request, followed by a visit that it must not answer, and the end of
 * the connection: the statuses of its answers. One write, so that the server has read all when it closes: else the
 * system may reset the connection, and the answer is lost. So may that to more bytes than one read takes.
 */
export async function refusal(wire: Wire, bytes: string): Promise<number[]> {
  wire.send(bytes + VISIT_OTHER);
  const text = await wire.closed();
  wire.hangUp();
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}

/** With those of unfinished uploads. A file that goes meanwhile does not count. */
export function storedBytes({ dataDir }: Installation): number {
  const folder = join(dataDir, "files");
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
    .reduce((sum, found) => sum + (found?.isFile() ? found.size : 0), 0);
}

/** Of the process without its workers. */
export const openFilesOf = ({ process: { pid } }: RunningWaymark): number =>
  readdirSync(`/proc/${pid}/fd`).length;

/** Resident memory in MiB. */
export const memoryOf = ({ process: { pid } }: RunningWaymark): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;
