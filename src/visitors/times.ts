/** Times in pages of visitors: in UTC, until the page's script writes them in the reader's zone. */
import type { Language } from "../lib/language.ts";
import { dayText, instantText } from "./quantity-text.ts";
import { inline } from "./style.ts";

const timeHtml = (kind: "day" | "instant", at: number, shown: string): string =>
  `<time class="${kind}" datetime="${new Date(at).toISOString()}">${shown}</time>`;

export const dayHtml = (language: Language, at: number): string => timeHtml("day", at, dayText(language, at));
export const instantHtml = (language: Language, at: number): string =>
  timeHtml("instant", at, instantText(language, at));

const SCRIPT = `
for(const[kind,style]of[["instant",{timeStyle:"short"}],["day",{}]]){const form=new Intl.DateTimeFormat(document.documentElement.lang,{dateStyle:"medium",...style});for(const time of document.querySelectorAll("time."+kind))time.textContent=form.format(new Date(time.dateTime))}
`.trim();

export const LOCAL_TIMES = inline(SCRIPT);
