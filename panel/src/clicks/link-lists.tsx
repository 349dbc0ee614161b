import { Trans } from "@lingui/react/macro";
import { Card, Skeleton, Text } from "@mantine/core";
import { queryOptions } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { responseOf, api } from "../base/api.ts";
import { formatNumber } from "../base/i18n.ts";
import { AnchorLink } from "../ui/anchor-link.tsx";
import { CodeName } from "../ui/code-name.tsx";
import classes from "./clicks.module.css";

const MOST = 8;

/** Of all links that the account sees. */
export const newestLinksQuery = queryOptions({
  queryKey: ["links", "first"],
  queryFn: async ({ signal }) => {
    const query = { domain: "*", sort: "created_at", order: "desc", page_size: MOST } as const;
    return responseOf(api.GET("/admin/v1/links", { params: { query }, signal }));
  },
});

type Listed = { code: string; domain: string | null; title?: string | null };
type Props<T extends Listed> = {
  title: string;
  items: readonly T[] | undefined;
  countOf?(item: T): number;
  textOf?(item: T): string;
  empty: ReactNode;
};

/** A few links with a number or a date. */
export function LinkList<T extends Listed>({ title, items, countOf, textOf, empty }: Props<T>) {
  return (
    <Card withBorder p="md" component="section" aria-label={title} className={classes["list"]!}>
      <Text component="h2" fw={600} size="sm" mb="xs">
        {title}
      </Text>
      {items === undefined && <Skeleton height={32 * MOST} />}
      {items?.length === 0 && (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      )}
      <ul className={classes["shares"]}>
        {items?.slice(0, MOST).map((item) => (
          <li key={`${item.domain}/${item.code}`} className={classes["row"]}>
            <AnchorLink
              to="/link/$"
              params={{ _splat: item.code }}
              search={item.domain === null ? {} : { domain: item.domain }}
              size="sm"
              className={classes["clickCode"]!}
              title={item.title ?? item.code}
            >
              <CodeName code={item.code} domain={item.domain} />
            </AnchorLink>
            <span className={classes["percent"]} style={{ flex: "none", fontSize: 14 }}>
              {countOf ? formatNumber(countOf(item)) : textOf?.(item)}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

export const NothingYet = () => <Trans>There are no links yet.</Trans>;
