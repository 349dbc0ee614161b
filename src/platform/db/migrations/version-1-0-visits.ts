/** Version 1.0: which visits of shares are a program's. */
import { addColumn, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  addColumn("1104_share_visits_automated", "share_visits", "automated", "int0"),
];
