/** What the inner rooms of accounts are started with, and what their endpoints ask about a request. */
import type { Core } from "../platform/core.ts";
import type { Config } from "../platform/config/config.service.ts";
import type { HttpContext } from "../platform/http/endpoint.ts";
import type { Registry } from "../lib/metrics.ts";
import type { ChangeTransaction } from "../platform/cluster/changes.ts";
import type { Account } from "./account.ts";
import type { AddressLimit } from "./address-limit.ts";

export type FailureMethod = "password" | "second_factor" | "passkey" | "bearer" | "cookie" | "csrf" | "none";

export type AuthCore = Core & {
  /** Counts for `svc_auth_failures_total`. */
  onFailure(method: FailureMethod): void;
};

/** Who signed in; null when unknown. */
export type SessionClient = { address: string | null; browser: string | null; os: string | null };
/** The client of a request. */
export type RequestClient = SessionClient & { address: string };

/** Mails the account what a client did with it, unless the account has turned such mails off. */
export type NotifyOfClient = (
  tx: ChangeTransaction,
  account: Account,
  client: SessionClient,
) => Promise<void>;

export type SignInMails = {
  /** A browser that the account has not used before has signed in. */
  newBrowser: NotifyOfClient;
  newPasskey: NotifyOfClient;
};

export type RequestChecks = {
  config: Config;
  addressLimit: AddressLimit;
  addressOf(c: HttpContext): string;
  clientOf(c: HttpContext): RequestClient;
  /** @throws Forbidden for a request that another site caused */
  refuseForeign(c: HttpContext): void;
  /** @throws Forbidden for a session that has not shown its account's second factor */
  requireFactor(c: HttpContext): Promise<void>;
};

export function createFailureCounter(registry: Registry): AuthCore["onFailure"] {
  const failures = registry.counter({
    name: "svc_auth_failures_total",
    help: "Refused credentials, by how they were sent.",
    labels: ["method"],
  });
  return (method) => failures.series(method).add();
}
