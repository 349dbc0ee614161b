/** What the clicks of a report are listed by. */
import { agentName, cityName, deviceName, referrerName, regionName } from "./names.ts";

export const DIMENSIONS = ["referrer", "country", "city", "device", "browser", "os"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

const NAMES: Record<Dimension, (value: string) => string> = {
  referrer: referrerName,
  country: regionName,
  city: cityName,
  device: deviceName,
  browser: agentName,
  os: agentName,
};

/** Of a value, for people. */
export const nameOfValue = (dimension: Dimension, value: string): string => NAMES[dimension](value);
