import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { sharePolicyQuery } from "../share-queries.ts";
import { holdsLimits, type ShareValues } from "./share-values.ts";

const FIELDS: readonly string[] = [
  "expires",
  "password",
  "maxDownloads",
  "maxFiles",
  "maxBytes",
  "maxFileSize",
  "requires",
  "types",
];
/** Of a new share. */
const DAYS = 7;

/** The folded limits. They begin open if they hold something or the account's policy demands something there. */
export function useLimits(values: ShareValues) {
  const { data: policy } = useQuery(sharePolicyQuery);
  const [chosen, setChosen] = useState<boolean | undefined>(holdsLimits(values) || undefined);
  const isDemanded =
    policy !== undefined &&
    (policy.password ||
      (policy.max_downloads !== null && values.use !== "drop") ||
      (policy.max_days !== null && policy.max_days < DAYS));
  const isOpen = chosen ?? isDemanded;
  return {
    section: { isOpen, onToggle: () => setChosen(!isOpen) },
    /** Opens what has errors. */
    reveal(fields: readonly string[]): void {
      if (fields.some((field) => FIELDS.includes(field))) setChosen(true);
    },
  };
}
