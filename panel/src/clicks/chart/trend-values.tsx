import { Trans } from "@lingui/react/macro";
import { Table } from "@mantine/core";
import classes from "../clicks.module.css";
import { bucketName } from "./bucket-name.ts";
import { type DrawnSeries, shownValue } from "./series.ts";

/** The values of a chart, newest first. */
export function TrendValues({ label, starts, unit, series, open }: DrawnSeries) {
  return (
    <Table.ScrollContainer
      minWidth={280}
      mah={320}
      type="native"
      tabIndex={0}
      role="group"
      aria-label={label}
      className={classes["scroll"]!}
    >
      <Table aria-label={label} stickyHeader verticalSpacing={4} className={classes["numbers"]!}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>
              <Trans context="column">Time</Trans>
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
                <Table.Th scope="row">{bucketName(start, unit, at === open)}</Table.Th>
                {series.map(({ look, values }) => (
                  <Table.Td key={look}>{shownValue(values[at])}</Table.Td>
                ))}
              </Table.Tr>
            ))
            .toReversed()}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
