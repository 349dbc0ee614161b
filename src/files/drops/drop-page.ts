/** The page of a drop box. It works without the script, which shows progress and resumes interrupted uploads. */
import { filled } from "../../lib/message.ts";
import { RADIUS, SPACE, TYPE } from "../../lib/tokens.ts";
import {
  countText,
  quantityOfBytes,
  instantHtml,
  LOCAL_TIMES,
  unitsOfBytes,
} from "../../visitors/quantity-text.ts";
import type { Look, VisitorPages } from "../../visitors/look.ts";
import { htmlPage, text, type VisitorPage, pageResponse } from "../../visitors/page.ts";
import { inline } from "../../visitors/style.ts";
import { EMAIL_FIELD, NAME_FIELD, type OpenDrop, roomIn, type SentFile, type VisitedDrop } from "./drop.ts";
import { UPLOAD_SCRIPT } from "./page-script.ts";
import { messagePage } from "../../visitors/messages.ts";
import type { Uploads } from "../uploads/service.ts";
import { mostIn } from "./gate.ts";
import type { Senders } from "./sender.ts";
import type { Drops } from "./service.ts";

const STYLE = inline(
  `
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:${SPACE.md};margin:1.5rem 0 0}
.facts dt{color:var(--soft);font-size:${TYPE.size.sm}}.facts dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums}
form label~label{margin-top:1rem}.say{margin-top:1.5rem;font-size:${TYPE.size.sm}}form input{font-weight:400}button:disabled{opacity:.6;cursor:default;box-shadow:none}
input[type=file],.pick{height:auto;padding:1.5rem 1rem;border:2px dashed var(--soft);font-size:${TYPE.size.sm};cursor:pointer}
input[type=file]::file-selector-button{margin-inline-end:.75rem;padding:.375rem .875rem;border:1px solid var(--soft);border-radius:${RADIUS.md};background:var(--card);color:var(--ink);font:inherit;cursor:pointer}
.pick{position:relative;border-radius:${RADIUS.md};background:var(--ground);color:var(--accent-ink);text-align:center}
.pick input{position:absolute;inset:0;height:100%;margin:0;opacity:0}
.pick:has(:focus-visible){outline:3px solid var(--accent-ink);outline-offset:2px}.pick:has(:disabled){opacity:.6}
h2{margin:2rem 0 .5rem;font-size:${TYPE.size.lg}}
.files{list-style:none;margin:0;padding:0;border-top:1px solid var(--line)}
.files li{display:flex;flex-wrap:wrap;gap:.125rem 1rem;align-items:baseline;justify-content:space-between;padding:.625rem 0;border-bottom:1px solid var(--line)}
.files bdi{min-width:0;overflow-wrap:anywhere}.files span{color:var(--soft);font-size:${TYPE.size.sm};font-variant-numeric:tabular-nums}
.files progress{flex-basis:100%;width:100%;height:.375rem;accent-color:var(--accent-ink)}
.files .warn{color:var(--warn)}.files .right{color:var(--right)}
form .files{margin-top:1rem;border:0}form .files bdi{flex:1}form .files .warn{flex-basis:100%;order:1}.note{margin-top:1rem}
.files button,.plain{width:auto;margin:0;padding:0 .5rem;border:0;background:none;color:var(--soft)}
form .files button{min-width:2.75rem;margin:-.625rem -.75rem -.625rem 0}
form .plain{display:block;padding:.5rem 0;color:var(--accent-ink);font-size:${TYPE.size.sm}}
.add{margin-top:1rem}.add summary{padding:.625rem 0;color:var(--accent-ink);font-weight:600;cursor:pointer}
.add .facts{grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));font-size:inherit}
`.replaceAll("\n", ""),
);
type KindNames = Look["texts"]["drop"]["kindNames"];
const KINDS: Readonly<Record<string, keyof KindNames>> = {
  "image/*": "picture",
  "video/*": "video",
  "audio/*": "audio",
  "text/*": "text",
};

