/** Claims as providers document or send them. */
import { describe, expect, test } from "bun:test";
import { admit, hasSecondFactor, type Claims, describeClaim, flagIn, valuesIn } from "./admission.ts";

type Row = {
  provider: string;
  /** Page of the vendor's documentation, or a report of what it sends. */
  source: string;
  claims: Claims;
  /** Claim and what it gives. */
  values?: Record<string, readonly string[]>;
  /** The address counts as verified: always, with oidc.trust_email, or never. */
  email?: "verified" | "trusted" | "never";
};

const ROWS: readonly Row[] = [
  {
    provider: "Keycloak: roles of the realm and of clients, whose names may have dots",
    source: "Keycloak Server Administration Guide, OIDC token and SAML assertion mappings",
    claims: {
      email: "anna@example.com",
      email_verified: true,
      preferred_username: "anna",
      realm_access: { roles: ["offline_access", "staff"] },
      resource_access: { waymark: { roles: ["editor"] }, "go.example.com": { roles: ["boss"] } },
      groups: ["/staff/links"],
    },
    values: {
      "realm_access.roles": ["offline_access", "staff"],
      "resource_access.waymark.roles": ["editor"],
      "resource_access.go.example.com.roles": ["boss"],
      groups: ["/staff/links"],
    },
    email: "verified",
  },
  {
    provider: "ZITADEL: an object by role",
    source: "ZITADEL docs, OpenID Connect and OAuth, Claims: reserved claims",
    claims: {
      email: "anna@example.com",
      email_verified: true,
      "urn:zitadel:iam:org:project:roles": {
        staff: { "165461784586911111": "acme.zitadel.cloud" },
        boss: { "165461784586911111": "acme.zitadel.cloud" },
      },
      "urn:zitadel:iam:org:project:170086824411201793:roles": { staff: { "1": "a" } },
    },
    values: {
      "urn:zitadel:iam:org:project:roles": ["staff", "boss"],
      "urn:zitadel:iam:org:project:170086824411201793:roles": ["staff"],
    },
    email: "verified",
  },
  {
    provider: "Microsoft Entra ID: no word on the address",
    source: "learn.microsoft.com, Microsoft identity platform, ID token claims reference",
    claims: {
      tid: "9122040d-6c67-4c5b-b112-36a304b66dad",
      email: "anna@example.com",
      preferred_username: "anna@example.com",
      roles: ["Links.Admin"],
      groups: ["0f1d5f3e-6b7d-4d3e-9a56-9a1f9d0c6a11"],
    },
    values: { roles: ["Links.Admin"], groups: ["0f1d5f3e-6b7d-4d3e-9a56-9a1f9d0c6a11"] },
    email: "trusted",
  },
  {
    provider: "Microsoft Entra ID with the optional claim xms_edov",
    source: "learn.microsoft.com, optional claims reference; github.com/eneo-ai/eneo/releases/tag/v2.2.4",
    claims: { email: "anna@example.com", xms_edov: true },
    email: "verified",
  },
  {
    provider: "Microsoft Entra ID, where xms_edov comes as a number in a text",
    source: "learn.microsoft.com, migrate away from using email claims for user identification",
    claims: { email: "anna@example.com", xms_edov: "1" },
    email: "verified",
  },
  {
    provider: "Microsoft Entra ID, of an address whose domain nobody vouches for",
    source: "learn.microsoft.com, optional claims reference",
    claims: { email: "anna@example.com", xms_edov: false },
    email: "never",
  },
  {
    provider: "Microsoft Entra ID, of somebody who is in more groups than a token holds",
    source: "learn.microsoft.com, access token claims reference: groups overage claim",
    claims: {
      _claim_names: { groups: "src1" },
      _claim_sources: { src1: { endpoint: "https://graph.example.com/" } },
    },
    values: { groups: [] },
  },
  {
    provider: "Amazon Cognito: flags as texts",
    source: "docs.aws.amazon.com, Cognito, userInfo endpoint; github.com/zitadel/oidc/issues/137",
    claims: { email: "anna@example.com", email_verified: "true", "cognito:groups": ["staff"] },
    values: { "cognito:groups": ["staff"] },
    email: "verified",
  },
  {
    provider: "Amazon Cognito: an address that was changed",
    source: "github.com/amazon-archives/amazon-cognito-identity-js/issues/436",
    claims: { email: "anna@example.com", email_verified: "false" },
    email: "never",
  },
  {
    provider: "Amazon Cognito: groups of a SAML provider in an attribute",
    source: "docs.aws.amazon.com, Cognito, mapping IdP attributes to profiles and tokens",
    claims: { "custom:groups": "[Ops Team, staff]" },
    values: { "custom:groups": ["[Ops Team, staff]", "Ops Team", "staff"] },
  },
  {
    provider: "Auth0: claims with a namespace",
    source: "auth0.com/docs, create custom claims",
    claims: { email: "anna@example.com", email_verified: true, "https://example.com/roles": ["editor"] },
    values: { "https://example.com/roles": ["editor"] },
    email: "verified",
  },
  {
    provider: "Okta: groups by a filter",
    source: "developer.okta.com, customize tokens returned with a groups claim",
    claims: { email: "anna@example.com", email_verified: true, groups: ["Everyone", "Ops Team"] },
    values: { groups: ["Everyone", "Ops Team"] },
    email: "verified",
  },
  {
    provider: "Google: no groups",
    source: "developers.google.com/identity, OpenID Connect: an ID token's payload",
    claims: { email: "anna@example.com", email_verified: true, hd: "example.com" },
    values: { groups: [] },
    email: "verified",
  },
  {
    provider: "GitLab: groups in the user info",
    source: "docs.gitlab.com, GitLab as OpenID Connect identity provider: shared information",
    claims: { email: "anna@example.com", email_verified: true, groups: ["acme", "acme/links"] },
    values: { groups: ["acme", "acme/links"] },
    email: "verified",
  },
  {
    provider: "IdentityServer: one group as a text, several as a list",
    source: "github.com/rancher/rancher/pull/55858, github.com/goharbor/harbor/issues/15416",
    claims: { groups: "Ops Team", roles: ["staff", "Ops Team"] },
    values: { groups: ["Ops Team"], roles: ["staff", "Ops Team"] },
  },
  {
    provider: "OneLogin and others: groups in one text with commas",
    source: "github.com/DependencyTrack/hyades-apiserver/pull/1294, github.com/nextcloud/user_oidc/pull/1006",
    claims: { groups: "staff, Ops Team,links" },
    values: { groups: ["staff, Ops Team,links", "staff", "Ops Team", "links"] },
  },
  {
    provider: "groups as JSON in a text",
    source: "github.com/sonar-auth-oidc/sonar-auth-oidc/issues/64",
    claims: { groups: '["staff", "Ops, Team"]' },
    values: { groups: ['["staff", "Ops, Team"]', "staff", "Ops, Team"] },
  },
  {
    provider: "the distinguished name of one LDAP group",
    source: "RFC 4514",
    claims: { groups: "CN=links,OU=Groups,DC=example" },
    values: { groups: ["CN=links,OU=Groups,DC=example", "CN=links", "OU=Groups", "DC=example"] },
  },
];

