/** Who gets the page of a file instead of its bytes. */
import { isbot } from "isbot";
import { isPrefetch, isScanner } from "../../lib/automated-visitors.ts";
import { remembered } from "../../lib/remembered.ts";

/**
 * isbot counts these as robots: fetchers for a person, HTTP libraries, browsers in tests. Here they count
 * only if they call themselves so.
 */
const FETCHERS =
  /^(?:curl|wget|aria2|axel|httpie|xh|rclone|python|go-http-client|okhttp|axios|node|undici|got |bun|deno|java|apache-httpclient|libwww-perl|lwp|ruby|rest-client|faraday|typhoeus|guzzlehttp|php|dart|reqwest|hackney|postmanruntime|insomnia|lynx|elinks|links|w3m)|headlesschrome/i;
const ROBOTS = /bot\b|crawl|spider|preview/i;

const REMEMBERED = 2_000;
const AGENT_LENGTH = 512;

const isRobotAgent = remembered(
  (agent) => isScanner(agent) || (isbot(agent) && (ROBOTS.test(agent) || !FETCHERS.test(agent))),
  { most: REMEMBERED },
);

/** Crawlers, link previews, mail scanners and prefetches. They never get bytes. */
export const isRobot = ({ headers }: Request): boolean =>
  isPrefetch(headers) || isRobotAgent((headers.get("user-agent") ?? "").slice(0, AGENT_LENGTH));