const SCRIPT = inline(UPLOAD_SCRIPT);
const STYLES = [STYLE];
const SCRIPTS = [SCRIPT];
const WITHOUT_UPLOADS = [LOCAL_TIMES];
const WITH_UPLOADS = [LOCAL_TIMES, SCRIPT];
/** The script uploads to the page's own address. */
const POLICY = { "connect-src": "'self'" };

export type DropNote = { kind: "right" | "warn"; sentence: string };

export type DropView = {
  box: OpenDrop;
  /** The largest file that can be sent. */
  most: number;
  sent: readonly SentFile[];
  note: DropNote | null;
  /** Whether the browser keeps the visitor's cookie: resumable uploads and the list of sent files need it. */
  remembers: boolean;
};

const isOpen = ({ box, most }: DropView): boolean => box.files < box.maxFiles && most > 0;

const canUpload = (view: DropView): boolean => isOpen(view) && view.remembers;

/** The parts that the page of a folder with two ways adds. The files that came are in its list. */
export function addingParts(look: Look, view: DropView) {
  const { note, most, box } = view;
  const { drop } = look.texts;
  const isShown = note !== null ? " open" : "";
  const html = isOpen(view)
    ? `${noteOf(note)}<details class="add"${isShown}><summary>${text(drop.add)}</summary>${formOf(look, view)}${factsOf(look, box, most)}</details>`
    : noteOf(note ?? { kind: "warn", sentence: drop.closed });
  return { html, styles: STYLES, scripts: canUpload(view) ? SCRIPTS : [], policy: POLICY };
}

export function dropPage(look: Look, view: DropView): VisitorPage {
  const { box, most, sent, note, remembers } = view;
  const { texts } = look;
  const { drop } = texts;
  const title = box.title ?? drop.title;
  const name = box.from === null ? null : `\u2068${box.from}\u2069`;
  return htmlPage(look, {
    title,
    description: drop.intro,
    width: "wide",
    content: `<h1><bdi>${text(title)}</bdi></h1>
<p>${text(name === null ? drop.intro : filled(drop.asks, { name }))}</p>
${box.message === null ? "" : `<p class="message"><bdi>${text(box.message)}</bdi></p>`}${noteOf(note)}
${isOpen(view) ? formOf(look, view) + factsOf(look, box, most) : noteOf({ kind: "warn", sentence: drop.closed })}
<h2>${text(drop.sent)}</h2>
${remembers ? sentList(look, sent) : `<p class="soft">${text(drop.notRemembered)}</p>`}${name === null ? "" : `\n<p class="soft say">${text(filled(drop.introOf, { name }))}</p>`}`,
    styles: STYLES,
    scripts: canUpload(view) ? WITH_UPLOADS : WITHOUT_UPLOADS,
    policy: POLICY,
  });
}

const noteOf = (note: DropNote | null): string =>
  note === null
    ? ""
    : `<p class="note ${note.kind}" role="${note.kind === "warn" ? "alert" : "status"}">${text(note.sentence)}</p>`;

/** Such as "Pictures, .pdf". */
const typesText = (language: string, types: readonly string[], kinds: KindNames): string =>
  new Intl.ListFormat(language, { style: "narrow" }).format(
    types.map((type) => {
      const kind = KINDS[type];
      return kind === undefined ? type : kinds[kind];
    }),
  );

function factsOf({ language, texts }: Look, box: OpenDrop, most: number): string {
  const { drop } = texts;
  const facts = [
    [drop.filesLeft, text(countText(language, box.maxFiles - box.files))],
    [drop.roomLeft, text(quantityOfBytes(language, roomIn(box)))],
    [drop.largest, text(quantityOfBytes(language, most))],
    ...(box.types.length === 0 ? [] : [[drop.kinds, text(typesText(language, box.types, drop.kindNames))]]),
    ...(box.expiresAt === null ? [] : [[drop.until, instantHtml(language, box.expiresAt)]]),
  ];
  const rows = facts.map(([name, html]) => `<div><dt>${text(name!)}</dt><dd>${html}</dd></div>`);
  return `<dl class="facts">${rows.join("")}</dl>`;
}

