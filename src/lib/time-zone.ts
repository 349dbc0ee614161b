/** The IANA name in its usual letters, or null: neither an unknown zone nor an offset such as +02:00. */
export function timeZoneName(text: string): string | null {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/.test(text)) return null;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text).timeZoneId;
  } catch {
    return null;
  }
}

/** A time zone is `offset` milliseconds ahead of UTC from an instant on. */
export type ZoneOffset = { from: number; offset: number };

/** Later changes of the clock are not known yet. */
const LAST_YEAR = 2100;
const known = new Map<string, readonly ZoneOffset[]>();

/** The offsets since 1970, in order. `zone` as timeZoneName returns it. */
export function zoneOffsets(zone: string): readonly ZoneOffset[] {
  const found = known.get(zone);
  if (found !== undefined) return found;
  let at = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone);
  const offsets = [{ from: 0, offset: offsetOf(at) }];
  for (;;) {
    const next = at.getTimeZoneTransition("next");
    if (next === null || next.year >= LAST_YEAR) break;
    at = next;
    offsets.push({ from: at.epochMilliseconds, offset: offsetOf(at) });
  }
  known.set(zone, offsets);
  return offsets;
}

const offsetOf = (at: Temporal.ZonedDateTime): number => at.offsetNanoseconds / 1_000_000;
