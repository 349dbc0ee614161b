/** Accepted values of the settings of mail, with their canonical form, and refused ones. */
export const MAIL_CASES = {
  "mail.host": {
    good: { "": "", "smtp.example.com": "smtp.example.com", "[::1]": "[::1]" },
    bad: ["smtp example", "http://smtp.example.com", "a".repeat(254)],
  },
  "mail.port": { good: { " 0465": "465" }, bad: ["0", "65536", "25.5"] },
  "mail.tls": { good: { tls: "tls", none: "none" }, bad: ["ssl", ""] },
  "mail.user": { good: { "": "", "a b": "a b" }, bad: ["a".repeat(513), "a\u0000b"] },
  "mail.password": { good: { "": "", "p ü": "p ü" }, bad: ["a".repeat(513), "a\nb"] },
  "mail.from": { good: { "": "", "Go@example.com": "Go@example.com" }, bad: ["go", "a b@example.com"] },
} as const;
