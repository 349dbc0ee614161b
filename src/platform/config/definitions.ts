/** Every run-time setting, one row a key, in the order of lists. API, commands, docs and types follow from it. */
import { ROLES } from "../../lib/access.ts";
import { ACCENT } from "../../lib/tokens.ts";
import { MAIL_DEFINITIONS } from "./mail-definitions.ts";
import { SHARE_DEFINITIONS } from "./share-definitions.ts";
import { TARGET_DEFINITIONS } from "./target-definitions.ts";
import * as check from "./value-checks.ts";
import {
  between,
  bool,
  choice,
  choices,
  type Definition,
  float,
  inCategory,
  int,
  list,
  string,
} from "./value-types.ts";

const OIDC_DEFINITIONS = inCategory("oidc", {
  "oidc.password_sign_in": bool(true, {
    description:
      "Let people sign in with a password. Off: only by single sign-on. It stays on until that is set up; the command reset-password turns it on.",
  }),
  "oidc.issuer": string("", check.issuer, {
    description:
      "Provider of OpenID Connect that people may sign in with, as its discovery document names it. Empty: none.",
  }),
  "oidc.client_id": string("", check.secret(1, { orEmpty: true }), {
    description:
      "What the provider calls this instance. Register the redirect address /admin/v1/auth/oidc/callback there, with routes.admin_prefix for /admin.",
  }),
  "oidc.client_secret": string("", check.secret(1, { orEmpty: true }), {
    description: "Secret of that client. Empty: a public client.",
    sensitive: true,
  }),
  "oidc.label": string("", check.displayNameOrEmpty, {
    description: "Text of the button on the sign-in page. Empty: Single sign-on.",
  }),
  "oidc.scopes": list(["openid", "profile", "email"], check.scope, {
    description: "Scopes to ask for. openid is always among them.",
  }),
  "oidc.trust_email": bool(false, {
    description:
      "Treat an e-mail address as verified when the provider does not say whether it is. Safe only if nobody can enter another person's address at the provider: whoever signs in with an address gets the account that has confirmed it.",
  }),
  "oidc.role_claim": string("", check.claimName, {
    description:
      "Claim that gives the role at each sign-in, such as roles or realm_access.roles. Empty: administrators give roles, and new accounts are users.",
  }),
  "oidc.roles": list([], check.roleOfValue, {
    description:
      "Roles by value of that claim, such as staff=editor; the highest counts. *=user is for all others, who are refused without it. Empty: the values are admin, editor and user.",
  }),
  "oidc.allowed_domains": list([], check.mailDomain, {
    description: "Domains of verified e-mail addresses that may sign in. Empty: all, verified or not.",
  }),
  "oidc.groups_claim": string("groups", check.claimName, {
    description: "Claim that lists the groups of a person.",
  }),
  "oidc.allowed_groups": list([], check.groupName, {
    description: "Groups that may sign in; one of them is enough. Empty: all.",
  }),
});

const PRIVACY_DEFINITIONS = inCategory("privacy", {
  "privacy.addresses": choice(
    "full",
    {
      none: "No address, and so no place either.",
      truncated:
        "The network only: the first 24 bits of IPv4, 48 of IPv6. Places come from the whole address.",
      full: "The whole address.",
    },
    {
      description:
        "What the details of a click keep of the visitor's address, while analytics.enable_ip_logging is on. Earlier clicks stay as they are.",
    },
  ),
  "privacy.keep_referrers": bool(true, {
    description: "Keep the page from which a visitor comes in the details of a click.",
  }),
  "privacy.keep_user_agents": bool(true, {
    description:
      "Keep browser, system, device and language in the details of a click. Bots are told from people either way.",
  }),
  "privacy.keep_locations": bool(true, {
    description: "Keep country and city in the details of a click, while analytics.enable_geo_lookup is on.",
  }),
  "privacy.keep_campaigns": bool(true, {
    description: "Keep the campaign (utm_source and the like) in the details of a click.",
  }),
  "privacy.respect_signals": bool(false, {
    description:
      "Keep no details of visitors whose browser sends Sec-GPC: 1 or DNT: 1. Their clicks are in the sums only.",
  }),
  "privacy.imprint_url": string("", check.urlOrEmpty, {
    description: "Imprint, to which the pages that visitors see lead. Empty: none.",
  }),
  "privacy.notice_url": string("", check.urlOrEmpty, {
    description:
      "Privacy notice, to which the pages that visitors see lead. Empty: none. The admin API lists at /v1/privacy what is stored.",
  }),
});

