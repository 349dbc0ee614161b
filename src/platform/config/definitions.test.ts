import { MAIL_CASES } from "./mail-definitions.test-support.ts";
import { OIDC_CASES } from "./oidc-definitions.test-support.ts";
import { SHARE_CASES } from "./share-definitions.test-support.ts";
import { describe, expect, test } from "bun:test";
import {
  CONFIG_KEYS,
  type ConfigKey,
  type ConfigValues,
  definitionOf,
  DEFINITIONS,
  isConfigKey,
} from "./definitions.ts";
import { dataUrlOf, pictureIn } from "../../lib/picture.ts";
import { VALUE_MAX_BYTES } from "./value-types.ts";

/** Of 16 pixels, and of 8. */
const LOGO =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9hAAAAf0lEQVR4XmNYxcAAw+1A/ACI/xPAIDUgtWB9MM0HsSgkhEF64DajSxKL20EGEONsXPgByAB0QTjeqqT0/9X+/f93GRhgyMEwQQO+PX0KxrgMwWsACIM04jMExQCYk7FhmCEgNbQzABsmyQvomOJAJDYaKU5IFCdlijMTDJOVnQFCx87QpHaTtAAAAABJRU5ErkJggg==";
const SMALL_LOGO =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAYAAADED76LAAAAPUlEQVR4XmNYxcDgBsQ3gPg/GgaJuYEUYJOEKwIpgAtsVVD4/3TTJhRFcAWnEhLgGFkR8QrwWUHQkXi9CQDj73J3l/aQaAAAAABJRU5ErkJggg==";

const HASH =
  "$argon2id$v=19$m=65536,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";
const HOSTS = {
  good: {
    "": "[]",
    '["Example.com","example.com."]': '["example.com"]',
    "bücher.example, 127.1, [::1]": '["xn--bcher-kva.example","127.0.0.1","[::1]"]',
  },
  bad: [
    "a b",
    "https://a.example",
    "a.example/x",
    "a.example:80",
    "*.a.example",
    "u@a.example",
    "[1]",
    "a%2e.b",
  ],
};
const ROLES = { good: { "Editor,admin": '["editor","admin"]', "": "[]" }, bad: ["user", "editor;admin"] };
const TRUE_OR_FALSE = {
  good: {
    true: "true",
    FALSE: "false",
    "1": "true",
    "0": "false",
    Yes: "true",
    off: "false",
    " on ": "true",
  },
  bad: ["", "2", "tru", "null", "true false"],
};
const days = { good: { "1": "1", "3650": "3650" }, bad: ["0", "3651", "-1", "1.5", "", "7d"] };
const prefix = {
  good: { "/a": "/a", "/api/v2/x": "/api/v2/x", " /My_go.x-1 ": "/My_go.x-1" },
  bad: [
    "",
    "/",
    "a",
    "//",
    "/a/",
    "/a//b",
    "/a/b/c/d",
    "/a b",
    "/ä",
    "/.",
    "/a/..",
    "/%61",
    `/${"a".repeat(64)}`,
    "/a?b",
  ],
};

