/**
 * Scheme, host and port of addresses in responses: `features.public_url`, else what the request names. Only its sender
 * sees the response, so `X-Forwarded-Proto: https` counts from any peer; `X-Forwarded-Host` counts from a trusted
 * proxy. Of lists the entry counts that the outermost trusted proxy appended.
 */
import { forwardedEntry, isForwardedHttps, parseForwardedPrefix } from "../../lib/forwarded.ts";
import { remembered } from "../../lib/remembered.ts";
import { pathStart } from "../../lib/request-target.ts";

export type Origins = ReturnType<typeof createOrigins>;

type Deps = {
  publicUrl(): string;
  /** Returns null if the peer is not trusted. See auth/proxies.ts. */
  trustedHop(peer: string, forwardedFor: string | null): number | null;
  server: Listening;
  /** Where the server listens, in a command that knows it. */
  running?: string | null;
};

type ReadRequest = { url: string; headers: Pick<Headers, "get"> };

type Listening = {
  host: string;
  port: number;
  unixSocket: string | null;
  tlsCert: string | null;
  acme: boolean;
};

export function createOrigins({ publicUrl, trustedHop, server, running = null }: Deps) {
  const ofServer = () => publicUrl() || (running ?? listeningOrigin(server));
  const hopOf = ({ headers }: ReadRequest, peer: () => string) =>
    trustedHop(peer(), headers.get("x-forwarded-for"));
  return {
    /** Serves commands, and requests without a Host. */
    ofServer,
    ofRequest: (request: ReadRequest, peer: () => string): string =>
      publicUrl() || requestOrigin(request, () => hopOf(request, peer)) || ofServer(),
    /** The path below which a trusted proxy serves Waymark, as browsers see it: `/go`, or empty. */
    prefixOf(request: ReadRequest, peer: () => string): string {
      const given = request.headers.get("x-forwarded-prefix");
      const hop = given === null ? null : hopOf(request, peer);
      return hop === null ? "" : parseForwardedPrefix(forwardedEntry(given, hop));
    },
  };
}

function requestOrigin({ url, headers }: ReadRequest, findHop: () => number | null): string | null {
  const proto = headers.get("x-forwarded-proto");
  const host = headers.get("x-forwarded-host");
  if (proto === null && host === null) return ownOrigin(url.slice(0, pathStart(url)));
  // Bun gives the bare path if Host is missing.
  const own = URL.canParse(url) ? new URL(url) : null;
  const hop = findHop();
  const scheme = isForwardedHttps(headers, hop ?? undefined) ? "https:" : (own?.protocol ?? "http:");
  const forwarded = hop === null ? null : forwardedEntry(host, hop);
  const named = forwarded === null ? null : originOf(scheme, forwarded);
  return named ?? (own && originOf(scheme, own.host));
}

/** Of the start of a URL that no proxy has changed, before its path. Null if there is none, or none is valid. */
const ownOrigin = remembered(
  (start) => {
    const own = URL.parse(start);
    return own && originOf(own.protocol, own.host);
  },
  { most: 100 },
);

/** Returns null unless `host` is a host with or without a port. */
function originOf(scheme: string, host: string): string | null {
  if (host.length > LONGEST_HOST || !/^[^\s/?#@\\,]+$/.test(host)) return null;
  const text = `${scheme}//${host}`;
  return URL.canParse(text) ? new URL(text).origin : null;
}

/** A name of 253 characters and a port. */
const LONGEST_HOST = 259;

/** The one of the settings, whatever visitors see. */
export function listeningOrigin({ host, port, unixSocket, tlsCert, acme }: Listening): string {
  const scheme = tlsCert !== null || acme ? "https:" : "http:";
  if (unixSocket !== null) return `${scheme}//localhost`;
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  const text = `${scheme}//${name.includes(":") ? `[${name}]` : name}:${port}`;
  return URL.canParse(text) ? new URL(text).origin : text;
}
