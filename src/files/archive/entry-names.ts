/**
 * Names for an archive's entries that every system takes, even for rows older than the rules on names
 * (lib/file-name.ts). Two names of a folder differ on systems that ignore case or normalisation.
 */
import { REORDERING } from "../../lib/text-direction.ts";

const NAME_BYTES = 255;
/** A longer ending does not count as an extension. */
const EXTENSION_BYTES = 32;
const REPLACEMENT = "_";
/** Separators, controls, what Windows refuses, what reorders text, line ends. */
const REFUSED = new RegExp(String.raw`[\p{Cc}${REORDERING}\u2028\u2029<>:"|?*/\\]`, "gu");
/** Windows drops dots and blanks at the end. */
const ENDS = /(?<![\s.])[\s.]+$|^\s+/gu;
/** Devices of Windows, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$)\s*(?:\.|$)/i;
/** Fits most names. DEVICE decides whether one is a device. */
const PLAIN = /^[A-Za-z0-9_(][A-Za-z0-9_ ()+,;=@~.-]{0,200}[A-Za-z0-9_)]$/;
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;
/** After these, a folder gives each number once, so many equal names cost no search. */
const TRIES = 4;
const FIRST_SERIAL = 10_000;
const segmenter = new Intl.Segmenter();

/** NFC, at most 255 bytes. */
export function safeEntryName(name: string): string {
  let safe = name;
  if (!PLAIN.test(safe)) {
    safe = safe.toWellFormed().normalize("NFC").replaceAll(REFUSED, REPLACEMENT).replaceAll(ENDS, "");
    if (safe === "") safe = REPLACEMENT;
  }
  if (DEVICE.test(safe)) safe = `${REPLACEMENT}${safe}`;
  return fitted(safe, "");
}

/** Inserts `addition` before the extension and shortens the name to the most bytes. */
function fitted(name: string, addition: string): string {
  if (addition === "" && Buffer.byteLength(name) <= NAME_BYTES) return name;
  const dot = name.lastIndexOf(".");
  const hasExtension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= EXTENSION_BYTES;
  const [base, extension] = hasExtension ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  const room = NAME_BYTES - Buffer.byteLength(addition) - Buffer.byteLength(extension);
  return `${cutToBytes(base, room).replace(/(?<![\s.])[\s.]+$/u, "")}${addition}${extension}`;
}

/** Cuts after a whole character as people see it. */
function cutToBytes(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  // Half a character becomes one replacement character.
  const units = encoded.subarray(0, bytes + 1).toString().length - 1;
  const kept = text.slice(0, segmenter.segment(text).containing(units)?.index ?? 0);
  // One character of hundreds of bytes.
  return kept === "" ? REPLACEMENT : kept;
}

export function createFolderNames() {
  const seed = crypto.getRandomValues(new BigUint64Array(1))[0]!;
  /** Last number given, by hash: equal hashes only add a number. */
  const given = new Map<number, number>();
  let serial = FIRST_SERIAL;
  const keyOf = (name: string): number => Number(Bun.hash(folded(name), seed) & 0x1f_ffff_ffff_ffffn);

  return {
    /** The safe name, with a number if the folder has it. */
    take(name: string): string {
      const safe = safeEntryName(name);
      const key = keyOf(safe);
      const last = given.get(key);
      if (last === undefined) {
        given.set(key, 1);
        return safe;
      }
      for (let number = last + 1, tries = 0; ; tries++) {
        const numbered = fitted(safe, ` (${number})`);
        const other = keyOf(numbered);
        if (!given.has(other)) {
          given.set(key, number).set(other, 1);
          return numbered;
        }
        number = tries < TRIES ? number + 1 : (serial += 1);
      }
    },
  };
}

/** Equal for names that some system takes for one. */
const folded = (name: string): string =>
  /^[\x20-\x7e]*$/.test(name)
    ? name.toLowerCase()
    : name.normalize("NFKD").replaceAll(IGNORED, "").toUpperCase().toLowerCase().normalize("NFKD");