/** Accepted values of each setting, with the canonical form, and refused ones. */
const CASES: Record<ConfigKey, { good: Record<string, string>; bad: readonly string[] }> = {
  "api.admin_token": {
    good: { "": "", [HASH]: HASH },
    bad: ["password", "$argon2id$", "$2b$10$abcdefghijklmnopqrstuv", `${HASH} x`],
  },
  "api.health_token": {
    good: { "": "", "monitor-1": "monitor-1", [`  ${"a".repeat(512)} `]: "a".repeat(512) },
    bad: ["short", "has a blank in it", "ümlaut-token", "a".repeat(513), "line\nbreak-token"],
  },
  "api.jwt_secret": {
    good: { ["x".repeat(32)]: "x".repeat(32) },
    bad: ["", "x".repeat(31), "x".repeat(513), `${"x".repeat(31)} x`],
  },
  "api.access_token_minutes": {
    good: { "1": "1", "1440": "1440", "+015": "15" },
    bad: ["0", "1441", "15m", "", "1e2", "0x10", "15.0"],
  },
  "api.refresh_token_days": { good: { "1": "1", "365": "365" }, bad: ["0", "366", "NaN"] },
  "api.second_factor_roles": { good: { "Admin, editor": '["admin","editor"]' }, bad: ["root"] },
  "api.trusted_proxies": {
    good: {
      "": "[]",
      "[]": "[]",
      "10.0.0.1, 172.16.0.0/12": '["10.0.0.1","172.16.0.0/12"]',
      '["FE80::/10", "::1", "::1", ""]': '["fe80::/10","::1"]',
    },
    bad: [
      "proxy.local",
      "10.0.0.0/33",
      "::/129",
      "10.0.0.1/",
      "10.0.0.1/8/8",
      "10.0.0.256",
      "fe80::1%eth0",
      "[1]",
      "[",
      '{"a":1}',
      JSON.stringify(Array.from({ length: 101 }, (_, at) => `10.0.0.${at}`)),
    ],
  },
  "api.cookie_secure": TRUE_OR_FALSE,
  "api.cookie_same_site": { good: { lax: "Lax", STRICT: "Strict", None: "None" }, bad: ["", "any", "Lax;"] },
  "api.cookie_domain": {
    good: { "": "", "Example.COM": "example.com", ".example.com": ".example.com", localhost: "localhost" },
    bad: [
      "exa mple.com",
      "example.com; Path=/",
      "-a.com",
      "a..b",
      "https://a.com",
      `${"a".repeat(64)}.com`,
      `${"a.".repeat(130)}com`,
    ],
  },
  ...OIDC_CASES,
  ...MAIL_CASES,
  ...SHARE_CASES,
  "routes.admin_prefix": prefix,
  "routes.health_prefix": prefix,
  "routes.frontend_prefix": prefix,
  "features.random_code_length": { good: { "4": "4", "128": "128" }, bad: ["3", "129", "six"] },
  "features.share_code_length": { good: { "14": "14", "128": "128" }, bad: ["13", "129", "0"] },
  "features.default_url": {
    good: { "": "", " https://example.com/a?b#c ": "https://example.com/a?b#c" },
    bad: [
      "example.com",
      "javascript:alert(1)",
      "ftp://a.b",
      "https://u:p@a.b",
      "https://a.b/\r\nX: y",
      "/path",
      `https://a.b/${"a".repeat(8192)}`,
    ],
  },
  "features.instance_name": {
    good: {
      Waymark: "Waymark",
      " Bücher & <Söhne> ": "Bücher & <Söhne>",
      "Cafe\u0301": "Caf\u00e9",
      短链接: "短链接",
      "\u200f\u05e7\u05d9\u05e9\u05d5\u05e8\u200e": "\u200f\u05e7\u05d9\u05e9\u05d5\u05e8\u200e",
      ["😀".repeat(64)]: "😀".repeat(64),
    },
    bad: ["", "  ", "\u200b", "\u200f", "a\u202eb", "a\nb", "a\u0000b", "x".repeat(65), "\ud800"],
  },
  "features.accent_color": {
    good: { "#1757C2": "#1757c2", " #fff ": "#ffffff", "#A0b": "#aa00bb" },
    bad: [
      "",
      "1757c2",
      "#12",
      "#1234",
      "#12345g",
      "#1757c2ff",
      "red",
      "rgb(0,0,0)",
      "#fff;}",
      "#ffffff\n*{}",
    ],
  },
  "features.logo": {
    good: { "": "", [` ${LOGO} `]: LOGO },
    bad: [
      "https://example.com/logo.png",
      `data:image/svg+xml;base64,${btoa("<svg xmlns='http://www.w3.org/2000/svg'/>")}`,
      LOGO.replace("image/png", "image/jpeg"),
      LOGO.replace("image/png", "text/html"),
      LOGO.replace("base64,", "base64, "),
      LOGO.replaceAll("=", ""),
      SMALL_LOGO,
      LOGO.slice(0, 40),
      dataUrlOf({ type: "image/png", bytes: Buffer.concat([pictureIn(LOGO)!.bytes, Buffer.alloc(17_000)]) }),
    ],
  },
  "features.public_url": {
    good: {
      "": "",
      "https://Go.Example.com": "https://go.example.com",
      " http://go.example:8080/ ": "http://go.example:8080",
      "https://go.example:443": "https://go.example",
      "https://bücher.example": "https://xn--bcher-kva.example",
      "HTTP://[2001:DB8::1]:81": "http://[2001:db8::1]:81",
    },
    bad: [
      "go.example",
      "//go.example",
      "ftp://go.example",
      "https://",
      "https:///x",
      "https:go.example",
      "https://go.example/a",
      "https://go.example//",
      "https://go.example?a",
      "https://go.example/#",
      "https://u@go.example",
      "https://u:p@go.example",
      "https://go.example:99999",
      "https://go.example:x",
      "https://go .example",
      "https://go\n.example",
      "https://*.example",
      "https://go.example\\a",
      `https://${"a".repeat(64)}.${"b.".repeat(4096)}example`,
    ],
  },
  "features.well_known": {
    good: {
      "": "[]",
      '[{"name":"b","text":""},{"name":"a.json","text":"{}"}]':
        '[{"name":"a.json","type":"application/json","text":"{}"},{"name":"b","type":"text/plain; charset=utf-8","text":""}]',
    },
    bad: [
      "{",
      "{}",
      '[{"name":"a"}]',
      '[{"name":"assetlinks.json","text":"x"}]',
      '[{"name":"acme-challenge/x","text":""}]',
      '[{"name":"../x","text":""}]',
      '[{"name":"a","type":"text/html","text":""}]',
      '[{"name":"a","text":""},{"name":"a","text":""}]',
    ],
  },
  "features.fetch_titles": TRUE_OR_FALSE,
  "features.enable_admin_panel": TRUE_OR_FALSE,
  "features.yourls_api": TRUE_OR_FALSE,
  "features.shlink_api": TRUE_OR_FALSE,
  "features.enforce_link_passwords": TRUE_OR_FALSE,
  "click.enable_tracking": TRUE_OR_FALSE,
  "click.flush_interval": { good: { "1": "1", "3600": "3600" }, bad: ["0", "3601"] },
  "click.max_clicks_before_flush": { good: { "1": "1", "1000000": "1000000" }, bad: ["0", "1000001"] },
  "cache.bloom_rebuild_interval": {
    good: { "0": "0", "-0": "0", "60": "60", "2592000": "2592000" },
    bad: ["1", "59", "-60", "2592001"],
  },
  "events.retention_days": { good: { "1": "1", "3650": "3650" }, bad: ["0", "3651", "-1", "x"] },
  "files.trash_days": { good: { "1": "1", "3650": "3650" }, bad: ["0", "3651", "-1", "x"] },
  "files.versions_keep": { good: { "0": "0", "100": "100" }, bad: ["101", "-1", "x"] },
  "files.versions_days": { good: { "0": "0", "3650": "3650" }, bad: ["3651", "-1", "x"] },
  "links.targets.allow": HOSTS,
  "links.targets.deny": HOSTS,
  "links.targets.schemes": {
    good: { "": "[]", '["MailTo","tel:"]': '["mailto","tel"]' },
    bad: ["a b", "https", "javascript", "view-source", "waymark"],
  },
  "links.targets.roles": ROLES,
  "links.targets.approval": ROLES,
  "links.check_targets": TRUE_OR_FALSE,
  "features.report_links": TRUE_OR_FALSE,
  "privacy.addresses": { good: { none: "none", TRUNCATED: "truncated", full: "full" }, bad: ["", "some"] },
  "privacy.keep_referrers": TRUE_OR_FALSE,
  "privacy.keep_user_agents": TRUE_OR_FALSE,
  "privacy.keep_locations": TRUE_OR_FALSE,
  "privacy.keep_campaigns": TRUE_OR_FALSE,
  "privacy.respect_signals": TRUE_OR_FALSE,
  "privacy.imprint_url": {
    good: { "": "", "https://a.example/i": "https://a.example/i" },
    bad: ["x", "ftp://a.b"],
  },
  "privacy.notice_url": {
    good: { "": "", "https://a.example/p": "https://a.example/p" },
    bad: ["x", "ftp://a.b"],
  },
  "links.ignore_case": TRUE_OR_FALSE,
  "links.forgive_tails": TRUE_OR_FALSE,
  "links.restore_days": { good: { "1": "1", "3650": "3650" }, bad: ["0", "3651", "-1", "x"] },
  "utm.enable_passthrough": TRUE_OR_FALSE,
  "analytics.enable_detailed_logging": TRUE_OR_FALSE,
  "analytics.enable_auto_rollup": TRUE_OR_FALSE,
  "analytics.log_retention_days": days,
  "analytics.hourly_retention_days": days,
  "analytics.daily_retention_days": days,
  "analytics.enable_ip_logging": TRUE_OR_FALSE,
  "analytics.unique_visitors": TRUE_OR_FALSE,
  "analytics.enable_geo_lookup": TRUE_OR_FALSE,
  "analytics.time_zone": {
    good: { UTC: "UTC", "europe/berlin": "Europe/Berlin", "Asia/Kathmandu": "Asia/Kathmandu" },
    bad: ["", "Mars/Olympus", "+02:00", "Z", "Europe", "Europe/Berlin\u0000"],
  },
  "analytics.sample_rate": {
    good: { "1": "1.0", "0": "0.0", "-0": "0.0", ".5": "0.5", "0.250": "0.25", "1e-7": "1e-7", "1.0": "1.0" },
    bad: ["-0.1", "1.01", "50%", "", "NaN", "Infinity", "0,5"],
  },
  "analytics.max_log_rows": {
    good: { "0": "0", "1000000000": "1000000000" },
    bad: ["-1", "1000000001", "99999999999999999999"],
  },
  "analytics.max_rows_action": { good: { Cleanup: "cleanup", stop: "stop" }, bad: ["", "delete"] },
  "cors.enabled": TRUE_OR_FALSE,
  "cors.allowed_origins": {
    good: {
      "*": '["*"]',
      "https://a.example,*": '["*"]',
      "https://A.example:443/, http://b:8080": '["https://a.example","http://b:8080"]',
    },
    bad: [
      "a.example",
      "https://a.example/path",
      "ftp://a.example",
      "https://u@a.example",
      "null",
      "https://*.example",
    ],
  },
  "cors.allowed_methods": {
    good: { "get,POST,get": '["GET","POST"]', "[]": "[]" },
    bad: ["TRACE", '["GET",1]'],
  },
  "cors.allowed_headers": {
    good: { "Accept, X-Own": '["Accept","X-Own"]', "*": '["*"]' },
    bad: ["X Own", "X:Own", "X-Ö"],
  },
  "cors.max_age": { good: { "0": "0", "86400": "86400" }, bad: ["-1", "86401"] },
  "cors.allow_credentials": TRUE_OR_FALSE,
};

