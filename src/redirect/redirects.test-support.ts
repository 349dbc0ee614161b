import type { Arrival } from "../platform/wire/arrival.ts";
import { readHead } from "../platform/wire/read-head.ts";
import { startWireServer, type WireServer } from "../platform/wire/wire-server.ts";
import type { Redirect } from "./redirect.ts";
import { createVisitorFacts, sentIn } from "./visitor-facts.ts";
import type { Visit } from "./visit.ts";

/** Redirects on a free port of 127.0.0.1. Stop it with `true`. */
export const serveRedirects = (redirect: Redirect): WireServer =>
  startWireServer({
    address: { hostname: "127.0.0.1", port: 0, reusePort: false },
    tls: null,
    respond: (arrival, server) => redirect.handle(arrival, server),
    explain: () => new Response(null, { status: 400 }),
  });

const facts = createVisitorFacts({
  key: "key",
  places: { loading: () => null, countryOf: (address) => (address === "192.0.2.7" ? "DE" : null) },
});

/** What rules ask about visitors. All are at 192.0.2.7, which is in Germany. */
export const testVisitors = {
  facts: (linkId: number, one: Visit) => facts.of(sentIn(linkId, one, () => "192.0.2.7")),
  loading: () => null,
};

type VisitInit = { method?: string; headers?: Readonly<Record<string, string>> };

/** As from 192.0.2.7, over HTTP. No body. */
export function arrivalAt(url: string, { method = "GET", headers = {} }: VisitInit = {}): Arrival {
  const { host } = new URL(url);
  const target = url.slice(url.indexOf("/", "http://".length));
  const fields = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const arrival = readHead(`${method} ${target} HTTP/1.1\r\n${fields.join("")}\r\n`, {
    scheme: "http",
    peerAddress: "192.0.2.7",
    signal: () => new AbortController().signal,
    bodyStream: null,
    made: () => undefined,
  });
  if (typeof arrival === "number") throw new Error(`refused with ${arrival}`);
  return arrival;
}

/** The response as its client reads it. */
export async function visit(redirect: Redirect, url: string, init: VisitInit = {}): Promise<Response> {
  const arrival = arrivalAt(url, init);
  const response = await redirect.handle(arrival);
  if (response !== arrival.standIn) return response;
  const fields = arrival.fields.split("\r\n").slice(0, -1);
  const headers = fields.map((line) => line.split(": ", 2) as [string, string]);
  const content = arrival.method === "HEAD" ? null : Buffer.from(arrival.content, "latin1");
  return new Response(content, { status: arrival.status, headers });
}
