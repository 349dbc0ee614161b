import { Trans, useLingui } from "@lingui/react/macro";
import { Progress, Text } from "@mantine/core";
import type { SystemReport } from "../base/api.ts";
import { formatBytes, formatNumber, formatShare } from "../base/i18n.ts";
import { AnchorLink } from "../ui/anchor-link.tsx";
import { useAge } from "../ui/ages.ts";
import { Part } from "./part.tsx";

const KINDS: Record<string, string> = {
  sqlite: "SQLite",
  postgres: "PostgreSQL",
  mysql: "MySQL",
  mariadb: "MariaDB",
  memory: "",
  redis: "Redis",
};
const nameOf = (kind: string): string => KINDS[kind] ?? kind;

type Props = { system: SystemReport };

export function DatabasePart({ system: { database } }: Props) {
  const { t } = useLingui();
  const lagOf = (lagMs: number | null) =>
    lagMs === null
      ? t({ message: "None", context: "response" })
      : t`${formatNumber(Math.round(lagMs / 100) / 10)} s behind`;
  const { status, kind, version, message, links_count: links, response_time_ms: ms, replica } = database;
  return (
    <Part
      title={t`Database`}
      status={status}
      facts={[
        { name: t`Kind`, value: `${nameOf(kind)} ${version ?? ""}` },
        { name: t`Links`, value: formatNumber(links) },
        {
          name: t`Response`,
          value: ms === null ? t({ message: "None", context: "response" }) : t`${formatNumber(ms)} ms`,
        },
        ...(replica === null ? [] : [{ name: t`Replica`, value: lagOf(replica.lag_ms) }]),
      ]}
      {...(status !== "healthy" && {
        advice: message ? (
          <span lang="en">{message}</span>
        ) : (
          <Trans>
            The database does not respond. Known codes still redirect and clicks are kept; changes are
            refused. Start the database server, or check its address and the network.
          </Trans>
        ),
      })}
    />
  );
}

export function CachePart({ system: { cache } }: Props) {
  const { t } = useLingui();
  return (
    <Part
      title={t`Cache`}
      status={cache.status}
      facts={[{ name: t`Kind`, value: nameOf(cache.kind) || t`In memory, per process` }]}
      {...(cache.status !== "healthy" && {
        advice: cache.message ? (
          <span lang="en">{cache.message}</span>
        ) : (
          <Trans>
            Redis does not respond. Everything continues to work, but slower, and other machines see changes
            within a second. Start Redis, or check its address.
          </Trans>
        ),
      })}
    />
  );
}

/** Both are shown only while something is wrong. */
export function MailPart({ system: { mail } }: Props) {
  const { t } = useLingui();
  return <Trouble title={t`Mail`} {...mail} />;
}

export function CertificatesPart({ system: { certificates } }: Props) {
  const { t } = useLingui();
  return <Trouble title={t`Certificates`} {...certificates} />;
}

function Trouble({ title, status, message }: { title: string } & SystemReport["mail"]) {
  return <Part title={title} status={status} facts={[]} advice={<span lang="en">{message}</span>} />;
}

export function ClicksPart({ system: { clicks, checked_at: now } }: Props) {
  const { t } = useLingui();
  const ageOf = useAge();
  return (
    <Part
      title={t`Click totals`}
      status={clicks.status}
      facts={[
        { name: t`Counted since startup`, value: formatNumber(clicks.accepted) },
        { name: t`Waiting in the journal`, value: formatNumber(clicks.waiting) },
        { name: t`Not counted`, value: formatNumber(clicks.dropped) },
        ...(clicks.imported ? [{ name: t`Imported, in total`, value: formatNumber(clicks.imported) }] : []),
        { name: t`Last flush`, value: ageOf(clicks.flushed_at, now) },
        { name: t`Journal size`, value: formatBytes(clicks.journal_bytes) },
      ]}
      {...(clicks.status !== "healthy" && {
        advice: (
          <Trans>
            The last flush failed, {ageOf(clicks.failed_at, now)}. No click is lost: they wait in the journal
            and are counted when the database takes them. The log has the reason.
          </Trans>
        ),
      })}
    />
  );
}

export function DiskPart({ disk }: { disk: SystemReport["disks"][number] }) {
  const { t } = useLingui();
  const { free_bytes: free, total_bytes: total } = disk;
  const used = free === null || !total ? null : Math.round(((total - free) / total) * 100);
  return (
    <Part
      title={t`Disk`}
      status={disk.status}
      facts={[
        { name: t`Folder`, value: disk.folder },
        { name: t`Free`, value: free === null ? t`Unknown` : formatBytes(free) },
        { name: t`Size`, value: total === null ? t`Unknown` : formatBytes(total) },
        ...(used === null ? [] : [{ name: t`Used`, value: formatShare(used) }]),
      ]}
      {...(disk.message !== "" && { advice: <span lang="en">{disk.message}</span> })}
    >
      {used !== null && (
        <Progress value={used} color={used >= 90 ? "orange" : "brand"} aria-label={t`Used`} />
      )}
    </Part>
  );
}

export function StoragePart({ storage }: { storage: NonNullable<SystemReport["storages"]>[number] }) {
  const { t } = useLingui();
  return (
    <Part
      title={t`Storage: ${storage.name}`}
      status={storage.status}
      facts={[
        { name: t`Kind`, value: storage.driver_type === "s3" ? t`S3 storage` : t`Folder on this machine` },
        { name: t`Default`, value: storage.is_default ? t`Yes` : t`No` },
      ]}
      {...(storage.message !== "" && { advice: <span lang="en">{storage.message}</span> })}
    >
      <Text size="sm">
        <AnchorLink to="/policies" inherit>
          <Trans>Test it under Storage</Trans>
        </AnchorLink>
      </Text>
    </Part>
  );
}

export function ProcessPart({ system: { processes } }: Props) {
  const { t } = useLingui();
  const { open_files: open, open_files_limit: limit } = processes;
  const isFull = limit !== null && open > limit / 2;
  return (
    <Part
      title={t`Processes`}
      status={isFull ? "degraded" : "healthy"}
      facts={[
        { name: t`Workers`, value: formatNumber(processes.workers) },
        { name: t`Requests in progress`, value: formatNumber(processes.active_requests) },
        {
          name: t`Open files and connections`,
          value: limit === null ? formatNumber(open) : t`${formatNumber(open)} of ${formatNumber(limit)}`,
        },
        { name: t`Memory`, value: formatBytes(processes.memory_bytes) },
      ]}
      {...(isFull && {
        advice: (
          <Trans>
            Half of the open files are used: new connections are refused soon. Raise the limit (LimitNOFILE),
            or add workers.
          </Trans>
        ),
      })}
    />
  );
}
