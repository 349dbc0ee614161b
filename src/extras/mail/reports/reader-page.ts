/** The page where a reader confirms or ends mails. A button does it, because programs open links of mails, too. */
import { knownLanguage } from "../../../lib/language.ts";
import type { Look } from "../../../visitors/look.ts";
import { messagePage } from "../../../visitors/messages.ts";
import { htmlPage, text, type VisitorPage } from "../../../visitors/page.ts";
import { MAIL_TEXTS } from "../texts/mail-texts.ts";
import type { ReportReader } from "./report-mail.ts";

/** @param reader null: the address is unknown */
export function readerPage(look: Look, reader: ReportReader | null): VisitorPage {
  const { reader: words } = MAIL_TEXTS[knownLanguage(look.language)];
  if (reader === null) return messagePage(look, words.unknown);
  if (reader.state === "ended") return messagePage(look, words.ended);
  const isWaiting = reader.state === "waiting";
  const { title, sentence, action } = isWaiting ? words.confirm : words.end;
  return htmlPage(look, {
    title,
    content: `<h1>${text(title)}</h1>
<p class="soft">${text(sentence)}</p>
<form method="post"><button name="decision" value="${isWaiting ? "confirm" : "end"}">${text(action)}</button></form>`,
  });
}

export const confirmedPage = (look: Look): VisitorPage =>
  messagePage(look, MAIL_TEXTS[knownLanguage(look.language)].reader.confirmed);
