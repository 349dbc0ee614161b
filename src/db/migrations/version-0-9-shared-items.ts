/** Version 0.9: shared folders that take files. */
import { addColumn, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  addColumn("0225_shares_two_way", "shares", "two_way", (w) => `${w.int} not null default 0`),
];