function formOf({ language, texts: { drop } }: Look, { box: { requires, types }, most }: DropView): string {
  const { size, failed, ended } = drop.refused;
  const scriptTexts = { ...drop.script, ...unitsOfBytes(language), most, size, failed, ended };
  const [nameLabel, needsName] =
    requires === "name" ? [drop.yourNameNeeded, " required"] : [drop.yourName, ""];
  const email = `
<label>${text(drop.yourEmail)}<input type="email" name="${EMAIL_FIELD}" maxlength="254" autocomplete="email" required></label>`;
  const accepted = types.length === 0 ? "" : ` accept="${text(types.join(","))}"`;
  return `
<form method="post" enctype="multipart/form-data" data-told="${text(JSON.stringify(scriptTexts))}">
<label>${text(drop.choose)}<input type="file" name="file" multiple required${accepted}></label>
<ul class="files" hidden></ul>
<label>${text(nameLabel)}<input name="${NAME_FIELD}" maxlength="80" autocomplete="name"${needsName}></label>${requires === "email" ? email : ""}
<button>${text(drop.send)}</button>
</form>`;
}

function sentList({ language, texts }: Look, sent: readonly SentFile[]): string {
  if (sent.length === 0) return `<p class="soft">${text(texts.drop.nothing)}</p>`;
  const rows = sent.map(({ name, path, size, at }) => {
    const shownSize = size === null ? "" : `${text(quantityOfBytes(language, size))} · `;
    return `<li><bdi>${text(path === null ? name : `${path}/${name}`)}</bdi><span>${shownSize}${instantHtml(language, at)}</span></li>`;
  });
  return `<ul class="files">${rows.join("")}</ul>`;
}

export type DropShowDeps = {
  drops: Drops;
  uploads: Pick<Uploads, "policyIn">;
  senders: Senders;
  pages: VisitorPages;
};

export function createDropShow({ drops, uploads, senders, pages }: DropShowDeps) {
  async function viewOf(box: VisitedDrop, request: Request, note: DropNote | null) {
    const policy = await uploads.policyIn(box.folders);
    const { id, cookie } = senders.of(box, request);
    const sent = cookie === null ? await drops.sentBy(box.linkId, id) : [];
    const view: DropView = {
      box,
      most: mostIn(box, policy),
      sent,
      note,
      remembers: senders.remembers(request),
    };
    return { view, headers: cookie === null ? {} : { "Set-Cookie": cookie } };
  }

  function sentNote(request: Request): { note: DropNote | null } {
    const isSent = /[?&]sent=1(?:&|$)/.test(request.url);
    return { note: isSent ? { kind: "right", sentence: pages.look(request).texts.drop.arrived } : null };
  }

  return {
    sentNote,

    async show(
      box: VisitedDrop,
      request: Request,
      { status = 200, note = null }: { status?: number; note?: DropNote | null } = {},
    ): Promise<Response> {
      const look = pages.look(request);
      if (box.isTwoWay) {
        const { title, arrived } = look.texts.drop;
        return pageResponse(
          messagePage(look, { title, sentence: note?.sentence ?? arrived }),
          status,
          request,
        );
      }
      const { view, headers } = await viewOf(box, request, note);
      return pageResponse(dropPage(look, view), status, request, headers);
    },

    /** The form on the page of a folder with two ways; null if it has ended. */
    async form(linkId: number, request: Request) {
      const box = await drops.find(linkId);
      if (box === null) return null;
      const { view, headers } = await viewOf(box, request, sentNote(request).note);
      return { ...addingParts(pages.look(request), view), headers };
    },
  };
}
