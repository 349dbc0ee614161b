/** What is stored of visitors and accounts, how long and why, by the settings. */
import { filled, pluralOf } from "../../lib/message.ts";
import { z } from "zod";
import type { Language } from "../../lib/language.ts";
import { namedObject } from "../../lib/named-object.ts";
import type { Look } from "../../visitors/look.ts";
import { htmlPage, text, type VisitorPage } from "../../visitors/page.ts";
import { inline } from "../../visitors/style.ts";
import de from "./texts/de.json";
import { enStored, type StoredTexts } from "./texts/en.ts";
import fr from "./texts/fr.json";
import ja from "./texts/ja.json";
import zh from "./texts/zh.json";
import { clickPrivacy } from "../../clicks/details/privacy.ts";
import { VISITOR_DAYS } from "../../clicks/rollups/visitors.repository.ts";
import type { Config } from "../../platform/config/config.service.ts";

const TEXTS: Readonly<Record<Language, StoredTexts>> = { en: enStored, de, zh, ja, fr };

export const storedView = namedObject("StoredData", {
  name: z.string(),
  about: z.enum(["visitors", "accounts"]),
  fields: z.array(z.string()).describe("what is stored; empty: nothing"),
  purpose: z.string(),
  retention_days: z.int().nullable().describe("null: see `kept_until`"),
  kept_until: z.string().nullable().describe("the end in words, if it is no number of days"),
});
export type StoredData = z.output<typeof storedView>;

export type StoredSettings = {
  /** analytics.enable_detailed_logging at the start */
  details: boolean;
  sampleRate: number;
  addresses: "none" | "truncated" | "full";
  referrers: boolean;
  agents: boolean;
  places: boolean;
  located: boolean;
  campaigns: boolean;
  signals: boolean;
  /** analytics.unique_visitors */
  unique: boolean;
  /** To ClickHouse. */
  copied: boolean;
  /** The retention task runs. */
  retention: boolean;
  logDays: number;
  hourlyDays: number;
  dailyDays: number;
  sessionDays: number;
  eventDays: number;
  restoreDays: number;
  trashDays: number;
  versionDays: number;
};

/** Lists what is stored, in English, which the API speaks, or in the given language. */
export function storedThings(settings: StoredSettings, language: Language = "en"): StoredData[] {
  const texts = TEXTS[language];
  const { parts } = texts;
  const kept = (days: number) =>
    settings.retention
      ? { retention_days: days, kept_until: null }
      : { retention_days: null, kept_until: texts.byHand };
  const addresses = { none: [], truncated: [parts.network], full: [parts.address] };
  const details = [
    ...(settings.referrers ? [parts.referrer] : []),
    ...(settings.campaigns ? [parts.campaign] : []),
    ...(settings.agents ? [parts.agent, parts.language] : []),
    ...addresses[settings.addresses],
    ...(settings.places && (settings.located || settings.addresses !== "none") ? [parts.place] : []),
    parts.click,
  ];
  const isDetailed = settings.details && settings.sampleRate > 0;
  const entry = (
    about: StoredData["about"],
    {
      name,
      holds = [],
      purpose,
      until = null,
    }: { name: string; holds?: string[]; purpose: string; until?: string | null },
    days: number | null,
  ): StoredData => ({ name, about, fields: holds, purpose, retention_days: days, kept_until: until });
  const { sums } = texts;
  return [
    entry(
      "visitors",
      {
        ...sums,
        until: settings.retention
          ? filled(sums.ends, { hours: settings.hourlyDays, days: settings.dailyDays })
          : texts.byHand,
      },
      null,
    ),
    {
      ...entry("visitors", texts.details, null),
      fields: isDetailed ? details : [],
      purpose:
        texts.details.purpose +
        (settings.signals ? texts.details.signals : "") +
        (settings.copied ? texts.details.copied : ""),
      ...kept(settings.logDays),
    },
    entry("visitors", { ...texts.journal, holds: isDetailed ? details : [parts.click] }, 1),
    entry(
      "visitors",
      {
        ...texts.unique,
        holds: isDetailed && settings.unique ? texts.unique.holds : [],
        purpose: texts.unique.purpose + (settings.signals ? texts.unique.signals : ""),
      },
      VISITOR_DAYS,
    ),
    { ...entry("visitors", texts.missing, null), ...kept(settings.logDays) },
    entry(
      "visitors",
      { ...texts.drops, until: filled(texts.drops.ends, { days: settings.eventDays }) },
      null,
    ),
    entry("visitors", texts.reports, null),
    entry("visitors", texts.recipients, null),
    entry("visitors", texts.visits, settings.logDays),
    entry("visitors", texts.cookies, 1),
    entry("accounts", texts.accounts, null),
    entry("accounts", texts.sessions, settings.sessionDays),
    entry("accounts", texts.mails, 30),
    entry("accounts", texts.failed, 1),
    entry("accounts", texts.events, settings.eventDays),
    entry("accounts", texts.deleted, settings.restoreDays),
    entry("accounts", texts.trash, settings.trashDays),
    entry("accounts", texts.versions, settings.versionDays),
  ];
}

