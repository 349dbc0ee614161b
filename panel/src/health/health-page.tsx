import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { SystemReport } from "../base/api.ts";
import { LoadFailure } from "../ui/load-failure.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { systemQuery } from "./health-query.ts";
import { JobsList } from "./jobs-list.tsx";
import {
  CachePart,
  CertificatesPart,
  ClicksPart,
  DatabasePart,
  DiskPart,
  MailPart,
  ProcessPart,
  StoragePart,
} from "./parts-of-data.tsx";
import { HealthSummary } from "./summary.tsx";
import classes from "./health.module.css";

/** Parts with problems come first. */
function partsOf(system: SystemReport) {
  const parts = [
    { status: system.database.status, part: <DatabasePart key="database" system={system} /> },
    { status: system.clicks.status, part: <ClicksPart key="clicks" system={system} /> },
    { status: "healthy", part: <ProcessPart key="processes" system={system} /> },
    { status: system.cache.status, part: <CachePart key="cache" system={system} /> },
    ...system.disks.map((disk) => ({
      status: disk.status,
      part: <DiskPart key={disk.folder} disk={disk} />,
    })),
    ...(system.storages ?? []).map((storage) => ({
      status: storage.status,
      part: <StoragePart key={storage.policy_id} storage={storage} />,
    })),
  ];
  const troubles = [
    { status: system.mail.status, part: <MailPart key="mail" system={system} /> },
    { status: system.certificates.status, part: <CertificatesPart key="certificates" system={system} /> },
  ];
  const isWell = ({ status }: { status: string }) => status === "healthy";
  return [...[...parts, ...troubles].filter((part) => !isWell(part)), ...parts.filter(isWell)];
}

export function HealthPage() {
  const { t } = useLingui();
  const { data, error, refetch, isFetching } = useQuery(systemQuery);
  return (
    <Stack p="md" gap="md">
      <PageHead title={t`Health`}>
        <Button variant="default" loading={isFetching && data === undefined} onClick={() => void refetch()}>
          <Trans>Check now</Trans>
        </Button>
      </PageHead>
      {error !== null && <LoadFailure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && (
        <>
          <Skeleton height={78} />
          <div className={classes["parts"]}>
            {["database", "cache", "clicks", "processes", "disk"].map((part) => (
              <Skeleton key={part} height={150} />
            ))}
          </div>
        </>
      )}
      {data !== undefined && (
        <>
          <HealthSummary system={data} isOld={error !== null} />
          <div className={classes["parts"]}>
            {partsOf(data).map(({ part }) => part)}
            <JobsList system={data} />
          </div>
        </>
      )}
    </Stack>
  );
}
