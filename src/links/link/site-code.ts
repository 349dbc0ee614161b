/**
 * Codes that speak for the whole site: paths that browsers, crawlers, mail programs and certificate authorities request.
 * Links with them are for administrators; shares may not have them.
 */
import { type Actor } from "../../lib/actor.ts";
import { type AppError, appError } from "../../lib/errors.ts";
import type { CodeRule } from "./code.ts";
import { codeOf } from "./key.ts";

const SITE_PATH = new RegExp(
  `^(?:${[
    String.raw`(?:\.well-known|autodiscover)(?:/.*)?`,
    String.raw`(?:robots|security|humans|ads|app-ads|llms|llms-full)\.txt`,
    String.raw`(?:favicon|apple-touch-icon)(?:[-.][^/]*)?`,
    String.raw`sitemap[^/]*\.(?:xml|txt)(?:\.gz)?`,
    String.raw`(?:manifest|sellers)\.json`,
    String.raw`[^/]*\.webmanifest`,
    String.raw`(?:crossdomain|clientaccesspolicy|browserconfig)\.xml`,
    "apple-app-site-association",
    String.raw`(?:sw|service-worker)\.js`,
    String.raw`(?:wpad\.dat|proxy\.pac)`,
    // Files by which search engines prove who owns a site.
    String.raw`(?:google[0-9a-f]+|yandex_[0-9a-f]+|pinterest-[0-9a-z]+|baidu_verify_[^/]*)\.html`,
    String.raw`bingsiteauth\.xml`,
  ].join("|")})$`,
  "i",
);

/** Of a code or key, in any case of its letters. */
export const isSiteCode = (key: string): boolean => SITE_PATH.test(codeOf(key));

/** Why an actor may not make, change or restore a link with one of these codes or keys. */
export function siteCodeRefusal(
  { ownOnly }: Pick<Actor, "ownOnly">,
  keys: readonly string[],
): AppError | null {
  const key = ownOnly ? keys.find(isSiteCode) : undefined;
  return key === undefined
    ? null
    : appError(
        "Forbidden",
        `The code "${codeOf(key)}" speaks for the whole site; only administrators have links with it.`,
        { field: "code" },
      );
}

/** Why a link with such a code may not go to an owner who is no administrator. */
export const siteCodeOwnerRefusal = (key: string): AppError =>
  appError(
    "Forbidden",
    `The code "${codeOf(key)}" speaks for the whole site; only administrators own links with it.`,
    { field: "owner" },
  );

export const createShareCodeRule = (rule: CodeRule): CodeRule => ({
  refusal: (code) =>
    rule.refusal(code) ??
    (isSiteCode(code)
      ? appError(
          "LinkReservedCode",
          `A share can't have the code "${code}": it is reserved for the whole site.`,
        )
      : null),
});