describe.each(CONFIG_KEYS)("%s", (key) => {
  const definition = definitionOf(key);
  // The end of a sentence, without its full stop.
  const refusal = { error: expect.stringMatching(/^must be [^]*[^.]$/) };

  test("accepts valid values and returns their canonical form", () => {
    for (const [given, canonical] of Object.entries(CASES[key].good)) {
      expect([given, definition.canonical(given)]).toEqual([given, canonical]);
      expect(definition.canonical(canonical)).toBe(canonical);
    }
  });

  test("refuses all other values and reports what is allowed", () => {
    for (const given of [...CASES[key].bad, "\u0000", "a\u0000b", "\ud800", "x\r\ny"]) {
      expect([given, definition.canonical(given)]).toEqual([given, expect.objectContaining(refusal)]);
    }
    expect(definition.canonical("a".repeat(100_000))).toMatchObject(refusal);
  });

  test("has a valid default and a description", () => {
    if (!definition.generated)
      expect(definition.canonical(definition.defaultText)).toBe(definition.defaultText);
    expect(definition.description).toMatch(/^[A-Z].*\.$/);
    expect(Buffer.byteLength(definition.defaultText)).toBeLessThan(VALUE_MAX_BYTES);
    expect(key.startsWith(`${definition.category}.`) || /^(api|click|utm)\./.test(key)).toBe(true);
  });
});

