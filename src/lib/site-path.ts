/** Paths that browsers, crawlers, mail programs and certificate authorities request. Shares may not have them. */
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

/** Whether a code speaks for the whole site, in any case of its letters. */
export const isSitePath = (code: string): boolean => SITE_PATH.test(code);

/** Texts of which every such code has one, in lower case. */
export const SITE_PATH_PARTS = [".", "autodiscover", "favicon", "apple-"] as const;
