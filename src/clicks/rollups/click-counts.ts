/** Ascending by link, which prevents deadlocks between flushes. */
export type LinkCounts = { links: number[]; clicks: number[] };
/** For one hour, day or month. */
export type BucketIncrements = LinkCounts & { bucket: number };
/** Ascending by bucket. */
export type ClickCounts = {
  links: LinkCounts;
  hours: BucketIncrements[];
  days: BucketIncrements[];
  months: BucketIncrements[];
};
export const totalOf = ({ clicks }: LinkCounts): number => clicks.reduce((sum, count) => sum + count, 0);
