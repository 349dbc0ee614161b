import type { Command } from "commander";
import type { CommandContext } from "../../platform/cli/command.ts";
import { createDefine } from "../../platform/cli/define.ts";
import type { Auth } from "../../auth/auth.ts";
import { BELOW_PATH, explainIgnored, type ProxyNotice, readProxyNotices } from "../../auth/proxies.ts";
import type { Config } from "../../platform/config/config.service.ts";
import { type Env, servesHttps } from "../../platform/settings/env.ts";
import type { Content } from "../../files/content.ts";
import type { Drive } from "../../files/drive.ts";
import { createDetailDropsRepository, createLogCapacity } from "../../clicks/details/repository.ts";
import { UTC } from "../../clicks/rollups/calendar.ts";
import { readQuarantine, journalBytes } from "../../clicks/journal/slot.ts";
import { readInstance } from "../../platform/cluster/instance.repository.ts";
import type { KeyCheck } from "../../platform/cluster/key-check.ts";
import { openRedis } from "../../platform/cluster/redis.ts";
import type { Database } from "../../platform/db/database.ts";
import { MIGRATIONS, migrationStatus } from "../../platform/db/migrate.ts";
import { findSchemaDifferences } from "../../platform/db/schema-check.ts";
import { storageReport } from "../../files/check/storage-report.ts";
import { type CertificateState, readKeyTrouble } from "../../lib/certificate.ts";
import { systemClock } from "../../lib/clock.ts";
import { dataPath } from "../../lib/data-folder.ts";
import { appError } from "../../lib/errors.ts";
import { silentLogger } from "../../lib/logger.ts";
import { countRunning } from "./status.commands.ts";
import { checkDataFolder, checkJournal } from "./checks-of-data.ts";
import {
  checkCertificates,
  checkPolicies,
  checkClickDetails,
  checkClickRecords,
  checkSettings,
  MANY_CLICK_RECORDS,
  checkProxies,
} from "./checks-of-settings.ts";
import {
  type ClickCopy,
  checkCache,
  checkClickHouse,
  checkClock,
  checkDatabase,
  checkMail,
  checkSchema,
  checkSecretKey,
} from "./checks-of-servers.ts";
import { type Check, runChecks, type CheckResult, ok } from "./doctor.ts";

type Context = CommandContext<{
  env: Env;
  database: Database;
  config: Pick<Config, "get">;
  auth: Pick<Auth, "isAdminEnabled" | "trustedHop">;
  content: Pick<Content, "checkStorage" | "policies" | "standings">;
  mail: { check(): Promise<string | null>; trouble(): Promise<string | null>; origin(): string };
  drive: { trash: Pick<Drive["trash"], "put"> };
  stream: ClickCopy | null;
  keys: Pick<KeyCheck, "look" | "unreadable">;
  certificates(): CertificateState[];
}> & { database(): Promise<Database> };

type Progress = NonNullable<Parameters<Content["checkStorage"]>[0]["onProgress"]>;

const MARKS = { ok: "ok", warning: "WARNING", failure: "FAILURE" } as const;

const LOST_DAYS = 7;

/** The most lines about repairs; JSON has all. */
const MOST_REPAIRED = 200;

export function addDoctorCommand(program: Command, context: Context): void {
  const define = createDefine(program, context);
  define("doctor")
    .json("print JSON")
    .option("--storage", "also compare every stored file with the database, which may take long")
    .option(
      "--fix [all]",
      "with --storage: repair what can be repaired, and move files whose content is lost to the trash; with all, even if more than half of a storage is lost",
      { values: ["all"] },
    )
    .action(async ({ json, storage = false, fix = false }) => {
      if (fix && !storage) throw appError("BadRequest", "--fix requires --storage.");
      if (typeof fix === "string" && fix !== "all")
        throw appError("BadRequest", `--fix takes nothing or 'all', not '${fix}'.`);
      const findings: CheckResult[] = [];
      let repaired = 0;
      const report = (finding: CheckResult) => {
        findings.push(finding);
        const isRepaired = finding.part === "storage" && finding.verdict === "warning";
        if (isRepaired) repaired++;
        if (!json && !(isRepaired && repaired > MOST_REPAIRED)) print(context, finding);
      };
      for (const finding of await runDoctor(context)) report(finding);
      if (storage && isDatabaseUsable(findings))
        for await (const finding of examineStorage(context, fix)) report(finding);
      if (json) context.output.json(findings);
      else if (repaired > MOST_REPAIRED)
        context.output.line(`and ${repaired - MOST_REPAIRED} more such warnings; --json prints all`);
      if (findings.some(({ verdict }) => verdict === "failure")) process.exitCode = 1;
    });
}

function print({ output }: Context, { part, verdict, message, advice }: CheckResult): void {
  output.line(`${MARKS[verdict].padEnd(8)} ${part}: ${message}`);
  if (advice !== "") output.line(`${" ".repeat(9)}→ ${advice}`);
}

async function runDoctor(context: Context): Promise<CheckResult[]> {
  const env = context.env();
  const journal = dataPath(env.data.dir, "journal");
  let opened: Promise<Database> | undefined;
  // The services would migrate the schema first.
  const open = () => (opened ??= context.database());
  try {
    const base: Check[] = [
      checkDataFolder(env.data.dir),
      checkDatabase(open, migrationStatus),
      checkSchema(open, migrationStatus, (one) => findSchemaDifferences(one, MIGRATIONS)),
      checkClock(open, systemClock.now),
      checkJournal(env.data.dir, {
        running: () => countRunning(journal),
        bytes: () => journalBytes(journal),
        quarantine: () => readQuarantine(journal),
      }),
    ];
    const findings = await runChecks(base);
    return isDatabaseUsable(findings)
      ? [...findings, ...(await runChecks(checksOfServices(context)))]
      : findings;
  } finally {
    await (await opened?.catch(() => undefined))?.close();
  }
}