const RULES = {
  trustEmail: false,
  roleClaim: "",
  roles: new Map(),
  domains: new Set<string>(),
  groupsClaim: "groups",
  groups: new Set<string>(),
};

test.each(ROWS.map((row) => [row.provider, row] as const))("%s", (_, { claims, values = {}, email }) => {
  for (const [claim, given] of Object.entries(values))
    expect([claim, valuesIn(claims, claim)]).toEqual([claim, given]);
  if (email === undefined) return;
  const admitted = [false, true].map((trustEmail) => admit(claims, { ...RULES, trustEmail }));
  const addresses = { verified: [1, 1], trusted: [0, 1], never: [0, 0] }[email];
  expect(admitted).toEqual(addresses.map((is) => ({ role: null, email: is ? "anna@example.com" : null })));
});

describe("hostile claims", () => {
  test("give no value that is not there", () => {
    const claims = {
      off: { admin: false, user: null, editor: true },
      numbers: [1, null, { admin: true }, ["admin"], "user"],
      deep: { a: { b: "x" } },
      "deep.a": { c: "own" },
      broken: "[admin",
      json: '[{"admin":1}]',
    };
    const given = (name: string) => valuesIn(claims, name);
    expect(given("off")).toEqual(["editor"]);
    expect(given("numbers")).toEqual(["user"]);
    expect([given("deep.a.c"), given("deep.a.b"), given("deep.a.b.length")]).toEqual([["own"], [], []]);
    expect([given("broken"), given("json")]).toEqual([["[admin"], ['[{"admin":1}]']]);
    for (const name of ["constructor", "__proto__", "off.constructor", ".", "..", "deep.", ".deep", ""])
      expect([name, given(name)]).toEqual([name, []]);
  });

  test("are bounded", () => {
    const many = Array.from({ length: 200_000 }, (_, at) => `g${at}`);
    const named = Object.fromEntries(many.map((name) => [name, {}]));
    for (const groups of [many, many.join(","), named])
      expect(valuesIn({ groups }, "groups").length).toBeLessThanOrEqual(10_001);
    expect(describeClaim({ groups: many }, "groups").length).toBeLessThan(300);
    expect(describeClaim({ groups: ["x".repeat(100_000)] }, "groups").length).toBeLessThan(300);
    expect(describeClaim(named, "groups").length).toBeLessThan(6_000);
  });

  test("are no flag, unless they are one", () => {
    const flags: [unknown, boolean | null][] = [
      [true, true],
      ["true", true],
      ["True", true],
      ["1", true],
      [1, true],
      [null, null],
      [undefined, null],
      [false, false],
      ["false", false],
      ["yes", false],
      ["", false],
      [2, false],
      [["true"], false],
      [{ true: true }, false],
    ];
    for (const [value, is] of flags) expect([value, flagIn({ value }, "value")]).toEqual([value, is]);
    expect(flagIn({}, "constructor")).toBeNull();
  });

  test("make no second factor of a text or an object", () => {
    expect(hasSecondFactor({ amr: ["pwd", "otp"] })).toBe(true);
    for (const amr of ["pwd,otp", { otp: true }, [["otp"]]]) expect(hasSecondFactor({ amr })).toBe(false);
  });
});

