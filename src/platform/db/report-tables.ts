/** Tables of report pages and their mails; see schema.ts. */
export const REPORT_TABLES = {
  /** What a link shows that leads to a report. Removed with the link, which has its title, password and end. */
  report_pages: {
    link_id: "int",
    /** JSON: a filter of clicks, by the names of the API. */
    filter: "text",
    /** So many days up to today; null: from the first to the last day. */
    days: "int?",
    /** Days such as 2026-11-20, in the zone of the reports. */
    first_day: "text(10)?",
    last_day: "text(10)?",
  },
  /** Mails with the figures of a report page, at its hours. Removed with the link. */
  report_mails: {
    id: "serial",
    link_id: "int",
    /** "day", "week" or "month". */
    every: "text(8)",
    /** Minutes after midnight, in the zone of the reports. */
    minute: "int",
    next_at: "int",
    last_at: "int?",
    created_by: "text(128)?",
    created_at: "int",
  },
  /** Who gets the mails of a row of report_mails. Removed with it. */
  report_readers: {
    id: "serial",
    mail_id: "int",
    /** Lower-case. */
    email: "text(254)",
    language: "text(8)",
    /** "waiting": for a confirmation. "active". "ended": by the reader. "removed": by the owner, while it was not active. */
    state: "text(8)",
    /** Unique: what the reader confirms and ends the mails with. */
    token: "text(43)",
    changed_at: "int",
  },
} as const;