const DAYS = { min: 1, max: 3650, unit: "days" } as const;
const words = (text: string): string[] => text.split(" ");

export const DEFINITIONS = {
  ...inCategory("auth", {
    "api.admin_token": string("", check.argon2Hash, {
      description:
        "Password of the built-in administrator, as an Argon2 hash. Empty: the admin API answers 404. Only the set-up and reset-password set it.",
      sensitive: true,
      editable: false,
    }),
    "api.health_token": string("", check.secret(8, { orEmpty: true }), {
      description:
        "Bearer token for the health endpoints. Empty: only a signed-in administrator may call them.",
      sensitive: true,
      action: "generate_token",
    }),
    "api.jwt_secret": string("", check.secret(32), {
      description: "Key that signs sessions, generated at the first start. A new key ends all sessions.",
      sensitive: true,
      generated: true,
      action: "generate_token",
    }),
    "api.access_token_minutes": int(15, between(1, 1440, "minutes"), {
      description: "Lifetime of an access token in minutes.",
    }),
    "api.refresh_token_days": int(7, between(1, 365, "days"), {
      description: "Days after which a session without a refresh ends.",
    }),
    "api.second_factor_roles": choices([], ROLES, {
      description:
        "Roles whose accounts need a second factor: a passkey, an authenticator app, or that of the OpenID Connect provider. Who lacks one can only set it up. API tokens go on.",
    }),
    "api.trusted_proxies": list([], check.addressRange, {
      description: "Proxies whose X-Forwarded-For counts. Empty: the client is the peer of the connection.",
    }),
  }),
  ...inCategory("cookie", {
    "api.cookie_secure": bool(true, {
      description: "Send the cookies over HTTPS only. Turn it off only without HTTPS.",
    }),
    "api.cookie_same_site": choice(
      "Lax",
      {
        Strict: "Never sent from other sites, even when a link leads here.",
        Lax: "Sent from other sites only when a link leads here.",
        None: "Sent from other sites; needs api.cookie_secure.",
      },
      { description: "SameSite attribute of the cookies." },
    ),
    "api.cookie_domain": string("", check.cookieDomain, {
      description: "Domain attribute of the cookies. Empty: the host that set them, without subdomains.",
    }),
  }),
  ...inCategory("routes", {
    "routes.admin_prefix": string("/admin", check.routePrefix, {
      description: "Path of the admin API. Links can't use it.",
      requiresRestart: true,
    }),
    "routes.health_prefix": string("/health", check.routePrefix, {
      description: "Path of the health endpoints and metrics. Links can't use it.",
    }),
    "routes.frontend_prefix": string("/panel", check.routePrefix, {
      description: "Path reserved for the panel. Links can't use it.",
    }),
  }),
  ...inCategory("features", {
    "features.random_code_length": int(6, between(4, 128, "characters"), {
      description: "Length of the random code of a link made without one.",
    }),
    "features.share_code_length": int(14, between(14, 128, "characters"), {
      description: "Length of the random code of a share. 14 characters can't be guessed.",
    }),
    "features.enforce_link_passwords": bool(false, {
      description: "Ask visitors for the password of a link before they go on. False: it is stored only.",
    }),
    "features.default_url": string("", check.urlOrEmpty, {
      description: "Where the bare domain leads. Empty: 404.",
    }),
    "features.public_url": string("", check.originOrEmpty, {
      description:
        "The address that visitors use, such as https://go.example.com. Empty: the address of each request, or the listening address on the command line.",
    }),
    "features.well_known": string("[]", check.wellKnown, {
      description:
        "Documents that the default domain answers with at /.well-known/, such as apple-app-site-association and assetlinks.json, unless a link has that code. Other domains have their own.",
    }),
    "features.instance_name": string("Waymark", check.displayName, {
      description: "Name of this instance in the panel, on the pages that visitors see and as an app.",
    }),
    "features.accent_color": string(ACCENT, check.color, {
      description:
        "Color of this instance in the panel and on the pages that visitors see. Where it would be unreadable, text takes a darker or lighter shade.",
    }),
    "features.logo": string("", check.picture, {
      description:
        "Logo of this instance in the panel, on the pages that visitors see and as their icon; best a square. Empty: an arrow in the accent color.",
    }),
    "features.report_links": bool(false, {
      description:
        "Let visitors report a link to the administrators on the page that its code with a + opens.",
    }),
    "features.fetch_titles": bool(false, {
      description:
        "Give a link that is made or imported without a title that of its target's page, some seconds later and once. Other servers see these requests.",
    }),
    "features.enable_admin_panel": bool(true, {
      description: "Serve the web panel at routes.frontend_prefix.",
    }),
    "features.yourls_api": bool(false, {
      description:
        "Answer programs made for YOURLS at /yourls-api.php; an API token is their signature. Links can't use that path meanwhile.",
    }),
    "features.shlink_api": bool(false, {
      description:
        "Answer programs made for Shlink at /rest/v3 and /rest/v2; an API token is their API key. Links can't use these paths meanwhile.",
    }),
  }),
  ...inCategory("tracking", {
    "click.enable_tracking": bool(true, { description: "Count clicks." }),
    "click.flush_interval": int(5, between(1, 3600, "seconds"), {
      description: "Seconds between two flushes of counted clicks to the database.",
    }),
    "click.max_clicks_before_flush": int(10_000, between(1, 1_000_000, "clicks"), {
      description: "Number of waiting clicks that starts an early flush.",
    }),
  }),
  ...inCategory("cache", {
    "cache.bloom_rebuild_interval": int(
      14_400,
      { min: 60, max: 2_592_000, orZero: true, unit: "seconds" },
      {
        description:
          "Seconds between two rebuilds of the Bloom filter. A rebuild drops deleted codes. 0: never.",
      },
    ),
  }),
  ...inCategory("analytics", {
    "analytics.enable_detailed_logging": bool(false, {
      description: "Record each click with referrer, source, address and user agent.",
      requiresRestart: true,
    }),
    "analytics.enable_auto_rollup": bool(true, {
      description: "Run the retention task, every 4 hours.",
      requiresRestart: true,
    }),
    "analytics.log_retention_days": int(30, DAYS, {
      description: "Days to keep raw click records. Needs analytics.enable_auto_rollup.",
      requiresRestart: true,
    }),
    "analytics.hourly_retention_days": int(7, DAYS, {
      description: "Days to keep hourly rollups. Needs analytics.enable_auto_rollup.",
      requiresRestart: true,
    }),
    "analytics.daily_retention_days": int(365, DAYS, {
      description: "Days to keep daily rollups. Needs analytics.enable_auto_rollup.",
      requiresRestart: true,
    }),
    "analytics.enable_ip_logging": bool(true, { description: "Record addresses in click records." }),
    "analytics.enable_geo_lookup": bool(false, {
      description: "Fill country and city of click records, off the request path.",
    }),
    "analytics.time_zone": string("UTC", check.timeZone, {
      description:
        "Reports use the days and hours of this time zone, such as Europe/Berlin. When it changes, days whose hours are kept are counted again; older days stay as they are.",
    }),
    "analytics.unique_visitors": bool(false, {
      description:
        "Tell visitors apart within a day, by a hash of address and user agent whose key is destroyed after the day. Needs analytics.enable_detailed_logging.",
    }),
    "analytics.sample_rate": float(
      1,
      { min: 0, max: 1 },
      { description: "Share of clicks that detailed logging records; 1.0 is all. Counts stay exact." },
    ),
    "analytics.max_log_rows": int(0, between(0, 1_000_000_000, "records"), {
      description: "Maximum number of raw click records. 0: unlimited. 10000000 suits one machine.",
    }),
    "analytics.max_rows_action": choice(
      "cleanup",
      { cleanup: "Delete the oldest records.", stop: "Stop detailed logging." },
      { description: "Action when analytics.max_log_rows is exceeded." },
    ),
    "utm.enable_passthrough": bool(false, {
      description:
        "Append utm_source, utm_medium, utm_campaign, utm_term and utm_content of the request to the target.",
    }),
  }),
  ...inCategory("cors", {
    "cors.enabled": bool(false, {
      description:
        "Answer cross-origin requests by the rules below. Off: browsers allow only the same origin.",
    }),
    "cors.allowed_origins": list([], check.origin, {
      description: "Origins that may call the API. * is any origin, without credentials.",
    }),
    "cors.allowed_methods": choices(
      ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"],
      ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"],
      { description: "Methods that other origins may use." },
    ),
    "cors.allowed_headers": list(
      [
        ...words("Content-Type Authorization Accept X-CSRF-Token Prefer"),
        ...words("If-Match If-None-Match Idempotency-Key"),
        // Resumable uploads. With Upload-Concat a client can read why it is refused.
        ...words("Tus-Resumable Upload-Length Upload-Defer-Length Upload-Metadata Upload-Offset"),
        ...words("Upload-Checksum Upload-Concat"),
      ],
      check.headerName,
      { description: "Request headers that other origins may send." },
    ),
    "cors.max_age": int(3600, between(0, 86_400, "seconds"), {
      description: "Seconds for which a browser may cache a preflight answer.",
    }),
    "cors.allow_credentials": bool(false, {
      description: "Let other origins send cookies. No effect with the origin *.",
    }),
  }),
  ...inCategory("events", {
    "events.retention_days": int(365, DAYS, { description: "Days to keep the record of who did what." }),
  }),
  ...inCategory("files", {
    "files.trash_days": int(30, DAYS, {
      description: "Days after which files and folders in the trash are deleted.",
    }),
    "files.versions_keep": int(
      10,
      { min: 0, max: 100 },
      {
        description:
          "Former contents that a file keeps when it gets a new one. 0 keeps none, and deletes those there are.",
      },
    ),
    "files.versions_days": int(
      90,
      { ...DAYS, min: 0 },
      {
        description:
          "Days after which a former content is deleted. 0 keeps none, and deletes those there are.",
      },
    ),
  }),
  ...SHARE_DEFINITIONS,
  ...TARGET_DEFINITIONS,
  ...inCategory("links", {
    "links.ignore_case": bool(false, {
      description:
        "Compare codes of the default domain without case (A to Z), and store them in lower case. It can't be turned on while codes differ by case only. Codes stay in lower case when it is turned off.",
    }),
    "links.forgive_tails": bool(false, {
      description:
        "Try a path that leads nowhere once more without what programs and people leave behind an address: full stops, commas, closing brackets, quotes, blanks, and a stuck &key=value.",
    }),
    "links.restore_days": int(30, DAYS, { description: "Days for which deleted links can be put back." }),
  }),
  ...PRIVACY_DEFINITIONS,
  ...OIDC_DEFINITIONS,
  ...MAIL_DEFINITIONS,
} as const satisfies Record<string, Definition<unknown>>;

export type ConfigKey = keyof typeof DEFINITIONS;

export type ConfigValues = {
  readonly [K in ConfigKey]: (typeof DEFINITIONS)[K] extends Definition<infer T> ? T : never;
};

/** All keys in the order of the table. */
export const CONFIG_KEYS = Object.freeze(Object.keys(DEFINITIONS) as ConfigKey[]);

export const isConfigKey = (key: string): key is ConfigKey => Object.hasOwn(DEFINITIONS, key);

export const definitionOf = (key: ConfigKey): Definition<unknown> => DEFINITIONS[key];
