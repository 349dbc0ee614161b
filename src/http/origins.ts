/**
 * Scheme, host and port of addresses in answers: `features.public_url`, else what the request names. Only its sender
 * sees the answer, so `X-Forwarded-Proto: https` counts from any peer; `X-Forwarded-Host` counts from a trusted proxy.
 */

export type Origins = ReturnType<typeof createOrigins>;

type Deps = {
  publicUrl(): string;
  isTrusted(peer: string): boolean;
  server: Listening;
};

type Listening = { host: string; port: number; unixSocket: string | null; tlsCert: string | null };

export function createOrigins({ publicUrl, isTrusted, server }: Deps) {
  const ofServer = () => publicUrl() || listeningOrigin(server);
  return {
    /** For commands, and requests without a Host. */
    ofServer,
    ofRequest: (request: Request, peer: () => string): string =>
      publicUrl() || requestOrigin(request, () => isTrusted(peer())) || ofServer(),
  };
}

function requestOrigin({ url, headers }: Request, isTrusted: () => boolean): string | null {
  // Bun gives the bare path if Host is missing.
  const own = URL.canParse(url) ? new URL(url) : null;
  const scheme = headers.get("x-forwarded-proto") === "https" ? "https:" : (own?.protocol ?? "http:");
  const forwarded = headers.get("x-forwarded-host");
  const named = forwarded !== null && isTrusted() ? originOf(scheme, forwarded) : null;
  return named ?? (own && originOf(scheme, own.host));
}

/** Null unless `host` is a host with or without a port. */
function originOf(scheme: string, host: string): string | null {
  if (host.length > LONGEST_HOST || !/^[^\s/?#@\\,]+$/.test(host)) return null;
  const text = `${scheme}//${host}`;
  return URL.canParse(text) ? new URL(text).origin : null;
}

/** A name of 253 characters and a port. */
const LONGEST_HOST = 259;

/** The one of the settings, whatever visitors see. */
export function listeningOrigin({ host, port, unixSocket, tlsCert }: Listening): string {
  const scheme = tlsCert === null ? "http:" : "https:";
  if (unixSocket !== null) return `${scheme}//localhost`;
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  const text = `${scheme}//${name.includes(":") ? `[${name}]` : name}:${port}`;
  return URL.canParse(text) ? new URL(text).origin : text;
}
