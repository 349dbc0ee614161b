import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { sharePolicyQuery } from "../share-queries.ts";
import { holdsLimits, holdsMessage, type ShareValues } from "./share-values.ts";

type Section = "message" | "limits";

const FIELDS: Record<Section, readonly string[]> = {
  message: ["message", "recipients", "verify"],
  limits: ["expires", "password", "maxDownloads", "maxFiles", "maxBytes", "maxFileSize", "requires", "types"],
};
/** Of a new share. */
const DAYS = 7;

/** Folded parts of the form. They begin open if they hold something or the account's policy demands something there. */
export function useSections(values: ShareValues) {
  const { data: policy } = useQuery(sharePolicyQuery);
  const [chosen, setChosen] = useState<Partial<Record<Section, boolean>>>(() => ({
    ...(holdsMessage(values) && { message: true }),
    ...(holdsLimits(values) && { limits: true }),
  }));
  const isDrop = values.use === "drop";
  const demanded = {
    message: policy !== undefined && policy.verify && !isDrop,
    limits:
      policy !== undefined &&
      (policy.password ||
        (policy.max_downloads !== null && !isDrop) ||
        (policy.max_days !== null && policy.max_days < DAYS)),
  };
  const isOpen = (section: Section): boolean => chosen[section] ?? demanded[section];
  return {
    of: (section: Section) => ({
      isOpen: isOpen(section),
      onToggle: () => setChosen((now) => ({ ...now, [section]: !isOpen(section) })),
    }),
    /** Opens what has errors. */
    reveal(fields: readonly string[]): void {
      for (const section of ["message", "limits"] as const) {
        const isWrong = fields.some((field) => FIELDS[section].includes(field));
        if (isWrong) setChosen((now) => ({ ...now, [section]: true }));
      }
    },
  };
}
