const HOUR_MS = 3_600_000;

/** Tables in partitions (partitions.ts) by a column of time, with its unit in milliseconds. */
export const PARTITIONED = {
  click_log: { column: "clicked_at", unit: 1 },
  click_hours: { column: "hour", unit: HOUR_MS },
  click_dim_hours: { column: "hour", unit: HOUR_MS },
  click_days: { column: "day", unit: 24 * HOUR_MS },
  click_dim_days: { column: "day", unit: 24 * HOUR_MS },
  click_visitors: { column: "day", unit: 24 * HOUR_MS },
  visitor_days: { column: "day", unit: 24 * HOUR_MS },
} as const;

export type PartitionedTable = keyof typeof PARTITIONED;

/** PostgreSQL leaves room for a new row version in the page, so that an increase touches no index. */
export const COUNTER_STORAGE = "with (fillfactor = 85)";
