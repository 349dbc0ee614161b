/** A request of a client of Shlink, and what all answers need. */
import type { Call } from "./call.ts";

export type ShlinkRequest = {
  call: Call;
  /** The response itself, for long ones. */
  send(path: string, query: Readonly<Record<string, string>>): Promise<Response>;
  /** What the address names, decoded. */
  name: string;
  query: URLSearchParams;
  body: Readonly<Record<string, unknown>>;
  /** Host with a port, as in short URLs of the default domain. */
  defaultHost: string;
  /** features.default_url, or null. */
  defaultUrl: string | null;
  origin: string;
  /** Aborted when the client leaves. */
  signal: AbortSignal;
};
