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
  /** Of the half that writes. With an argument it would be that which reads. */
  shutdown(): void;
  end(): void;
  terminate(): void;
};

/** What a connection needs of its server. */
export type ConnectionOwner<C> = {
  readonly scheme: "http" | "https";
  readonly isUnix: boolean;
  /** Answers of a leaving server end their connection. */
  isLeaving(): boolean;
  /** Connections without a request are closed. */
  isStopping(): boolean;
  /** Seconds since the start. */
  now(): number;
  /** Never throws or rejects. */
  answer(arrival: Arrival): Response | Promise<Response>;
  /** The answer to a head that can't be taken. */
  refuse(status: BadHead): Response;
  requested(request: Request, connection: C): void;
  /** A request is answered, not in place. */
  begun(): void;
  done(): void;
  closed(connection: C): void;
};
