import { Trans } from "@lingui/react/macro";
import { Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import type { SystemReport } from "../base/api.ts";
import { StateBadge } from "../ui/state-badge.tsx";
import classes from "./health.module.css";

export type Status = SystemReport["status"];

export function StatusBadge({ status }: { status: Status }) {
  if (status === "healthy") {
    return (
      <StateBadge tone="good">
        <Trans>OK</Trans>
      </StateBadge>
    );
  }
  return status === "degraded" ? (
    <StateBadge tone="warning">
      <Trans>In trouble</Trans>
    </StateBadge>
  ) : (
    <StateBadge tone="bad">
      <Trans>Away</Trans>
    </StateBadge>
  );
}

export type Fact = { name: string; value: ReactNode };

type Props = {
  title: string;
  status: Status;
  facts: readonly Fact[];
  /** What is wrong, and what to do. */
  advice?: ReactNode;
  children?: ReactNode;
};

/** One part of the server: its state, what is wrong, and its figures. */
export function Part({ title, status, facts, advice, children }: Props) {
  return (
    <section className={classes["part"]} data-status={status}>
      <Group justify="space-between" wrap="nowrap">
        <Title order={2} size="h5" style={{ overflowWrap: "anywhere" }}>
          {title}
        </Title>
        <StatusBadge status={status} />
      </Group>
      {advice !== undefined && (
        <Text size="sm" className={classes["advice"] ?? ""}>
          {advice}
        </Text>
      )}
      <dl className={classes["facts"]}>
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {children}
    </section>
  );
}
