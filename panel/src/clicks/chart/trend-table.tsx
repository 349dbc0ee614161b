import { Trans } from "@lingui/react/macro";
import { Table } from "@mantine/core";
import { useState } from "react";
import { formatNumber } from "../../app/i18n.ts";
import { longName, type Unit } from "./buckets.ts";
import classes from "../clicks.module.css";
import type { Series } from "./series.ts";

type Props = { label: string; starts: readonly number[]; unit: Unit; series: readonly Series[] };

/** The values of a chart, newest first, when they are asked for. */
export function TrendTable({ label, starts, unit, series }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={classes["details"]} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <Trans>Values as a table</Trans>
      </summary>
      {isOpen && (
        <Table.ScrollContainer
          minWidth={280}
          mah={320}
          type="native"
          tabIndex={0}
          className={classes["scroll"]!}
        >
          <Table aria-label={label} stickyHeader verticalSpacing={4} className={classes["numbers"]!}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>
                  <Trans>Time</Trans>
                </Table.Th>
                {series.map(({ name, look }) => (
                  <Table.Th key={look}>{name}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {starts
                .map((start, at) => (
                  <Table.Tr key={start}>
                    <Table.Th scope="row">{longName(start, unit)}</Table.Th>
                    {series.map(({ look, values }) => (
                      <Table.Td key={look}>{formatNumber(values[at] ?? 0)}</Table.Td>
                    ))}
                  </Table.Tr>
                ))
                .toReversed()}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </details>
  );
}
