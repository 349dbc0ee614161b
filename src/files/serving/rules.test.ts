import { expect, test } from "bun:test";
import type { Role } from "../../lib/access.ts";
import { COMMAND } from "../../lib/actor.ts";
import { createShareRules, type ShareRuleSettings } from "./rules.ts";
import type { ShareRecord } from "./served.ts";

const DAY_MS = 86_400_000;
const NONE: ShareRuleSettings = {
  roles: ["user", "editor"],
  defaultDays: 0,
  maxDays: 0,
  password: false,
  maxDownloads: 0,
  verify: false,
  domains: [],
  byRole: [],
};
const rulesOf = (settings: Partial<ShareRuleSettings>) =>
  createShareRules({ settings: () => ({ ...NONE, ...settings }), clock: { now: () => 1_000 } });
const actor = (role: Role) => ({ ...COMMAND, role });
const share = (given: Partial<ShareRecord>) =>
  ({
    kind: "file",
    expiresAt: null,
    passwordHash: null,
    maxDownloads: null,
    recipients: [],
    verify: false,
    ...given,
  }) as ShareRecord;

test("bound roles keep every limit, others and commands are free", () => {
  for (const [settings, bad, good] of [
    [{ maxDays: 2 }, [{}, { expiresAt: 3 * DAY_MS }], [{ expiresAt: 2 * DAY_MS }]],
    [{ password: true }, [{}, { kind: "drop" }], [{ passwordHash: "x" }]],
    [{ maxDownloads: 5 }, [{}, { maxDownloads: 6 }], [{ maxDownloads: 5 }, { kind: "drop" }]],
    [{ verify: true }, [{}], [{ verify: true }, { kind: "drop" }]],
    [
      { domains: ["a.example"] },
      [{ recipients: ["x@b.example"] }, { recipients: ["x@a.example", "y@sub.a.example"] }],
      [{}, { recipients: ["x@a.example"] }],
    ],
  ] as const) {
    const { validate } = rulesOf(settings);
    for (const given of bad) {
      expect(() => validate(actor("user"), share(given))).toThrow(/here; /);
      for (const free of [actor("admin"), COMMAND]) validate(free, share(given));
      validate(actor("user"), share({ ...given, kind: "url" }));
    }
    for (const given of good) validate(actor("editor"), share(given));
  }
});

test("a share without an end ends by default, never later than it may", () => {
  for (const [settings, given, expected] of [
    [{}, undefined, undefined],
    [{ defaultDays: 7 }, undefined, "7d"],
    [{ defaultDays: 7 }, null, null],
    [{ defaultDays: 7 }, "1d", "1d"],
    [{ maxDays: 3 }, undefined, "3d"],
    [{ defaultDays: 7, maxDays: 3 }, undefined, "3d"],
  ] as const) {
    expect(rulesOf(settings).expiry(actor("user"), given)).toBe(expected);
    expect(rulesOf(settings).expiry(actor("admin"), given)).toBe(given);
  }
});

test("a role has limits of its own instead of the common ones", () => {
  const { of } = rulesOf({
    maxDays: 30,
    password: true,
    byRole: [
      "user.max_days=7",
      "admin.max_downloads=5",
      "user.recipient_domains=a.example",
      "user.password=false",
    ],
  });
  expect(of("user")).toMatchObject({ max_days: 7, password: false, recipient_domains: ["a.example"] });
  expect(of("editor")).toMatchObject({ max_days: 30, password: true, max_downloads: null });
  expect(of("admin")).toMatchObject({ max_days: null, password: false, max_downloads: 5 });
});
