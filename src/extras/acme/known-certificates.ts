/** The certificates of all hosts in memory, as the database has them, given to the server. Every process has them. */
import { X509Certificate } from "node:crypto";
import { type CertificateState, dayOf, type KeyPair } from "../../lib/certificate.ts";
import type { Logger } from "../../lib/logger.ts";
import type { SecretBox } from "../../lib/secret-box.ts";
import type { ServerCertificates } from "../../platform/wire/server-certificates.ts";
import type { CertificateRepository, OrderSteps, StoredCertificate } from "./certificates.repository.ts";

export const PAIR_PURPOSE = "certificate";

export type KnownCertificate = OrderSteps & {
  pair: (KeyPair & { notBefore: number; notAfter: number }) | null;
};

type Deps = {
  repository: Pick<CertificateRepository, "list" | "find" | "steps">;
  box: Pick<SecretBox, "open">;
  /** Null in a command. */
  served: ServerCertificates | null;
  /** Their names, the one of clients that name none first. */
  hosts(): readonly string[];
  now(): number;
  logger: Logger;
};

/** Between two readings for strangers' requests. */
const REFRESH_MS = 200;

export type KnownCertificates = ReturnType<typeof createKnownCertificates>;

/** When a certificate begins and ends. */
export function timesOf(cert: string): { notBefore: number; notAfter: number } {
  const { validFrom, validTo } = new X509Certificate(cert);
  return { notBefore: Date.parse(validFrom), notAfter: Date.parse(validTo) };
}

export function createKnownCertificates({ repository, box, served, hosts, now, logger }: Deps) {
  const known = new Map<string, KnownCertificate>();
  let common: string | undefined;
  let refreshing: Promise<void> | null = null;
  let begun = 0;
  let applied = 0;

  function opened({ host, pair }: StoredCertificate): KnownCertificate["pair"] {
    if (pair === null) return null;
    try {
      const { cert, key } = JSON.parse(box.open(pair, PAIR_PURPOSE)) as KeyPair;
      served?.set(host, { cert, key });
      return { cert, key, ...timesOf(cert) };
    } catch (err) {
      logger.error({ err, host }, "the certificate of a host can't be opened");
      return null;
    }
  }

  function apply(rows: readonly StoredCertificate[]): void {
    for (const row of rows) known.set(row.host, { ...row, pair: opened(row) });
    const first = hosts().find((host) => known.get(host)?.pair);
    const pair = first === undefined ? null : known.get(first)!.pair;
    if (pair === null || pair === undefined || pair.cert === common) return;
    common = pair.cert;
    served?.setCommon(pair);
  }

  /** Takes what a reading has found, unless one that began later was faster. */
  async function take<T>(find: () => Promise<T>, use: (found: T) => void): Promise<void> {
    for (;;) {
      const turn = ++begun;
      const found = await find();
      if (turn < applied) continue;
      applied = turn;
      return use(found);
    }
  }

  /** Absent ones are gone. */
  function replace(hostsRead: Iterable<string>, rows: readonly StoredCertificate[]): void {
    const found = new Set(rows.map(({ host }) => host));
    for (const host of hostsRead) {
      if (found.has(host) || !known.delete(host)) continue;
      served?.set(host, null);
    }
    apply(rows);
  }

  /** What the other nodes have done, without their certificates, which the change feed names. */
  const readSteps = () =>
    take(repository.steps, (rows) => {
      for (const row of rows) known.set(row.host, { ...row, pair: known.get(row.host)?.pair ?? null });
    });
  const load = () => take(repository.list, (rows) => replace([...known.keys()], rows));

  return {
    load,
    readSteps,
    /** After a change of these hosts. */
    changed: (keys: readonly string[]) =>
      keys.includes("*")
        ? load()
        : take(
            () => repository.find(keys),
            (rows) => replace(keys, rows),
          ),
    /** Reads the steps, a few times a second at most: later calls share a reading. */
    refresh: (): Promise<void> =>
      (refreshing ??= Bun.sleep(REFRESH_MS)
        .then(readSteps)
        .catch(() => {})
        .finally(() => (refreshing = null))),
    of: (host: string): KnownCertificate | undefined => known.get(host),
    proofOf: (host: string): string | null => known.get(host)?.challenge ?? null,
    all: (): KnownCertificate[] => [...known.values()],
    /** What health, doctor and metrics show. */
    states: (): CertificateState[] => hosts().map((host) => stateOf(host, known.get(host), now())),
  };
}

const minuteOf = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;

function stateOf(host: string, known: KnownCertificate | undefined, now: number): CertificateState {
  const { pair = null, failures = 0, failure = "", tryAt = 0 } = known ?? {};
  const notAfter = pair?.notAfter ?? null;
  const file = { setting: `server.acme (${host})`, path: host, kind: "chain" as const, notAfter };
  const state = (level: "warning" | "error", message: string) => ({ ...file, trouble: { level, message } });
  const reason =
    failures === 0
      ? ""
      : ` ${failure?.replace(/\.?$/, ".")} The next try is ${tryAt <= now ? "within a minute" : `at ${minuteOf(tryAt)}`}.`;
  if (pair === null) {
    return failures === 0
      ? { ...file, trouble: null }
      : state("error", `${host} has no certificate.${reason}`);
  }
  if (pair.notAfter <= now)
    return state(
      "error",
      `The certificate of ${host} expired on ${dayOf(pair.notAfter)}: clients refuse it.${reason}`,
    );
  if (failures > 0)
    return state(
      "warning",
      `The certificate of ${host} expires on ${dayOf(pair.notAfter)} and is not renewed yet.${reason}`,
    );
  return { ...file, trouble: null };
}
