import { Trans, useLingui } from "@lingui/react/macro";
import { Text, Title } from "@mantine/core";
import type { SystemReport } from "../base/api.ts";
import { formatNumber } from "../base/i18n.ts";
import { DataList } from "../ui/lists/data-list.tsx";
import { useAge } from "../ui/ages.ts";
import { nameOfJob } from "./job-names.ts";
import { StatusBadge } from "./part.tsx";
import classes from "./health.module.css";

type Job = SystemReport["jobs"][number];

/** Background jobs of this machine. */
export function JobsList({ system: { jobs, checked_at: now } }: { system: SystemReport }) {
  const { t } = useLingui();
  const ageOf = useAge();
  return (
    <section className={classes["wide"]} aria-labelledby="jobs">
      <Title order={2} size="h5" mb="xs" id="jobs">
        <Trans>Background jobs</Trans>
      </Title>
      <DataList<Job>
        label={t`Background jobs`}
        items={jobs}
        error={null}
        onRetry={() => undefined}
        keyOf={({ job }) => job}
        empty={<Trans>No job ran yet.</Trans>}
        columns={[
          {
            title: t`Job`,
            cell: ({ job, status }) => (
              <>
                <JobName job={job} />
                {status !== "healthy" && (
                  <Text size="sm" c="dimmed">
                    <Trans>Its last run failed; it runs again by itself. The log has the reason.</Trans>
                  </Text>
                )}
              </>
            ),
          },
          { title: t`State`, fit: "value", cell: ({ status }) => <StatusBadge status={status} /> },
          { title: t`Last run`, fit: "value", cell: ({ succeeded_at: at }) => ageOf(at, now) },
          {
            title: t`Runs`,
            isHidden: "medium",
            fit: "number",
            cell: ({ succeeded }) => formatNumber(succeeded),
          },
          {
            title: t`Failed runs`,
            isHidden: "narrow",
            fit: "number",
            cell: ({ failed }) => formatNumber(failed),
          },
        ]}
      />
    </section>
  );
}

function JobName({ job }: Pick<Job, "job">) {
  const name = nameOfJob(job);
  return (
    <Text size="sm" fw={600} {...(name === undefined ? { lang: "en" } : { title: job })}>
      {name ?? job}
    </Text>
  );
}
