import { expect, test } from "bun:test";
import { hostsOfSite, siteOf } from "./sites.ts";

test.each([
  ["l.facebook.com", "facebook.com"],
  ["m.facebook.com", "facebook.com"],
  ["com.facebook.katana", "facebook.com"],
  ["t.co", "x.com"],
  ["mobile.twitter.com", "x.com"],
  ["com.google.android.gm", "mail.google.com"],
  ["mail.google.com", "mail.google.com"],
  ["www.google.de", "google.com"],
  ["google.co.uk", "google.com"],
  ["translate.google.fr", "translate.google.com"],
  ["r.search.yahoo.com", "yahoo.com"],
  ["mail.yahoo.co.jp", "mail.yahoo.com"],
  ["de.wikipedia.org", "wikipedia.org"],
  ["www.pinterest.fr", "pinterest.com"],
  ["www.example.org", "example.org"],
  ["m.blog.example.org", "blog.example.org"],
  ["blog.example.org", "blog.example.org"],
  ["m.me", "messenger.com"],
  ["m.example", "m.example"],
  ["notfacebook.com", "notfacebook.com"],
  ["facebook.com.evil.example", "facebook.com.evil.example"],
  ["google.example.com", "google.example.com"],
  ["localhost", "localhost"],
])("%p is of the site %p", (host, site) => {
  expect(siteOf(host)).toBe(site);
});

test("a site's hosts lead back to it", () => {
  for (const site of ["x.com", "google.com", "example.org"])
    for (const host of hostsOfSite(site).hosts) expect(siteOf(host)).toBe(site);
});
