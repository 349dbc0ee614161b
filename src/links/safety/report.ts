/** What visitors report about a link, for administrators. */
import { z } from "zod";
import { namedObject } from "../../lib/named-object.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import { shortUrl } from "../../lib/short-url.ts";
import { heldShown, showHeld } from "../link/held.ts";
import { codeOf, domainOf } from "../link/key.ts";
import type { HostOf } from "../link/link.ts";
import { readOptions } from "../link/options.ts";

export const REPORT_REASONS = ["phishing", "malware", "spam", "illegal", "other"] as const;
export type ReportReason = (typeof REPORT_REASONS)[number];

export const MOST_DETAILS = 1000;

export type VisitorReport = {
  id: number;
  at: number;
  /** Unknown stored ones count as `other`. */
  reason: string;
  details: string | null;
  resolvedAt: number | null;
  resolvedBy: string | null;
  linkId: number;
  /** The key. */
  code: string;
  target: string;
  options: string | null;
};

export const reportSchema = namedObject("VisitorReport", {
  id: z.int(),
  at: z.iso.datetime(),
  reason: z.enum(REPORT_REASONS),
  details: z.string().nullable(),
  resolved_at: z.iso.datetime().nullable(),
  resolved_by: z.string().nullable(),
  link_id: z.int(),
  code: z.string(),
  domain: z.string().nullable(),
  short_url: z.url(),
  target: z.string(),
  held: heldShown.nullable(),
});

export const viewOfReport = (report: VisitorReport, origin: string, hostOf: HostOf) => {
  const [code, domain] = [codeOf(report.code), hostOf(domainOf(report.code))];
  return {
    id: report.id,
    at: formatRfc3339(report.at),
    reason: REPORT_REASONS.find((reason) => reason === report.reason) ?? "other",
    details: report.details,
    resolved_at: report.resolvedAt === null ? null : formatRfc3339(report.resolvedAt),
    resolved_by: report.resolvedBy,
    link_id: report.linkId,
    code,
    domain,
    short_url: shortUrl(origin, domain, code),
    target: report.target,
    held: showHeld(readOptions(report.options).held),
  };
};