test("a refused list names which item is wrong", () => {
  const { canonical } = DEFINITIONS["api.trusted_proxies"];
  expect(canonical('["10.0.0.1","proxy"]')).toMatchObject({ item: 1 });
  expect(canonical("[1]")).not.toHaveProperty("item");
});

test("values have the types of the table", () => {
  const typed: Pick<
    ConfigValues,
    | "utm.enable_passthrough"
    | "click.flush_interval"
    | "api.cookie_same_site"
    | "cors.allowed_origins"
    | "features.default_url"
  > = {
    "utm.enable_passthrough": DEFINITIONS["utm.enable_passthrough"].parse("true"),
    "click.flush_interval": DEFINITIONS["click.flush_interval"].parse("5"),
    "api.cookie_same_site": DEFINITIONS["api.cookie_same_site"].parse("Lax"),
    "cors.allowed_origins": DEFINITIONS["cors.allowed_origins"].parse('["*"]'),
    "features.default_url": DEFINITIONS["features.default_url"].parse(""),
  };
  expect(typed).toEqual({
    "utm.enable_passthrough": true,
    "click.flush_interval": 5,
    "api.cookie_same_site": "Lax",
    "cors.allowed_origins": ["*"],
    "features.default_url": "",
  });
  // @ts-expect-error -- a key that is not in the table
  expect(DEFINITIONS["utm.enable"]).toBeUndefined();
});

