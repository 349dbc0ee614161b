/** Makes a mail of its content: subject, plain text and HTML, in the recipient's language, light and dark. */
import { accentOf } from "../../lib/accent.ts";
import type { Language } from "../../lib/language.ts";
import { COLOURS, RADIUS, TYPE } from "../../lib/tokens.ts";
import { type MailContent, type MailContents, REASON_OF } from "./mail.ts";
import type { SmtpMessage } from "./smtp.ts";
import { foreign, oneLine } from "./foreign.ts";
import { filled } from "../../lib/message.ts";
import type { MailTexts } from "./texts/en.ts";
import { MAIL_TEXTS } from "./texts/mail-texts.ts";

type MailText = { subject: string; lines: string[]; action?: string };

export type Letter = Pick<SmtpMessage, "name" | "subject" | "text" | "html" | "logo" | "unsubscribe">;

/** What every mail shows of the instance. */
export type MailIdentity = {
  name(): string;
  /** `#` and six hexadecimal digits. */
  accentColor(): string;
  logo(): SmtpMessage["logo"] | null;
  icon(pixels: number): SmtpMessage["logo"];
};

const LONGEST_SUBJECT = 150;
const ICON_PIXELS = 96;

/** @param zone whose clock dates show: that of the instance */
export const createLetters =
  (identity: MailIdentity, zone: () => string = () => "UTC") =>
  (mail: MailContent, language: Language): Letter => {
    const texts = MAIL_TEXTS[language];
    const name = oneLine(identity.name(), 100);
    const instant = new Intl.DateTimeFormat(language, {
      dateStyle: "long",
      timeStyle: "short",
      timeZone: zone(),
    });
    const instantText = (at: number) => `${instant.format(at)} ${zone() === "UTC" ? "UTC" : `(${zone()})`}`;
    const safe = { kind: mail.kind, content: foreign(mail.content) } as MailContent;
    const { subject: heading, lines, ...rest } = textOf(safe, texts);
    const values: Record<string, string> = { instance: name };
    for (const [key, value] of Object.entries(safe.content))
      values[key] =
        key === "at" || key === "endsAt"
          ? instantText(value as number)
          : typeof value === "number"
            ? value.toLocaleString(language)
            : String(value);
    if (values["by"] === "") values["by"] = name;
    if (safe.kind === "drop") values["names"] = listed(safe.content, texts.more, language);
    if (safe.kind === "share" && isOfFiles(safe.content)) {
      values["title"] = filled(texts.share.files, values);
      values["names"] = listed(safe.content, texts.more, language);
    }
    if (safe.kind === "report") {
      values["facts"] = safe.content.facts.join("\n");
      values["lists"] = safe.content.lists.join("\n");
    }
    const end = mail.kind === "report" ? mail.content.end : null;
    const url = "url" in mail.content ? mail.content.url : null;
    const reason = filled(texts.reasons[REASON_OF[mail.kind]], values);
    const subject = oneLine(filled(heading, values), LONGEST_SUBJECT);
    const parts = {
      ...rest,
      lines: lines.map((line) => filled(line, values)),
      subject,
      url,
      reason,
      name,
      language,
      ifNot: texts.ifNot,
      end: end === null ? null : { url: end, label: texts.end },
    };
    return {
      name,
      subject,
      text: plainText(parts),
      html: html(parts, identity.accentColor()),
      logo: identity.logo() ?? identity.icon(ICON_PIXELS),
      unsubscribe: end,
    };
  };

/** Chooses the messages that fit the content. */
function textOf({ kind, content }: MailContent, { letters, share }: MailTexts): MailText {
  if (kind === "drop") return content.count === 1 ? letters.drop_one : letters.drop;
  if (kind === "download") return content.count === 1 ? letters.download_once : letters.download;
  if (kind === "share_ending") return content.endsAt === null ? letters.share_used_up : letters.share_ending;
  if (kind === "webhook") return content.isGone ? letters.webhook_gone : letters.webhook;
  if (kind === "invitation" && content.by === "") return letters.invitation_plain;
  if (kind !== "share") return letters[kind];
  const asks = content.title === "" ? share.asksPlain : share.asks;
  const lines = [
    ...(content.message === null
      ? [content.asks ? asks : content.by === "" ? share.plainOfInstance : share.plain]
      : [share.messageFrom, "{message}"]),
    ...(isOfFiles(content) ? ["{names}"] : []),
    ...(content.endsAt === null ? [] : [share.until]),
    ...(content.verify ? [share.verify] : []),
    ...(content.password ? [share.password] : []),
  ];
  if (!content.asks) return { subject: share.subject, lines, action: share.action };
  return {
    subject: content.title === "" ? share.asksPlainSubject : share.asksSubject,
    lines,
    action: share.send,
  };
}

