/** For definitions.test.ts: accepted values with their canonical form, and refused ones. */
export const OIDC_CASES = {
  "oidc.password_sign_in": { good: { off: "false" }, bad: ["maybe"] },
  "oidc.issuer": {
    good: {
      "": "",
      "https://id.example.com": "https://id.example.com",
      "https://id.example.com/realms/a/": "https://id.example.com/realms/a/",
      "http://localhost:3000": "http://localhost:3000",
      "http://[::1]:3000": "http://[::1]:3000",
    },
    bad: [
      "http://id.example.com",
      "http://127.0.0.1.example.com",
      "https://u:p@id.example.com",
      "https://id.example.com?a",
      "https://id.example.com#a",
      "ftp://localhost",
      "id.example.com",
      `https://id.example.com/${"a".repeat(1000)}`,
    ],
  },
  "oidc.client_id": { good: { "": "", waymark: "waymark" }, bad: ["a b", "ü", "a".repeat(513)] },
  "oidc.client_secret": { good: { "": "", s3cret: "s3cret" }, bad: ["a b", "a".repeat(513)] },
  "oidc.label": { good: { "": "", "Acme Ü": "Acme Ü" }, bad: ["a".repeat(65), "a\u202eb"] },
  "oidc.scopes": { good: { "openid,groups": '["openid","groups"]' }, bad: ["a b", 'a"b'] },
  "oidc.trust_email": { good: { on: "true" }, bad: ["maybe"] },
  "oidc.role_claim": {
    good: {
      "": "",
      "realm_access.roles": "realm_access.roles",
      "urn:zitadel:iam:org:project:roles": "urn:zitadel:iam:org:project:roles",
      "https://example.com/roles": "https://example.com/roles",
    },
    bad: ["a b", "a".repeat(201)],
  },
  "oidc.roles": {
    good: { "a=b=editor, *=user": '["a=b=editor","*=user"]', "Ops Team=admin": '["Ops Team=admin"]' },
    bad: ["staff", "staff=root", "=user", `${"a".repeat(257)}=user`],
  },
  "oidc.allowed_domains": {
    good: { "Example.COM,a.example.org": '["example.com","a.example.org"]' },
    bad: ["@example.com", ".example.com", "exa mple.com", "*.example.com"],
  },
  "oidc.groups_claim": { good: { groups: "groups" }, bad: ["a b"] },
  "oidc.allowed_groups": {
    good: { "a b, c": '["a b","c"]', "staff, *": '["staff","*"]' },
    bad: ["a".repeat(257)],
  },
} as const;
