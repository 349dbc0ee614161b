/** A wire server that writes down which requests it hears, to compare it with other readers of HTTP. */
import type { Arrival } from "../../src/platform/wire/arrival.ts";
import { startWireServer, type WireServer } from "../../src/platform/wire/wire-server.ts";

/** As on the first line. The body has one byte a character; `end` says whether it came as a whole, or was malformed. */
export type Heard = { method: string; target: string; body: string; end: "whole" | "cut" | "malformed" };

export type Hearing = {
  url: string;
  port: number;
  /** Takes what was heard of a caller since the last call. */
  take(caller: string): Heard[];
  /** Heads that were refused with 400. */
  refusals(): number;
  stop(): Promise<void>;
};

/** @param callerOf what tells callers apart; by default their address */
export function startHearing(callerOf = (arrival: Arrival) => arrival.peerAddress ?? ""): Hearing {
  const heard = new Map<string, Heard[]>();
  let refusals = 0;

  /** Half of what has no body is answered in place, as redirects are. */
  async function answerLater(arrival: Arrival, note: Heard): Promise<Response> {
    if (arrival.bodyLength === 0) return new Response(null, { status: 204 });
    try {
      const bytes = await arrival.request().bytes();
      note.body = Buffer.from(bytes).toString("latin1");
      note.end = "whole";
    } catch (error) {
      if (error instanceof Error && error.message.includes("malformed")) note.end = "malformed";
      return new Response(null, { status: 422 });
    }
    return new Response(null, { status: 204 });
  }

  const server: WireServer = startWireServer({
    address: { hostname: "127.0.0.1", port: 0, reusePort: false },
    tls: null,
    respond(arrival) {
      const { method, head, bodyLength } = arrival;
      const target = head.slice(method.length + 1, head.indexOf(" ", method.length + 1));
      const note: Heard = { method, target, body: "", end: bodyLength === 0 ? "whole" : "cut" };
      const caller = callerOf(arrival);
      heard.set(caller, [...(heard.get(caller) ?? []), note]);
      return bodyLength === 0 && target.length % 2 === 0
        ? arrival.respondInPlace(204, "")
        : answerLater(arrival, note);
    },
    explain() {
      refusals++;
      return new Response(null, { status: 400 });
    },
  });

  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    take(caller) {
      const found = heard.get(caller) ?? [];
      heard.delete(caller);
      return found;
    },
    refusals: () => refusals,
    stop: () => server.stop(true),
  };
}
