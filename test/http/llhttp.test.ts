/**
 * The request cases of llhttp's own suite, the parser of Node. The fixture has its bytes and headings, what llhttp
 * says of them, and our verdict: the requests that are heard, with the length of the body (`cut`: it ended early,
 * `malformed`), then the status of a refusal. Where the two differ, it has the reason.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type Heard, type Hearing, startHearing } from "../support/hearing.ts";
import { dial } from "../support/wire.ts";
import { ask } from "../support/wire-instance.ts";

type Case = {
  file: string;
  heading: string;
  /** Of llhttp, for this case. */
  mode?: string;
  bytes: string;
  llhttp: { heard: number; isRefused: boolean };
  verdict: string[];
  reason?: string;
};

const FIXTURE = join(import.meta.dir, "..", "fixtures", "llhttp-requests.json");
const { cases }: { cases: Case[] } = await Bun.file(FIXTURE).json();

let hearing: Hearing;
beforeAll(() => {
  hearing = startHearing();
});
afterAll(() => hearing.stop());

/**
 * llhttp leaves it to others that HTTP/1.1 asks for a host. The fragment in its cases of codings goes, because it alone
 * would be refused.
 */
const adapted = (bytes: string): string =>
  bytes
    .replace("?q=search#hey ", "?q=search ")
    .replace(/ HTTP\/1\.1\r\n([^]*?)(?=\r\n\r\n|$)/g, (head: string, fields: string) =>
      /^host:/im.test(fields) ? head : ` HTTP/1.1\r\nHost: a\r\n${fields}`,
    );

const nameOf = ({ method, target, body, end }: Heard): string =>
  `${method} ${target} ${end === "whole" ? body.length : end}`;

/** After all bytes the client ends its half, so what is not whole by then never will be. */
async function verdictOn(bytes: string): Promise<string[]> {
  const wire = dial(hearing.url);
  wire.send(bytes);
  wire.end();
  const text = await wire.closed();
  wire.hangUp();
  const refusals = [...text.matchAll(/^HTTP\/1\.1 (400|431|505) /gm)].map(([, status]) => status!);
  return [...hearing.take("127.0.0.1").map(nameOf), ...refusals];
}

test.each(cases.map((one) => [`${one.file}: ${one.heading} (${one.mode ?? "strict"})`, one] as const))(
  "%s",
  async (_, { bytes, verdict }) => {
    expect(await verdictOn(adapted(bytes))).toEqual(verdict);
  },
);

test("every difference has a reason, and nothing else has", () => {
  const unclear = cases.filter(({ llhttp, verdict, reason }) => {
    const heard = verdict.filter((one) => / \d+$/.test(one)).length;
    const isRefused = verdict.some((one) => /^\d+$| malformed$/.test(one));
    return (heard !== llhttp.heard || isRefused !== llhttp.isRefused) !== (reason !== undefined);
  });
  expect(unclear).toEqual([]);
});

test("a request of HTTP/1.1 without a host is refused", async () => {
  expect((await ask(dial(hearing.url), "GET /url HTTP/1.1\r\n\r\n")).status).toBe(400);
  expect(hearing.take("127.0.0.1")).toEqual([]);
});
