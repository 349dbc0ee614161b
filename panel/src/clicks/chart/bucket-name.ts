import { t } from "@lingui/core/macro";
import { isRepeated, longName, type Unit } from "../buckets.ts";

/** Of a bucket with its values. `isOpen`: it is not over, so they grow. */
export function bucketName(start: number, unit: Unit, isOpen: boolean): string {
  const name = nameOf(start, unit);
  return isOpen ? t`${name}, so far` : name;
}

function nameOf(start: number, unit: Unit): string {
  const name = longName(start, unit);
  return isRepeated(start, unit) ? t`${name} (repeated hour)` : name;
}
