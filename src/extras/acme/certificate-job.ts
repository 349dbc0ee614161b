/** Orders and renews the certificates of our hosts. One process of the cluster runs the job. */
import { createHash, createPrivateKey, type KeyObject } from "node:crypto";
import type { Changes } from "../../platform/cluster/changes.ts";
import type { Job } from "../../platform/jobs/runner.ts";
import type { Clock } from "../../lib/clock.ts";
import type { KeyPair } from "../../lib/certificate.ts";
import { fault } from "../../lib/fault.ts";
import type { Logger } from "../../lib/logger.ts";
import type { SecretBox } from "../../lib/secret-box.ts";
import { type Authority, AuthorityError, openAuthority } from "./authority.ts";
import type { CertificateRepository, StoredCertificate } from "./certificates.repository.ts";
import { type KnownCertificates, PAIR_PURPOSE, timesOf } from "./known-certificates.ts";
import { newKey, obtainCertificate, type OrderUnderWay, renewalId } from "./order.ts";
import { isReported, nextQuestion, nextTry, renewAt, suggestedRenewal } from "./schedule.ts";

const ORDER_PURPOSE = "certificate order";
const ACCOUNT_PURPOSE = "acme account";
const EVERY_MS = 60_000;
const LONGEST_FAILURE = 1_000;
/** A run ends when the authority has said so often that there were too many requests. */
const MOST_LIMITED = 2;
const NONE_UNDER_WAY = { orderUrl: null, orderKey: null, challenge: null };

type Deps = {
  repository: CertificateRepository;
  known: KnownCertificates;
  changes: Pick<Changes, "write">;
  box: Pick<SecretBox, "open" | "seal">;
  directory: string;
  /** Empty: none. */
  email: string;
  /** Nothing is ordered for others. */
  hosts(): readonly string[];
  /** Mails to administrators. */
  report(hosts: readonly string[], reason: string): Promise<void>;
  clock: Clock;
  logger: Logger;
  fetch?: typeof fetch;
  pollMs?: number;
};

export function createCertificateJob(deps: Deps): Job {
  const { known, hosts, repository, clock } = deps;
  const save = createSave(deps);

  function isDue(host: string): boolean {
    const { pair = null, renewAt: at = null, tryAt = 0 } = known.of(host) ?? {};
    return tryAt <= clock.now() && (pair === null || at === null || at <= clock.now());
  }

  /** Removes what belongs to hosts that are not ours any more, once it is worthless. */
  async function removeForgotten(): Promise<void> {
    const ours = new Set(hosts());
    for (const { host, pair } of known.all()) {
      if (ours.has(host) || (pair !== null && pair.notAfter > clock.now())) continue;
      await deps.changes.write(async (tx) => {
        await repository.remove(tx.db, host);
        tx.changed("certificates", [host]);
      });
    }
  }

  async function fail(failed: readonly string[], error: AuthorityError): Promise<void> {
    if (failed.length === 0) return;
    const reported = [];
    for (const host of failed) {
      const failures = (known.of(host)?.failures ?? 0) + 1;
      const isOver = error.kind === "refused" || error.kind === "gone";
      await save(host, {
        ...(isOver && NONE_UNDER_WAY),
        failures,
        failure: error.message.slice(0, LONGEST_FAILURE),
        tryAt: nextTry(failures, clock.now(), error.retryAt),
      });
      if (isReported(failures)) reported.push(host);
    }
    deps.logger.warn({ hosts: failed, reason: error.message }, "certificates could not be ordered");
    if (reported.length > 0) await deps.report(reported, error.message);
  }

  /** Asks when to renew. What the authority does not say is asked again later. */
  async function askAboutRenewal(authority: Authority, host: string): Promise<void> {
    const { pair, renewAt: current } = known.of(host)!;
    const id = renewalId(pair!.cert);
    const suggested = id === null ? null : await authority.renewal(id).catch(() => null);
    const usual = current ?? renewAt(pair!.notBefore, pair!.notAfter);
    await save(host, {
      askAt: nextQuestion(clock.now(), suggested?.askAt ?? null),
      renewAt: suggested === null ? usual : suggestedRenewal(usual, suggested),
    });
  }

  async function orderAll(authority: Authority, due: readonly string[], signal: AbortSignal): Promise<void> {
    let limited = 0;
    for (const [at, host] of due.entries()) {
      if (signal.aborted || limited === MOST_LIMITED) return;
      if (!hosts().includes(host)) continue;
      try {
        await order(deps, { authority, host, save, signal });
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof AuthorityError)) throw error;
        const isAway = error.kind === "unreachable";
        if (error.kind === "limited") limited++;
        await fail(isAway ? due.slice(at) : [host], error);
        if (isAway) return;
      }
    }
  }

  return {
    name: "certificates",
    everyMs: () => EVERY_MS,
    async run(signal: AbortSignal): Promise<void> {
      await known.readSteps();
      await removeForgotten();
      const due = hosts().filter(isDue);
      const uncertain = hosts().filter((host) => {
        const { pair = null, askAt = null } = known.of(host) ?? {};
        return pair !== null && (askAt ?? 0) <= clock.now();
      });
      if (due.length === 0 && uncertain.length === 0) return;
      try {
        const authority = await openAccount(deps, signal);
        for (const host of uncertain) if (!signal.aborted) await askAboutRenewal(authority, host);
        await orderAll(authority, hosts().filter(isDue), signal);
      } catch (error) {
        if (!(error instanceof AuthorityError)) throw error;
        if (signal.aborted) return;
        await fail(due, error);
        for (const host of uncertain) await save(host, { askAt: nextQuestion(clock.now(), error.retryAt) });
      }
    },
  };
}

