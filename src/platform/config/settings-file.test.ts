import { describe, expect, test } from "bun:test";
import { writeConfigFile } from "./settings-file.ts";
import { readConfigFile } from "./settings-file-reader.ts";
import { CONFIG_KEYS, definitionOf } from "./definitions.ts";

const everything = CONFIG_KEYS.map((key) => [key, definitionOf(key).defaultText] as const);
const awkward = [
  ["features.default_url", 'https://example.com/"quoted"\\back#ü'],
  ["api.health_token", "'quoted'#token"],
  ["analytics.sample_rate", "1e-7"],
  ["cors.allowed_origins", '["https://a.example"]'],
] as const;

describe.each(["toml", "json"] as const)("%s", (format) => {
  test.each([[everything], [awkward], [[]]])("a written file reads back the same", (entries) => {
    const { entries: read, masked } = readConfigFile(writeConfigFile(entries, format), format);
    const canonical = read.map(([key, text]) => [
      key,
      definitionOf(key as (typeof CONFIG_KEYS)[number]).canonical(text),
    ]);
    const given = entries.map(([key, text]) => [key, text]);
    expect(canonical.filter(([key]) => key !== "api.jwt_secret")).toEqual(
      given.filter(([key]) => key !== "api.jwt_secret"),
    );
    expect(masked).toEqual([]);
  });

  test("masked secrets are left out and listed", () => {
    const file = writeConfigFile(
      [
        ["api.health_token", "[REDACTED]"],
        ["cors.enabled", "true"],
      ],
      format,
    );
    expect(readConfigFile(file, format)).toEqual({
      entries: [["cors.enabled", "true"]],
      masked: ["api.health_token"],
    });
  });
});

test("tables and whole keys are equivalent", () => {
  const toml = '[api]\ncookie_secure = false\n[click]\n"flush_interval" = 9\n';
  const expected = [
    ["api.cookie_secure", "false"],
    ["click.flush_interval", "9"],
  ];
  expect(readConfigFile(toml, "toml").entries).toEqual(expected as never);
  const json = '{"api": {"cookie_secure": "false"}, "click.flush_interval": 9}';
  expect(readConfigFile(json, "json").entries).toEqual(expected as never);
});

test.each([
  ["toml", "a = ", /^The file is not valid TOML: line 1/],
  ["toml", "a.b = 1979-05-27", /^a\.b must be a text/],
  ["toml", '"a.b" = 1\n[a]\nb = 2', /^a\.b appears twice in the file/],
  ["json", "{", /^The file is not valid JSON/],
  ["json", "3", /must contain one object/],
  ["json", '{"a": null}', /^a must be a text/],
  ["json", '{"a":{"a":{"a":{"a":{"a":{"a":1}}}}}}', /nested too deeply/],
  [
    "json",
    JSON.stringify(Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [at, 1]))),
    /more than 1000/,
  ],
] as const)("%s %# is refused with the place", (format, source, message) => {
  expect(() => readConfigFile(source, format)).toThrow(message);
});