const keysWith = (property: "requiresRestart" | "sensitive" | "generated") =>
  CONFIG_KEYS.filter((key) => definitionOf(key)[property]);

test("the specification's restart, secret and default rules hold", () => {
  expect(keysWith("requiresRestart")).toEqual([
    "routes.admin_prefix",
    "analytics.enable_detailed_logging",
    "analytics.enable_auto_rollup",
    "analytics.log_retention_days",
    "analytics.hourly_retention_days",
    "analytics.daily_retention_days",
  ]);
  expect(keysWith("sensitive")).toEqual([
    "api.admin_token",
    "api.health_token",
    "api.jwt_secret",
    "oidc.client_secret",
    "mail.password",
  ]);
  expect(keysWith("generated")).toEqual(["api.jwt_secret"]);
  expect(CONFIG_KEYS.filter((key) => !definitionOf(key).editable)).toEqual(["api.admin_token"]);
  expect(definitionOf("api.cookie_secure").defaultText).toBe("true");
  expect(definitionOf("analytics.sample_rate").defaultText).toBe("1.0");
});

test("click records are not bounded unless a bound is chosen, as specified", () => {
  expect(definitionOf("analytics.max_log_rows").defaultText).toBe("0");
});

test("categories beyond the specification's come last", () => {
  const categories = [...new Set(CONFIG_KEYS.map((key) => definitionOf(key).category))];
  expect(categories.slice(-4)).toEqual(["links", "privacy", "oidc", "mail"]);
});

test("property names of Object.prototype are not settings", () => {
  for (const key of ["__proto__", "constructor", "toString", "", "api"]) expect(isConfigKey(key)).toBe(false);
});
