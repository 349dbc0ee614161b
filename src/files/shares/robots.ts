/** Who gets the page of a file instead of its bytes. */
import { isbot } from "isbot";
import { isPrefetch, isScanner } from "../../lib/automated-visitors.ts";

/**
 * Programs that fetch files for a person, HTTP libraries and browsers in tests: for isbot robots, here only if they
 * call themselves so.
 */
const FETCHERS =
  /^(?:curl|wget|aria2|axel|httpie|xh|rclone|python|go-http-client|okhttp|axios|node|undici|got |bun|deno|java|apache-httpclient|libwww-perl|lwp|ruby|rest-client|faraday|typhoeus|guzzlehttp|php|dart|reqwest|hackney|postmanruntime|insomnia|lynx|elinks|links|w3m)|headlesschrome/i;
const ROBOTS = /bot\b|crawl|spider|preview/i;

/** Crawlers, link previews, mail scanners and prefetches. They never get bytes. */
export function isRobot({ headers }: Request): boolean {
  const agent = headers.get("user-agent") ?? "";
  if (isPrefetch(headers) || isScanner(agent)) return true;
  return isbot(agent) && (ROBOTS.test(agent) || !FETCHERS.test(agent));
}