describe("a refusal reports what was found", () => {
  const refusal = (claims: Claims, rules: Partial<typeof RULES>) => {
    const admitted = admit(claims, { ...RULES, ...rules });
    return "refused" in admitted ? `${admitted.refused}: ${admitted.reason}` : "";
  };
  const domains = new Set(["example.com"]);
  const groups = new Set(["links"]);
  const address = { email: "anna@example.com" };

  test.each([
    [
      { sub: "1", name: "A" },
      { domains },
      "unverified: The provider sent no claim email. It sent: sub, name.",
    ],
    [{ email: "a b@example.com" }, { domains }, "unverified: The claim email is no single address."],
    [{ ...address, email_verified: "no" }, { domains }, 'unverified: The claim email_verified is "no".'],
    [{ ...address, xms_edov: false }, { domains }, "unverified: The claim xms_edov is false."],
    [
      address,
      { domains },
      "unverified: The provider does not say whether it has verified the address: it sent neither email_verified nor xms_edov. oidc.trust_email takes such addresses.",
    ],
    [
      { email: "a@other.example", email_verified: true },
      { domains },
      'not_allowed: The domain of the address, "other.example", is not in oidc.allowed_domains.',
    ],
    [
      { groups: ["staff", "ops"] },
      { groups },
      'not_allowed: None of oidc.allowed_groups is there. The claim groups has "staff", "ops".',
    ],
    [
      { groups: [] },
      { groups },
      "not_allowed: None of oidc.allowed_groups is there. The claim groups has no values.",
    ],
    [
      { _claim_names: { groups: "src1" } },
      { groups },
      "not_allowed: None of oidc.allowed_groups is there. The provider sent no claim groups, because it has more values than a token holds (_claim_names). It sent: _claim_names.",
    ],
    [
      { roles: { Boss: {} } },
      { roleClaim: "roles" },
      'no_role: No role of Waymark is there. The claim roles has "Boss".',
    ],
    [
      { roles: "x" },
      { roleClaim: "roles", roles: new Map([["boss", "admin"]]) },
      'no_role: No value of oidc.roles is there. The claim roles has "x".',
    ],
  ])("%j", (claims, rules, said) => {
    expect(refusal(claims, rules as Partial<typeof RULES>)).toBe(said);
  });
});
