/** What `server.http_port` responds: proofs for the authority, and redirects to HTTPS on our hosts. */
import { asciiLower } from "../../lib/ascii-lower.ts";
import type { Arrival } from "../../platform/wire/arrival.ts";

type Deps = {
  /** The proof that a host serves now; null: none. */
  proofOf(host: string): string | null;
  /** Reads the proofs of all nodes again. Many calls share one reading. */
  refresh(): Promise<void>;
  isOurs(host: string): boolean;
  /** With a colon; empty for 443. */
  httpsPort(): string;
};

const PLACE = "/.well-known/acme-challenge/";
const TOKEN = /^[\w-]{1,200}$/;
const HOST = /^([a-z0-9.-]{1,253}?)\.?(?::\d{1,5})?$/;
const PLAIN_TEXT = "Content-Type: text/plain\r\n";

export const createPlainResponder = ({ proofOf, refresh, isOurs, httpsPort }: Deps) =>
  function respond(arrival: Arrival): Response | Promise<Response> {
    const host = HOST.exec(asciiLower(arrival.host ?? ""))?.[1];
    if (host === undefined) return refuse(arrival);
    const { path } = arrival;
    const token = path.startsWith(PLACE) ? path.slice(PLACE.length) : "";
    if (!TOKEN.test(token)) return redirect(arrival, host);
    const proof = find(host, token);
    if (proof !== null) return prove(arrival, proof);
    // Another node may have got the domain and begun its order a moment ago.
    return refresh().then(() => {
      const found = find(host, token);
      return found === null ? redirect(arrival, host) : prove(arrival, found);
    });

    function find(name: string, sought: string): string | null {
      const known = proofOf(name);
      return known?.startsWith(`${sought}.`) ? known : null;
    }

    function redirect({ path: to }: Arrival, name: string): Response {
      if (!isOurs(name)) return refuse(arrival);
      return arrival.respondInPlace(308, `Location: https://${name}${httpsPort()}${to}\r\n`);
    }
  };

const refuse = (arrival: Arrival): Response =>
  arrival.respondInPlace(421, PLAIN_TEXT, "This host is not served here.\n");

const prove = (arrival: Arrival, proof: string): Response => arrival.respondInPlace(200, PLAIN_TEXT, proof);
