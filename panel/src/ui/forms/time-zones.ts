/** Names of time zones to choose from: `first`, UTC, and those that the browser knows. */
export const timeZones = (...first: readonly string[]): string[] => [
  ...new Set([...first, "UTC", ...Intl.supportedValuesOf("timeZone")]),
];
