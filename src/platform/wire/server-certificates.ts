/**
 * The certificates of a server, replaced while it serves: one for each host by SNI, and one for clients that name no
 * other. `Bun.listen` documents neither; this is what `node:tls` calls on its listener. A server of `node:tls` itself
 * takes nearly twice the processor time for a new connection.
 */
import { createServer, createSecureContext, type Server } from "node:tls";
import { asciiLower } from "../../lib/ascii-lower.ts";
import type { KeyPair } from "../../lib/certificate.ts";

export type ServerCertificates = ReturnType<typeof createServerCertificates>;

/** @param common for clients that name no host, or one without a certificate; null: their handshakes fail */
export function createServerCertificates(common: KeyPair | null) {
  const byHost = new Map<string, unknown>();
  const servers = new Set<Pick<Server, "setSecureContext">>();

  return {
    /** Connections that are open keep the one that they began with, here and below. */
    setCommon(pair: KeyPair): void {
      common = pair;
      for (const server of servers) server.setSecureContext(pair);
    },
    /** @param host in lower case; null takes its certificate away. @throws if the pair can't serve */
    set(host: string, pair: KeyPair | null): void {
      if (pair === null) byHost.delete(host);
      else byHost.set(host, nativeContext(pair));
    },
    /** For `Bun.listen`. */
    options: () => ({ tls: common ?? true }),
    /** For its sockets. `serverName` returns undefined for the common one. */
    handlers: { serverName: (_: unknown, host: string) => byHost.get(asciiLower(host)) },
    /** Call it with what `Bun.listen` returned. Returns the function that ends it. */
    follow(listener: object): () => void {
      const server = Object.assign(createServer(), { _handle: listener });
      servers.add(server);
      return () => void servers.delete(server);
    },
  };
}

const nativeContext = (pair: KeyPair): unknown => (createSecureContext(pair) as { context: unknown }).context;
