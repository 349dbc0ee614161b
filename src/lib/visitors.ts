/** Whose clicks a report counts; automated-visitors.ts has the rule. */
import { z } from "zod";

const VISITORS = ["all", "human", "automated"] as const;
export type Visitors = (typeof VISITORS)[number];

/** For `z.object`. An empty text counts as absent. */
export const visitorsQuery = {
  visitors: z
    .enum([...VISITORS, ""], `must be one of ${VISITORS.join(", ")}`)
    .optional()
    .describe("whose clicks are counted; default: all")
    .meta({ enum: VISITORS }),
};

export const visitorsOf = (query: { visitors?: Visitors | "" | undefined }): Visitors =>
  query.visitors || "all";

/** `automated` is a part of `clicks`. */
export type ClickSum = { clicks: number; automated: number };

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
