/** Version 1.0: documents of domains. */
import { LINK_TABLES } from "../link-tables.ts";
import { createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("1094_domain_documents", "domain_documents", LINK_TABLES.domain_documents, [
    "primary key (domain_id, name)",
    "constraint domain_documents_domain foreign key (domain_id) references domains (id) on delete cascade",
  ]),
];
