import { startWireServer, type WireServer } from "../wire/wire-server.ts";
import type { Redirect } from "./redirect.ts";

/** Redirects on a free port of 127.0.0.1. Stop it with `true`. */
export const serveRedirects = (redirect: Redirect): WireServer =>
  startWireServer({
    address: { hostname: "127.0.0.1", port: 0, reusePort: false },
    tls: null,
    answer: (arrival, server) => redirect.handle(arrival, server),
    explain: () => new Response(null, { status: 400 }),
  });
