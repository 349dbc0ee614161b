/** What visitors report about a link, for administrators. */
import { z } from "zod";
import type { RowFields } from "../../platform/db/schema.ts";
import { createView } from "../../lib/case-names.ts";
import { namedObject } from "../../lib/named-object.ts";
import { shortUrl } from "../link/short-url.ts";
import { heldShown, showHeld } from "../link/held.ts";
import { codeOf, domainOf } from "../link/key.ts";
import type { HostOf } from "../link/link.ts";
import { readOptions } from "../link/field-values.ts";

export const REPORT_REASONS = ["phishing", "malware", "spam", "illegal", "other"] as const;
export type ReportReason = (typeof REPORT_REASONS)[number];

export const MOST_DETAILS = 1000;

/** With its link, whose `code` is the key. */
export type VisitorReport = RowFields<"link_reports"> &
  Pick<RowFields<"links">, "code" | "target" | "options">;

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

const viewReport = createView(reportSchema);

export const viewOfReport = (report: VisitorReport, origin: string, hostOf: HostOf) => {
  const [code, domain] = [codeOf(report.code), hostOf(domainOf(report.code))];
  return viewReport({
    ...report,
    reason: REPORT_REASONS.find((reason) => reason === report.reason) ?? "other",
    code,
    domain,
    shortUrl: shortUrl(origin, domain, code),
    held: showHeld(readOptions(report.options).held),
  });
};
