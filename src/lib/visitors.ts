/** Whose clicks a report counts; automated-visitors.ts has the rule. */
import { z } from "zod";
import { queryChoice } from "./query-text.ts";

export const VISITORS = ["all", "human", "automated"] as const;
export type Visitors = (typeof VISITORS)[number];

/** Fields for `z.object`. */
export const visitorsQuery = {
  visitors: queryChoice(VISITORS, "whose clicks are counted; default: all"),
};

export const visitorsOf = (query: { visitors?: Visitors | "" | undefined }): Visitors =>
  query.visitors || "all";

/** `automated` is a part of `clicks`. */
export type ClickSum = { clicks: number; automated: number };

export const NO_CLICKS: Readonly<ClickSum> = { clicks: 0, automated: 0 };

/** Reads the sums of a query, which some servers give as texts, and which are null without rows. */
export const clickSumOf = ({
  clicks,
  automated,
}: {
  clicks: number | null;
  automated: number | null;
}): ClickSum => ({ clicks: Number(clicks ?? 0), automated: Number(automated ?? 0) });

export const countOf = ({ clicks, automated }: ClickSum, visitors: Visitors): number =>
  ({ all: clicks, human: clicks - automated, automated })[visitors];

export const bothCounts = {
  human_clicks: z.int(),
  automated_clicks: z.int(),
};

export const viewOfBoth = ({ clicks, automated }: ClickSum) => ({
  human_clicks: clicks - automated,
  automated_clicks: automated,
});

export const plus = (one: ClickSum, other: ClickSum): ClickSum => ({
  clicks: one.clicks + other.clicks,
  automated: one.automated + other.automated,
});