const STYLE = inline(
  "h2{margin:1.75rem 0 .25rem;font-size:1.0625rem;line-height:1.3}dl{display:grid;grid-template-columns:max-content 1fr;gap:.125rem 1rem;margin:0}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}@media(max-width:480px){dl{grid-template-columns:1fr}dd{margin-bottom:.375rem}}",
);

/** Makes the page in the visitor's language. */
export function pageOfStored(look: Look, things: readonly StoredData[]): VisitorPage {
  const { title, intro, labels, nothing, until: untilOf, days: daysOf } = TEXTS[look.language];
  const entry = ({
    name,
    fields,
    purpose,
    retention_days: days,
    kept_until: until,
  }: StoredData) => `<h2>${text(name)}</h2>
<dl><dt>${text(labels.holds)}</dt><dd>${text(fields.length === 0 ? nothing : listed(fields, look.language))}</dd>
<dt>${text(labels.purpose)}</dt><dd>${text(purpose)}</dd>
<dt>${text(labels.ends)}</dt><dd>${text(days === null ? filled(untilOf, { end: until! }) : filled(pluralOf(daysOf, look.language, days), { count: days }))}</dd></dl>`;
  return htmlPage(look, {
    title,
    description: intro,
    width: "wide",
    styles: [STYLE],
    content: `<h1>${text(title)}</h1>\n<p class="soft">${text(intro)}</p>\n${things.map(entry).join("\n")}`,
  });
}

const listed = (things: readonly string[], language: Language): string =>
  things.join({ zh: "、", ja: "、" }[language as string] ?? ", ");

/**
 * Describes what is stored, by the settings as they are now. Details of clicks follow the settings of the start.
 * @param copied whether details are copied to ClickHouse
 */
export function storedBy(config: Config, copied: boolean): (language?: Language) => StoredData[] {
  const details = config.get("analytics.enable_detailed_logging");
  return (language) => {
    const privacy = clickPrivacy(config);
    const settings = {
      ...privacy,
      copied,
      places: privacy.places && config.get("analytics.enable_geo_lookup"),
      details,
      unique: config.get("analytics.unique_visitors"),
      sampleRate: config.get("analytics.sample_rate"),
      retention: config.get("analytics.enable_auto_rollup"),
      logDays: config.get("analytics.log_retention_days"),
      hourlyDays: config.get("analytics.hourly_retention_days"),
      dailyDays: config.get("analytics.daily_retention_days"),
      sessionDays: config.get("api.refresh_token_days"),
      eventDays: config.get("events.retention_days"),
      restoreDays: config.get("links.restore_days"),
      trashDays: config.get("files.trash_days"),
      versionDays: config.get("files.versions_days"),
    };
    return storedThings(settings, language);
  };
}