/** These need an up-to-date database. */
const checksOfServices = (context: Context): Check[] => [
  checkClickRecords(async () => {
    const { config, database } = await context.services();
    return {
      most: config.get("analytics.max_log_rows"),
      areMany: (await createLogCapacity(database).left(database.read, MANY_CLICK_RECORDS)) === 0,
    };
  }),
  checkClickDetails(async () => {
    const { database } = await context.services();
    const today = UTC.day.of(systemClock.now());
    const span = { from: today - LOST_DAYS + 1, to: today + 1 };
    const {
      full = 0,
      disconnected = 0,
      stopped = 0,
    } = await createDetailDropsRepository(database).totals(span);
    return { days: LOST_DAYS, atOnce: full + disconnected, full: stopped };
  }),
  checkPolicies(
    async () => (await context.services()).content.policies.misplaced(),
    async () => (await context.services()).content.standings(),
  ),
  checkSecretKey(
    async () => (await context.services()).keys.look(),
    async () => (await context.services()).keys.unreadable(),
  ),
  checkCache(context.env().cache.type === "redis" ? () => pingRedis(context) : null),
  checkClickHouse(async () => (await context.services()).stream),
  checkMail(mailHost(context.env()), async () => {
    const { mail, config } = await context.services();
    const hint = `links in mails begin with ${mail.origin()}; set features.public_url`;
    const trouble = (await mail.check()) ?? (await mail.trouble());
    return trouble ?? (config.get("features.public_url") === "" ? hint : null);
  }),
  checkProxies(async () => {
    const { config, auth, env } = await context.services();
    const notices = readProxyNotices(env.data.dir, systemClock.now());
    const isTrusted = ({ peer }: ProxyNotice) => auth.trustedHop(peer, null) !== null;
    const isBelow = notices.some(({ kind }) => kind === "below") && config.get("features.public_url") === "";
    return {
      ignored: notices
        .filter((notice) => notice.kind === "ignored" && !isTrusted(notice))
        .map((notice) => ({ peer: notice.peer, message: explainIgnored(notice) })),
      below: isBelow ? BELOW_PATH : null,
      trusted: config.get("api.trusted_proxies"),
    };
  }),
  checkCertificates(async () => certificatesOf(await context.services())),
  checkSettings(async () => {
    const { config, auth, env } = await context.services();
    return {
      isAdminEnabled: auth.isAdminEnabled(),
      hasHealthToken: config.get("api.health_token") !== "",
      isCookieSecure: config.get("api.cookie_secure"),
      sameSite: config.get("api.cookie_same_site"),
      isTls: servesHttps(env.server),
    };
  }),
];

/** The server for mails, if one is set. Without the room there is no section either. */
const mailHost = ({ mail }: Env & { mail?: { host: string } }): string | null => mail?.host || null;

/** With what keeps key and certificate from serving. */
function certificatesOf({ certificates, env: { server } }: { certificates(): CertificateState[]; env: Env }) {
  const { tlsCert, tlsKey } = server;
  const unfit = tlsCert !== null && tlsKey !== null ? readKeyTrouble(tlsCert, tlsKey) : null;
  return certificates().map((state) =>
    unfit !== null && state.path === tlsCert
      ? { ...state, trouble: { level: "error" as const, message: unfit } }
      : state,
  );
}

const isDatabaseUsable = (findings: readonly CheckResult[]): boolean =>
  !findings.some(({ part, verdict }) => part === "database" && verdict !== "ok");

/** Yields findings at once: there may be many. */
async function* examineStorage(context: Context, fix: boolean | string): AsyncGenerator<CheckResult> {
  const { content, drive } = await context.services();
  const { output } = context;
  const bars = {
    folders: output.progress("Checking folders"),
    objects: output.progress("Checking stored objects"),
    contents: output.progress("Checking what files refer to"),
  };
  // A bar must end before a line of text.
  const finish = () => Object.values(bars).forEach((bar) => bar.finish());
  let isSound = true;
  try {
    const onProgress: Progress = (step, done, total) => bars[step].update(done, total);
    for await (const found of content.checkStorage({
      fix: fix !== false,
      toTrash: (account, id, blobId) => drive.trash.put(account, { kind: "file", id }, blobId),
      isAllLost: fix === "all",
      onProgress,
    })) {
      isSound = false;
      finish();
      yield { part: "storage", ...storageReport(found) };
    }
  } finally {
    finish();
  }
  if (isSound) yield { part: "storage", ...ok("every file has its content, and there is no other content") };
}

/** See checkCache. */
async function pingRedis(context: Context): Promise<string | null> {
  const { database } = await context.services();
  const { redisUrl } = context.env().cache;
  const redis = await openRedis({
    url: redisUrl,
    instance: await readInstance(database),
    logger: silentLogger,
  });
  try {
    if (await redis.check()) return null;
    // The reason may come a moment later.
    for (let tries = 0; tries < 20 && redis.refusal() === null; tries++) await Bun.sleep(100);
    return redis.refusal() ?? "";
  } finally {
    redis.close();
  }
}