type Listed = Pick<MailContents["drop"], "names" | "count">;

/** A share that is called by its files. */
const isOfFiles = (content: MailContents["share"]): content is MailContents["share"] & Listed =>
  content.names !== undefined && content.names.length > 0;

/** The first names, one a line, and how many more there are. */
function listed({ names, count }: Listed, more: string, language: Language): string {
  const left = count - names.length;
  const rest = left > 0 ? [filled(more, { more: left.toLocaleString(language) })] : [];
  return [...names.map((name) => `• ${name}`), ...rest].join("\n");
}

type Parts = MailText & {
  url: string | null;
  reason: string;
  name: string;
  language: Language;
  /** Before the address, for programs that show no button. */
  ifNot: string;
  /** Where the reader ends such mails. */
  end: { url: string; label: string } | null;
};

function plainText({ lines, url, reason, name, end }: Parts): string {
  const last = end === null ? "" : `\n${end.label}: ${end.url}`;
  return [...lines, ...(url === null ? [] : [url]), `-- \n${name}\n${reason}${last}`].join("\n\n");
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (plain: string): string =>
  plain.replace(/[&<>"]/g, (letter) => ESCAPES[letter]!).replaceAll("\n", "<br>");

/** Programs that know no style sheets take the styles of the elements, which are the light ones. */
function html(parts: Parts, accentColor: string): string {
  const { subject, lines, url, action, reason, name, language, ifNot, end } = parts;
  const { light: day, dark: night } = COLOURS;
  const { fill, onFill, light, dark } = accentOf(accentColor);
  const font = `font-family:${TYPE.family.replaceAll('"', "'")}`;
  const soft = `color:${day.soft};font-size:13px;line-height:1.5;overflow-wrap:anywhere`;
  const paragraphs = lines.map((line) => `<p style="margin:0 0 16px">${escaped(line)}</p>`).join("\n");
  const button =
    url === null || action === undefined
      ? ""
      : `<p style="margin:24px 0"><a class="b" href="${escaped(url)}" style="display:inline-block;padding:12px 20px;border-radius:${RADIUS.md};background:${fill};color:${onFill};font-weight:600;text-decoration:none">${escaped(action)}</a></p>
<p class="s" style="margin:0;${soft}">${escaped(ifNot)}<br><a class="u" href="${escaped(url)}" style="color:${light}">${escaped(url)}</a></p>`;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(subject)}</title>
<style>
:root{color-scheme:light dark}
@media(prefers-color-scheme:dark){
.g{background:${night.ground}!important;color:${night.ink}!important}
.c{background:${night.card}!important;border-color:${night.line}!important}
.s{color:${night.soft}!important}.u{color:${dark}!important}
}
</style>
</head>
<body class="g" style="margin:0;padding:0;background:${day.ground};color:${day.ink};${font};font-size:16px;line-height:1.6">
<div class="g" style="padding:24px 12px;background:${day.ground};color:${day.ink}">
<div style="max-width:560px;margin:0 auto">
<p style="margin:0 0 16px;font-weight:600;overflow-wrap:anywhere"><img src="cid:logo" alt="" height="32" style="height:32px;max-width:160px;vertical-align:middle;margin-right:10px">${escaped(name)}</p>
<div class="c" style="padding:28px 24px;background:${day.card};border:1px solid ${day.line};border-radius:${RADIUS.lg};overflow-wrap:anywhere">
<h1 style="margin:0 0 16px;font-size:21px;line-height:1.3;font-weight:${TYPE.weight}">${escaped(subject)}</h1>
${paragraphs}
${button}
</div>
<p class="s" style="margin:16px 4px 0;${soft}">${escaped(reason)}${end === null ? "" : ` <a class="u" href="${escaped(end.url)}" style="color:${light}">${escaped(end.label)}</a>`}</p>
</div>
</div>
</body>
</html>
`;
}
