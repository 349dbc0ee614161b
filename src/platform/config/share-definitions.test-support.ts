/** For definitions.test.ts: accepted values with their canonical form, and refused ones. */
export const SHARE_CASES = {
  "files.share_policy.roles": {
    good: { "": "[]", "User,admin": '["user","admin"]' },
    bad: ["nobody", "user,nobody"],
  },
  "files.share_policy.default_days": { good: { "0": "0", "3650": "3650" }, bad: ["-1", "3651"] },
  "files.share_policy.max_days": { good: { "0": "0", "3650": "3650" }, bad: ["-1", "3651"] },
  "files.share_policy.password": { good: { yes: "true", FALSE: "false" }, bad: ["maybe", ""] },
  "files.share_policy.max_downloads": { good: { "0": "0", "1000000": "1000000" }, bad: ["-1", "1000001"] },
  "files.share_policy.verify": { good: { yes: "true", FALSE: "false" }, bad: ["maybe", ""] },
  "files.share_policy.recipient_domains": {
    good: { "Example.com, b.example": '["example.com","b.example"]', "": "[]" },
    bad: ["a@example.com", ".example.com"],
  },
  "files.share_policy.by_role": {
    good: { "USER.max_days = 007, admin.password=no": '["user.max_days=7","admin.password=false"]' },
    bad: [
      "max_days=7",
      "guest.max_days=7",
      "user.max_days=x",
      "user.roles=user",
      "user.by_role=x",
      "user.max_days.x=1",
      "user.toString=1",
    ],
  },
};