type Fields = Partial<Omit<StoredCertificate, "host">>;
type Save = (host: string, fields: Fields) => Promise<void>;

const createSave =
  ({ changes, repository }: Deps): Save =>
  (host, fields) =>
    changes.write(async (tx) => {
      await repository.save(tx.db, host, fields);
      tx.changed("certificates", [host]);
    });

/** The account of the authority, made when it is first needed. A key that can't be opened is replaced. */
async function openAccount(deps: Deps, signal: AbortSignal): Promise<Authority> {
  const { repository, box, directory, clock } = deps;
  const id = createHash("sha256").update(directory).digest("hex");
  let key = openedOrNull(box, await repository.accountKey(id), ACCOUNT_PURPOSE);
  if (key === null) {
    key = newKey();
    const sealed = await box.seal(key, ACCOUNT_PURPOSE);
    await deps.changes.write((tx) => repository.saveAccountKey(tx.db, id, sealed, clock.now()));
    fault("acme.account");
  }
  const account: KeyObject = createPrivateKey(key);
  const fetching = deps.fetch && { fetch: deps.fetch };
  const authority = await openAuthority({ directory, key: account, signal, now: clock.now, ...fetching });
  await authority.register(deps.email);
  fault("acme.registered");
  return authority;
}

/** @throws AuthorityError */
async function order(
  { known, box, clock, logger, pollMs }: Deps,
  { authority, host, save, signal }: { authority: Authority; host: string; save: Save; signal: AbortSignal },
): Promise<void> {
  const row = known.of(host);
  const under: OrderUnderWay = {
    orderUrl: row?.orderUrl ?? null,
    orderKey: openedOrNull(box, row?.orderKey, ORDER_PURPOSE),
    challenge: row?.challenge ?? null,
  };
  const saveStep = async ({ orderKey, ...step }: Partial<OrderUnderWay>): Promise<void> => {
    const key = orderKey ? { orderKey: await box.seal(orderKey, ORDER_PURPOSE) } : { orderKey: null };
    await save(host, { ...step, ...(orderKey !== undefined && key) });
  };
  // An authority may refuse an order because of what it replaces.
  const replaces = row?.pair && row.failures === 0 ? renewalId(row.pair.cert) : null;
  const steps = { authority, host, save: saveStep, signal, ...(pollMs !== undefined && { pollMs }) };
  const pair: KeyPair = await obtainCertificate(steps, under, replaces);
  const { notBefore, notAfter } = timesOf(pair.cert);
  await save(host, {
    ...NONE_UNDER_WAY,
    pair: await box.seal(JSON.stringify(pair), PAIR_PURPOSE),
    renewAt: renewAt(notBefore, notAfter),
    askAt: nextQuestion(clock.now(), null),
    failures: 0,
    failure: null,
    tryAt: 0,
  });
  logger.info({ host, until: new Date(notAfter).toISOString() }, "a certificate was issued");
}

function openedOrNull(box: Deps["box"], sealed: string | null | undefined, purpose: string): string | null {
  try {
    return sealed ? box.open(sealed, purpose) : null;
  } catch {
    return null;
  }
}
