import { useLingui } from "@lingui/react/macro";
import { Table, Text } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Trend } from "../../base/api.ts";
import { formatNumber, formatShare } from "../../base/i18n.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { CodeName } from "../../ui/code-name.tsx";
import { useIsPhone } from "../../ui/is-phone.ts";
import { Change } from "../change.tsx";
import classes from "../clicks.module.css";
import { comparable, endsOpen, leadingValues, sum } from "../chart/series.ts";
import { comparedKey } from "./compared-links.ts";
import type { Dimension } from "../dimensions.ts";
import type { Frame } from "../frame.ts";
import { itemsOf } from "../list-items.ts";
import type { ReportSearch } from "../range.ts";
import { filterFor, listQuery, type Place } from "../report-queries.ts";
import { bucketName } from "../chart/bucket-name.ts";
import { startOfBucket } from "../buckets.ts";

const SHOWN = 3;
/** Some of the values may be of no name. */
const ASKED = 5;

type Props = {
  places: readonly Place[];
  trends: readonly (Trend & { compared?: Trend | undefined })[];
  frame: Frame;
  search: ReportSearch;
};

/** Figures of links and where their clicks came from, a column each. */
export function CompareTable({ places, trends, frame, search }: Props) {
  const { t } = useLingui();
  const isPhone = useIsPhone();
  const { visitors, span, unit } = frame;
  const sums = trends.map((trend) => sum(leadingValues(trend, visitors)));
  const most = Math.max(...sums);
  const dimensions: [Dimension, string][] = [
    ["site", t`Sites`],
    ["utm_campaign", t`Campaigns`],
    ["country", t`Countries`],
    ["device", t`Devices`],
  ];
  const row = (name: ReactNode, cellOf: (at: number) => ReactNode) => (
    <Table.Tr>
      <Table.Th scope="row">{name}</Table.Th>
      {places.map((place, at) => (
        <Table.Td key={comparedKey(place)}>{cellOf(at)}</Table.Td>
      ))}
    </Table.Tr>
  );
  return (
    <Table.ScrollContainer minWidth={140 * (places.length + (isPhone ? 0 : 1))}>
      <Table
        className={classes["compared"]!}
        aria-label={t`Figures of the links`}
        verticalSpacing={6}
        style={{ fontVariantNumeric: "tabular-nums" }}
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Td />
            {places.map(({ code, domain }) => (
              <Table.Th key={comparedKey({ code, domain })} scope="col">
                <AnchorLink
                  to="/link/$"
                  params={{ _splat: code }}
                  search={domain === undefined ? {} : { domain }}
                  size="sm"
                >
                  <CodeName code={code} domain={domain ?? null} wraps />
                </AnchorLink>
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {row(visitors === "automated" ? t`Bots` : t`Human clicks`, (at) => (
            <Text span fw={sums[at] === most && most > 0 ? 700 : 400} inherit>
              {formatNumber(sums[at]!)}
            </Text>
          ))}
          {search.vs !== "none" &&
            row(search.vs === "year" ? t`Against a year before` : t`Against the previous period`, (at) => {
              const { compared } = trends[at]!;
              const values = leadingValues(trends[at]!, visitors);
              return (
                <Change
                  now={sum(comparable(values, compared))}
                  before={sum(compared ? leadingValues(compared, visitors) : [])}
                  isNeutral={visitors === "automated"}
                  open={endsOpen(values, compared) ? unit : undefined}
                />
              );
            })}
          {visitors === "all" && row(t`Bots`, (at) => formatNumber(sum(trends[at]!.automated_clicks)))}
          {trends.some((trend) => trend.visitors) &&
            row(t`Visits by day`, (at) => formatNumber(sum(trends[at]!.visitors ?? [])))}
          {row(t`Peak`, (at) => {
            const values = leadingValues(trends[at]!, visitors);
            const best = values.indexOf(Math.max(...values));
            if (sums[at] === 0) return "–";
            const label = bucketName(startOfBucket(trends[at]!.labels[best]!), unit, false);
            return `${label} (${formatNumber(values[best]!)})`;
          })}
          {dimensions.map(([dimension, title]) => (
            <Breakdown key={dimension} {...{ places, span, visitors, dimension, title }} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

type BreakdownProps = Pick<Props, "places"> &
  Pick<Frame, "span" | "visitors"> & { dimension: Dimension; title: string };

/** The most frequent values of each link. */
function Breakdown({ places, span, visitors, dimension, title }: BreakdownProps) {
  const lists = useQueries({
    queries: places.map((place) =>
      listQuery(dimension, { span, visitors, filter: filterFor(place, {}) }, ASKED),
    ),
  });
  const named = lists.map(
    ({ data }) =>
      data &&
      itemsOf(dimension, data)
        .filter(({ isRest }) => !isRest)
        .slice(0, SHOWN),
  );
  if (named.every((rows) => rows?.length === 0)) return null;
  return (
    <Table.Tr style={{ verticalAlign: "top" }}>
      <Table.Th scope="row">{title}</Table.Th>
      {places.map((place, at) => (
        <Table.Td key={comparedKey(place)}>
          {named[at]?.map(({ key, name, percentage }) => (
            <Text key={key} size="sm" style={{ overflowWrap: "anywhere" }}>
              {name}{" "}
              <Text span c="dimmed" size="sm">
                {formatShare(percentage)}
              </Text>
            </Text>
          )) ?? "…"}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
