/** What a connection stands on: a socket of the runtime, and its server. */
import type { Arrival } from "./arrival.ts";
import type { BadHead } from "./read-head.ts";

export type WireSocket = {
  readonly fd: number;
  readonly remoteAddress: string;
  write(data: Uint8Array, offset?: number, length?: number): number;
  write(text: string, encoding: "latin1"): number;
  pause(): void;
  resume(): void;
  /** Ends the writing half; with an argument it would end the reading one. */
  shutdown(): void;
  end(): void;
  terminate(): void;
};

/** What a connection needs of its server. */
export type ConnectionOwner<C> = {
  readonly scheme: "http" | "https";
  readonly isUnix: boolean;
  /** The server is leaving: responses end their connection. */
  isLeaving(): boolean;
  /** The server is stopping: idle connections are closed. */
  isStopping(): boolean;
  /** Seconds since the start. */
  now(): number;
  /** Never throws or rejects. */
  respond(arrival: Arrival): Response | Promise<Response>;
  /** The response to a head that can't be taken, or to a connection. */
  refuse(status: BadHead | 503): Response;
  /** It waits for its client to complete something, or that has come. */
  waits(connection: C, isWaiting: boolean): void;
  /** The bytes of responses that its client has not read have changed by so many. */
  unread(change: number): void;
  requested(request: Request, connection: C): void;
  /** A request is being handled, not in place. */
  begun(): void;
  done(): void;
  closed(connection: C): void;
};
