/** `waymark reports mail…`: mails that bring report pages. */
import type { Command } from "commander";
import { z } from "zod";
import { COMMAND } from "../../../lib/actor.ts";
import { cursorText, placeOf } from "../../../lib/cursor.ts";
import { given } from "../../../lib/given.ts";
import { LANGUAGES } from "../../../lib/language.ts";
import type { HostOf } from "../../../links/link/link.ts";
import type { CommandContext } from "../../../platform/cli/command.ts";
import { createDefine } from "../../../platform/cli/define.ts";
import { noteResult, pageResult, parseId, type Result, rowsResult } from "../../../platform/cli/results.ts";
import { validated } from "../../../lib/validated.ts";
import { viewOfReportPage } from "../../../reports/report.ts";
import {
  EVERY,
  newReportMail,
  reportMailChange,
  type ReportMailView,
  viewOfReportMail,
} from "./report-mail.ts";
import type { ReportMailRecord, ReportMails } from "./report-mails.service.ts";

type Context = CommandContext<{
  reportMails: ReportMails;
  links: { domains: { hostOf: HostOf } };
  origins: { ofServer(): string };
}>;

const COLUMNS = ["id", "title", "every", "at", "to", ["next_at", "NEXT"], ["short_url", "PAGE"]] as const;
const PAGE_SIZE = 100;
const TIMES = [
  ["--every <what>", "day, week or month", { values: EVERY }],
  ["--at <time>", "such as 08:00, in the zone of the reports"],
  ["--to <address>", "mail address; repeat it for several", { repeats: true }],
  ["--language <language>", "for addresses that are no account's", { values: LANGUAGES }],
] as const;

export function addReportMailCommands(group: Command, context: Context): void {
  const define = createDefine(group.command("mails"), context);

  define("list", "list the mails that bring reports, newest first")
    .option("--cursor <place>", "the cursor that the previous page printed")
    .result(async ({ cursor }) => {
      const { reportMails } = await context.services();
      const found = await reportMails.page(placeOf(z.int(), cursor), PAGE_SIZE, COMMAND);
      const rows = await Promise.all(found.mails.map((mail) => viewIn(context, mail)));
      const next = found.next === null ? null : cursorText(found.next);
      return pageResult({ name: "mails", rows, columns: COLUMNS, cells, end: { next }, none: "No mails." });
    });

  define("get <id>", "show a mail and its readers").result(async (_, id) => {
    const { reportMails } = await context.services();
    return shown(context, await reportMails.get(idIn(id), COMMAND));
  });

  define("add <page>", "send a report page by mail; give its ID")
    .options(TIMES)
    .result(async (options, page) => {
      const { reportMails } = await context.services();
      const input = validated(newReportMail, given({ page_id: Number(page), ...options }), "The mail");
      return shown(context, await reportMails.create(input, COMMAND));
    });

  define("update <id>", "change a mail; --to replaces all addresses")
    .options(TIMES)
    .option("--days <number>", "whole days before the mail, which its page then shows", { isNumber: true })
    .option("--ask-again <address>", "an address that has ended the mails; repeat it for several", {
      repeats: true,
    })
    .result(async (options, id) => {
      const { reportMails } = await context.services();
      const input = validated(reportMailChange, given({ ...options }), "The change");
      return shown(context, await reportMails.change(idIn(id), input, COMMAND));
    });

  define("delete <id...>", "end mails; their pages stay").result(async (_, ids) => {
    const { reportMails } = await context.services();
    for (const id of ids) await reportMails.remove(idIn(id), COMMAND);
    return noteResult({ ended: ids.map(Number) }, "Ended.");
  });
}

const idIn = (text: string): number =>
  parseId(text, "Give the ID of a mail; 'waymark reports mails list' has it.");

const cells = ({ to }: ReportMailView) => ({ to: to.join(", ") });

async function viewIn({ services }: Context, mail: ReportMailRecord): Promise<ReportMailView> {
  const { links, origins } = await services();
  return viewOfReportMail(mail, viewOfReportPage(mail.page, origins.ofServer(), links.domains.hostOf));
}

async function shown(context: Context, mail: ReportMailRecord): Promise<Result> {
  const view = await viewIn(context, mail);
  return {
    json: view,
    show(output) {
      rowsResult([view], COLUMNS, { cells }).show(output);
      output.line("");
      rowsResult(view.readers, ["email", "state", ["changed_at", "SINCE"]]).show(output);
    },
  };
}
