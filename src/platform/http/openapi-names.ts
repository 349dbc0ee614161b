/** Names of operations, from method, path and response. Configured prefixes do not change them. */
import { z } from "zod";
import type { Endpoint } from "./endpoint.ts";

/** Operations that would have the name of another one. */
const RENAMED: Readonly<Record<string, string>> = { "health GET /domain": "getHealthDomain" };

/**
 * `GET /links` is listLinks, `GET /links/{code}/analytics` getLinkAnalytics, `POST /links` createLink, every other
 * operation its method and path: putLink, postAuthLogin, getConfigKey.
 */
export function operationIdOf(
  entry: Pick<Endpoint, "method" | "path" | "tag" | "status" | "response">,
): string {
  const renamed = RENAMED[`${entry.tag} ${entry.method} ${entry.path}`];
  if (renamed !== undefined) return renamed;
  const segments = entry.path
    .replaceAll(/\{[^{}]*\}/g, "")
    .split("/")
    .filter(Boolean);
  const creates = entry.method === "POST" && entry.status === 201;
  const words = segments.flatMap((segment, at) => {
    // The singular means one.
    if (segment.startsWith(":")) return isPlural(segments[at - 1]) ? [] : [segment.slice(1)];
    const isOne = segments[at + 1]?.startsWith(":") || (creates && at === segments.length - 1);
    return [isOne ? singular(segment) : segment];
  });
  const isList = entry.method === "GET" && entry.response instanceof z.ZodArray;
  const verb = isList ? "list" : creates ? "create" : entry.method.toLowerCase();
  return verb + pascal((words.length === 0 ? [entry.tag] : words).join("-"));
}

/** Writes a name of a schema. */
export const pascal = (text: string): string =>
  text.replaceAll(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9]?)/g, (_, first: string) => first.toUpperCase());

const isPlural = (word = ""): boolean => /[^su]s$/.test(word);

const singular = (word: string): string =>
  isPlural(word) ? word.replace(/(?:(?<=ss|x|sh|ch)e|(i)e)?s$/, (_, i?: string) => (i ? "y" : "")) : word;

/** Choices that several places offer, by the schema or operation and the field of one of them. */
const NAMES_OF_CHOICES: Readonly<Record<string, string>> = {
  "PolicyMove.state": "PolicyMoveState",
  "ListUsers.disabled": "FlagFilter",
  "PostLinksImportBody.dry_run": "Flag",
  "GetFileDownload.disposition": "Disposition",
  "GetStats.visitors": "VisitorKind",
  "GetAnalyticsTrends.group_by": "TimeUnit",
  "GetAnalyticsTrends.compare": "Comparison",
  "ListAnalyticsGeo.by": "PlaceUnit",
  "ListLinks.held": "HeldState",
  "GetConfigKey.key": "SettingKey",
  "Explanation.reason": "ExplanationReason",
  "Explanation.condition": "ExplanationCondition",
  "Account.role": "Role",
  "Account.language": "Language",
  "OnAccountCreated.via": "EventVia",
  "MailPreferences.sign_in": "MailPreference",
  "MailPreferences.drop": "MailFrequency",
  "ProductImport.product": "ImportProduct",
  "ProductImport.on_conflict": "OnConflict",
  "Token.scopes": "TokenScope",
  "Webhook.events": "WebhookEvent",
  "Webhook.disabled_reason": "WebhookDisabledReason",
  "Link.redirect_status": "RedirectStatus",
  "Share.kind": "ShareKind",
  "ReportMail.every": "ReportInterval",
  "NewDropBox.require": "SenderRequirement",
  "Entry.kind": "EntryKind",
  "HealthReport.status": "HealthStatus",
  "ImportNote.kind": "ImportNoteKind",
  "LinkRule.device": "RuleDevice",
  "LinkRule.days": "Weekday",
  "Policy.driver_type": "DriverType",
  "Policy.download": "DownloadMode",
  "SettingDefinition.value_type": "SettingValueType",
  "WebhookDelivery.state": "WebhookDeliveryState",
  "TeamMember.role": "TeamRole",
  "Preset.kind": "PresetKind",
};

/**
 * Name of a choice: from its own place, or from NAMES_OF_CHOICES if there are several. @throws Error if that lacks it
 */
export function nameOfChoice(places: ReadonlySet<string>): string {
  const named = [...places].find((place) => place in NAMES_OF_CHOICES);
  if (named !== undefined) return NAMES_OF_CHOICES[named]!;
  const [place = "", other] = places;
  if (other !== undefined)
    throw new Error(`Name the choice of ${[...places].join(", ")} in NAMES_OF_CHOICES.`);
  return pascal(place);
}
