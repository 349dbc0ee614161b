import { expect, test } from "bun:test";
import { clickPrivacy } from "./privacy.ts";

const KEPT = {
  "analytics.enable_ip_logging": true,
  "analytics.enable_geo_lookup": true,
  "privacy.addresses": "full",
  "privacy.keep_locations": true,
};

function keptWith(changed: Partial<Record<keyof typeof KEPT, unknown>>) {
  const settings: Record<string, unknown> = { ...KEPT, ...changed };
  const { addresses, located } = clickPrivacy({ get: (key: string) => settings[key] } as never);
  return [addresses, located];
}

test("without logging of addresses places are found where the other settings keep them", () => {
  expect(keptWith({})).toEqual(["full", false]);
  const off = { "analytics.enable_ip_logging": false };
  expect(keptWith(off)).toEqual(["none", true]);
  expect(keptWith({ ...off, "privacy.addresses": "truncated" })).toEqual(["none", true]);
  expect(keptWith({ ...off, "privacy.addresses": "none" })).toEqual(["none", false]);
  expect(keptWith({ ...off, "privacy.keep_locations": false })).toEqual(["none", false]);
  expect(keptWith({ ...off, "analytics.enable_geo_lookup": false })).toEqual(["none", false]);
});
