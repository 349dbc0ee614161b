/** Version 1.0: report pages and their mails. */
import { REPORT_TABLES } from "../report-tables.ts";
import { createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("1091_report_pages", "report_pages", REPORT_TABLES.report_pages, [
    "primary key (link_id)",
    "constraint report_pages_link foreign key (link_id) references links (id) on delete cascade",
  ]),
  createTable("1092_report_mails", "report_mails", REPORT_TABLES.report_mails, [
    "constraint report_mails_link foreign key (link_id) references links (id) on delete cascade",
    "index report_mails_link_id (link_id, id)",
    "index report_mails_next_at (next_at, id)",
  ]),
  createTable("1093_report_readers", "report_readers", REPORT_TABLES.report_readers, [
    "constraint report_readers_email unique (mail_id, email)",
    "constraint report_readers_token unique (token)",
    "constraint report_readers_mail foreign key (mail_id) references report_mails (id) on delete cascade",
    "index report_readers_of (email, state)",
  ]),
];
