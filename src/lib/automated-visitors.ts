/**
 * Separates automated visits from people's; docs/visitors.md explains the rule. Stored counts keep the old rule: raise
 * the version with every change below.
 *
 * Sources: the patterns of the package isbot; additions from the vendors' documents and the package
 * crawler-user-agents; the prefetch headers of the Fetch and Speculation Rules specifications, and older ones of
 * Firefox and Safari.
 */
import { isbot } from "isbot";
import { remembered } from "./remembered.ts";

export const VISITOR_RULE_VERSION = 1;

export type ClientRequest = { method: string; headers: Pick<Headers, "get"> };

export type AutomatedVisitors = { includes(request: ClientRequest): boolean };

/** Longer user agents are classified by their beginning and not remembered. */
const AGENT_LENGTH = 512;
const REMEMBERED = 10_000;

const LIBRARIES =
  /^(?:apache-httpclient|aws-|axios|bun|curl|dalvik|dart|deno|feign|go-http-client|got|guzzlehttp|httpie|java|ktor|libcurl|libwww-perl|lua-resty|node|okhttp|python|reqwest|rest-client|restsharp|ruby|undici|urllib|wget|winhttp)\b|\bcfnetwork\/|powershell\//i;
const MAIL_SCANNERS =
  /barracuda|ciscosecureemail|fortimail|ironport|messagelabs|mimecast|\bms-?office\b|microsoft (?:office|outlook)|proofpoint|safelinks|\btmes\b/i;
const SITE_TESTERS = /\bgtmetrix\b|\bminiature\.io\/|\bylt chrome\b/i;

/** Programs that show a link in a message or post. Not browsers within apps, which name the app too. */
const PREVIEWS =
  /facebookexternalhit|facebot|meta-externalagent|twitterbot|slackbot|discordbot|telegrambot|^whatsapp\/|linkedinbot|pinterestbot|pinterest\/0\.|skypeuripreview|microsoftpreview|redditbot|vkshare|kakaotalk-scrap|snap url preview|iframely|embedly|mastodon\/|bluesky cardyb|mattermost-bot|rocket\.chat|zulipurlpreview|synapse \(bot|nextcloud server crawler|google-pagerenderer|googlemessages|viberbot|line-poker/i;

const PREFETCH_HEADERS = ["sec-purpose", "purpose", "x-moz", "x-purpose"];
const PREFETCH = /\b(?:prefetch|prerender|preview)\b/i;

/** True also for a text without a visible character. */
export function isAutomatedAgent(userAgent: string): boolean {
  const agent = userAgent.slice(0, AGENT_LENGTH).trim();
  return agent === "" || isbot(agent) || LIBRARIES.test(agent) || isScanner(agent);
}

export const isScanner = (userAgent: string): boolean =>
  MAIL_SCANNERS.test(userAgent) || SITE_TESTERS.test(userAgent);

export const isLinkPreview = (userAgent: string | null): boolean =>
  userAgent !== null && PREVIEWS.test(userAgent.slice(0, AGENT_LENGTH));

export function isPrefetch(headers: Pick<Headers, "get">): boolean {
  for (const name of PREFETCH_HEADERS) {
    const purpose = headers.get(name);
    if (purpose !== null && PREFETCH.test(purpose)) return true;
  }
  return false;
}

/** Remembers user agents. A request with a known one costs five header reads and one map lookup. */
export function createAutomatedVisitors(): AutomatedVisitors {
  const isKnownAsAutomated = remembered(isAutomatedAgent, { most: REMEMBERED, longest: AGENT_LENGTH });

  return {
    includes(request) {
      const { headers } = request;
      const agent = headers.get("user-agent");
      if (agent === null || request.method === "HEAD" || isKnownAsAutomated(agent)) return true;
      return isPrefetch(headers);
    },
  };
}
